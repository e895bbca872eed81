#include "property/message_check.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

#include "move/move.hpp"
#include "move/overlap.hpp"
#include "property/recorded_lines.hpp"
#include "property/type_check.hpp"

namespace gapless::test {
namespace {

constexpr std::int64_t kCanary = 64;  // [bytes] on either side: no kernel writes wider than that
constexpr std::byte kUntouched{0xA5};
constexpr std::int64_t kExhaustiveBytes = 64;    // messages up to here are cut at every place
constexpr std::int64_t kExhaustiveReach = 2048;  // and unpacked so, if comparing all they span is cheap
constexpr int kRandomParts = 12;

std::string where(const char* what, std::int64_t count, std::int64_t position, std::int64_t budget) {
  return std::string(what) + ": count " + std::to_string(count) + ", position " + std::to_string(position) +
         ", budget " + std::to_string(budget) + ": ";
}

void fill_random(std::vector<std::byte>& bytes, Random& random) {
  for (std::size_t i = 0; i < bytes.size(); i += sizeof(std::uint64_t)) {
    const std::uint64_t value = random.next();
    std::memcpy(&bytes[i], &value, std::min(sizeof value, bytes.size() - i));
  }
}

}  // namespace

MessageCheck::MessageCheck(const plan::Plan& plan, const Oracle& oracle, std::int64_t count, Random& random)
    : plan_(plan), count_(count), random_(random), bytes_(oracle.byte_displacements(count)) {
  if (!bytes_.empty()) {
    const auto [least, most] = std::minmax_element(bytes_.begin(), bytes_.end());
    low_ = *least;
    high_ = *most + 1;
  }
  source_.resize(static_cast<std::size_t>(high_ - low_ + 2 * kCanary));
  fill_random(source_, random_);
  stream_.resize(bytes_.size());
  oracle_pack(bytes_, source_.data() + kCanary - low_, 0, stream_.data(), std::numeric_limits<std::int64_t>::max());
  incoming_.resize(bytes_.size());
  fill_random(incoming_, random_);
  out_.assign(bytes_.size() + 3 * kCanary, kUntouched);
  memory_.assign(source_.size(), kUntouched);
  expected_ = memory_;
}

void MessageCheck::pack_part(std::int64_t position, std::int64_t budget) {
  const auto total = static_cast<std::int64_t>(bytes_.size());
  const std::int64_t moved = std::max<std::int64_t>(0, std::min(budget, total - position));
  const std::int64_t got =
      move::pack(plan_, count_, source_.data() + kCanary - low_, position, out_.data() + kCanary, budget);
  if (got != moved) {
    throw Wrong(where("pack", count_, position, budget) + "moved " + std::to_string(got) + " bytes, not " +
                std::to_string(moved));
  }
  for (std::int64_t i = -kCanary; i < moved + kCanary; ++i) {
    std::byte& byte = out_[static_cast<std::size_t>(kCanary + i)];
    const bool inside = i >= 0 && i < moved;
    if (byte != (inside ? stream_[static_cast<std::size_t>(position + i)] : kUntouched)) {
      throw Wrong(where("pack", count_, position, budget) + "byte " + std::to_string(i) + " of the result is " +
                  (inside ? "wrong" : "not the call's to write"));
    }
    byte = kUntouched;
  }
  pack_past_part(position, budget, moved);
}

void MessageCheck::pack_past_part(std::int64_t position, std::int64_t budget, std::int64_t moved) {
  // At every place of a line in turn.
  shift_ = (shift_ + 1) % kCanary;
  std::byte* const to = out_.data() + kCanary + shift_;
  const std::byte* const user = source_.data() + kCanary - low_;
  RecordedLines lines(to, moved);
  const auto compare = [&](const char* what, std::int64_t got) {
    if (got != moved) throw Wrong(where(what, count_, position, budget) + "moved " + std::to_string(got) + " bytes");
    for (std::int64_t i = -kCanary; i < moved + kCanary; ++i) {
      const bool inside = i >= 0 && i < moved;
      if (to[i] != (inside ? stream_[static_cast<std::size_t>(position + i)] : kUntouched))
        throw Wrong(where(what, count_, position, budget) + "byte " + std::to_string(i) + " of the result is wrong");
    }
    std::fill(to, to + moved, kUntouched);
  };
  compare("pack past the caches", move::pack_past(plan_, count_, user, position, to, budget));
  compare("pack line by line", move::pack_past(plan_, count_, user, position, to, budget, lines));
  if (!lines.complaint().empty()) throw Wrong(where("pack line by line", count_, position, budget) + lines.complaint());
}

void MessageCheck::compare_memory(const char* what, std::int64_t position, std::int64_t budget) {
  if (memory_ == expected_) return;
  const auto at = std::mismatch(memory_.begin(), memory_.end(), expected_.begin()).first - memory_.begin();
  const bool touched = expected_[static_cast<std::size_t>(at)] != kUntouched;
  throw Wrong(where(what, count_, position, budget) + "the byte at displacement " +
              std::to_string(at - kCanary + low_) + (touched ? " is wrong" : " was written though it is in a gap"));
}

void MessageCheck::reset_memory() {
  std::fill(memory_.begin(), memory_.end(), kUntouched);
  std::fill(expected_.begin(), expected_.end(), kUntouched);
}

void MessageCheck::unpack_part(std::int64_t position, std::int64_t budget) {
  const std::byte* from = incoming_.data() + std::min(position, static_cast<std::int64_t>(incoming_.size()));
  const std::int64_t got = move::unpack(plan_, count_, memory_.data() + kCanary - low_, position, from, budget);
  const std::int64_t moved = oracle_unpack(bytes_, expected_.data() + kCanary - low_, position, from, budget);
  if (got != moved) {
    throw Wrong(where("unpack", count_, position, budget) + "moved " + std::to_string(got) + " bytes, not " +
                std::to_string(moved));
  }
}

void MessageCheck::whole() {
  const auto total = static_cast<std::int64_t>(bytes_.size());
  pack_part(0, total);
  pack_part(0, std::numeric_limits<std::int64_t>::max());
  unpack_part(0, total);
  compare_memory("unpack", 0, total);
}

void MessageCheck::parts() {
  const auto total = static_cast<std::int64_t>(bytes_.size());
  const auto one = [&](std::int64_t position, std::int64_t budget, bool unpack) {
    pack_part(position, budget);
    if (!unpack) return;
    reset_memory();
    unpack_part(position, budget);
    compare_memory("unpack", position, budget);
  };
  if (total <= kExhaustiveBytes) {
    const bool unpack = high_ - low_ <= kExhaustiveReach;
    for (std::int64_t position = 0; position < total; ++position) {
      for (std::int64_t budget = 1; budget <= total - position; ++budget) {
        one(position, budget, unpack || position + budget == total);
      }
    }
    return;
  }
  for (int i = 0; i < kRandomParts; ++i) {
    const std::int64_t position = random_.between(0, total - 1);
    one(position, i % 2 ? random_.mostly_small(1, total) : random_.between(1, total - position), true);
  }
}

void MessageCheck::streamed() {
  const auto total = static_cast<std::int64_t>(bytes_.size());
  const std::int64_t longest = std::max<std::int64_t>(random_.mostly_small(1, total), total / 40 + 1);
  reset_memory();
  for (std::int64_t position = 0; position < total;) {
    const std::int64_t budget = random_.between(1, longest);
    pack_part(position, budget);
    unpack_part(position, budget);
    position += budget;
  }
  compare_memory("unpack in chunks", 0, longest);
}

void MessageCheck::nothing() {
  const auto total = static_cast<std::int64_t>(bytes_.size());
  reset_memory();
  for (const std::int64_t position : {total, total + 1, total + 1000, std::numeric_limits<std::int64_t>::max()}) {
    pack_part(position, 1);
    unpack_part(position, 1);
  }
  for (const std::int64_t position : {std::int64_t{0}, total / 2, total}) {
    pack_part(position, 0);
    unpack_part(position, 0);
  }
  compare_memory("unpack of nothing", total, 0);
}

void MessageCheck::overlaps(Random& random) {
  if (bytes_.empty()) return;
  std::vector<bool> is_touched(static_cast<std::size_t>(high_ - low_));
  for (const std::int64_t byte : bytes_) is_touched[static_cast<std::size_t>(byte - low_)] = true;
  // Nothing is read: any address will do.
  const auto* const buffer = reinterpret_cast<const std::byte*>(std::uintptr_t{1} << 40);
  for (int i = 0; i < kRandomParts; ++i) {
    // Short ones, too, for the gaps.
    const std::int64_t bytes = random.between(1, i % 2 == 0 ? 24 : high_ - low_ + 1);
    const std::int64_t from = random.between(low_ - bytes - 2, high_ + 2);
    bool expected = false;
    for (std::int64_t byte = std::max(from, low_); byte < std::min(from + bytes, high_); ++byte)
      expected = expected || is_touched[static_cast<std::size_t>(byte - low_)];
    if (move::overlap(plan_, count_, buffer, buffer + from, bytes) != expected)
      throw Wrong(where("overlap", count_, from, bytes) + (expected ? "not seen" : "seen where there is none"));
  }
}

}  // namespace gapless::test
