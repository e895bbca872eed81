#include "layout/sequence.hpp"

#include <array>
#include <cstddef>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "base/checked.hpp"

namespace gapless::layout {
namespace {

constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61) - 1;
constexpr std::uint64_t kBase = 0x1b873593cc9e2d51 % kPrime;  // any large number that is not a power of a small one

std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  const std::uint64_t sum = (static_cast<std::uint64_t>(product) & kPrime) + static_cast<std::uint64_t>(product >> 61);
  return sum >= kPrime ? sum - kPrime : sum;
}

std::uint64_t plus(std::uint64_t a, std::uint64_t b) {
  return a + b >= kPrime ? a + b - kPrime : a + b;
}

struct Hashed {
  std::uint64_t hash = 0, power = 1;
  Hashed then(const Hashed& next) const { return {plus(times(hash, next.power), next.hash), times(power, next.power)}; }
};

// Concatenation is associative, so a repetition is a power: squares and products.
Hashed repeated(Hashed part, std::int64_t count) {
  Hashed all;
  for (; count > 0; count >>= 1, part = part.then(part))
    if (count & 1) all = all.then(part);
  return all;
}

std::uint64_t letter_hash(std::size_t index) {
  std::uint64_t bits = (index + 1) * 0x9e3779b97f4a7c15;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  return (bits ^ (bits >> 27)) % kPrime;
}

SequencePtr new_basic(const Named& type) {
  auto one = std::make_shared<Sequence>();
  one->basic = &type;
  one->bytes = type.size;
  one->hash = letter_hash(number_of(type));
  one->power = kBase;
  return one;
}

std::vector<SequencePtr> all_of_table() {
  std::vector<SequencePtr> all;
  for (const Named& type : named_types()) all.push_back(new_basic(type));
  return all;
}

// `count` copies of a part: what concat() joins.
struct Repetition {
  SequencePtr part;
  std::int64_t count;
};

Repetition repetition_of(const SequencePtr& sequence) {
  if (sequence->kind == Sequence::Kind::kRepeat) return {sequence->parts[0], sequence->count};
  return {sequence, 1};
}

}  // namespace

SequencePtr basic(const Named& type) {
  // Never destroyed: destructors of the program's static objects still make types.
  static const auto& table = *new std::vector<SequencePtr>(all_of_table());
  const std::uint32_t number = number_of(type);
  if (number < table.size()) return table[number];
  static std::mutex mutex;
  static auto& others = *new std::unordered_map<std::uint32_t, SequencePtr>;
  const std::lock_guard lock(mutex);
  SequencePtr& one = others[number];
  if (!one) one = new_basic(type);
  return one;
}

SequencePtr repeat(SequencePtr part, std::int64_t count) {
  if (!part || count == 0) return nullptr;
  if (count == 1) return part;
  auto all = std::make_shared<Sequence>();
  all->kind = Sequence::Kind::kRepeat;
  all->length = base::checked_mul(part->length, count, "basic types * count");
  all->bytes = base::checked_mul(part->bytes, count, "size * count");
  const Hashed hashed = repeated({part->hash, part->power}, count);
  all->hash = hashed.hash;
  all->power = hashed.power;
  all->count = count;
  if (part->kind == Sequence::Kind::kRepeat) {
    all->count = base::checked_mul(part->count, count, "count * count");
    part = part->parts[0];
  }
  all->parts.push_back(std::move(part));
  return all;
}

SequencePtr concat(std::span<const SequencePtr> parts) {
  std::vector<Repetition> repetitions;
  for (const SequencePtr& part : parts) {
    if (!part) continue;
    Repetition next = repetition_of(part);
    if (!repetitions.empty() && repetitions.back().part == next.part)
      repetitions.back().count = base::checked_add(repetitions.back().count, next.count, "count + count");
    else
      repetitions.push_back(std::move(next));
  }
  if (repetitions.empty()) return nullptr;
  if (repetitions.size() == 1) return repeat(repetitions[0].part, repetitions[0].count);
  auto all = std::make_shared<Sequence>();
  all->kind = Sequence::Kind::kConcat;
  all->length = 0;
  Hashed hashed;
  for (Repetition& repetition : repetitions) {
    SequencePtr part = repeat(std::move(repetition.part), repetition.count);
    all->length = base::checked_add(all->length, part->length, "basic types");
    all->bytes = base::checked_add(all->bytes, part->bytes, "size");
    hashed = hashed.then({part->hash, part->power});
    all->parts.push_back(std::move(part));
  }
  all->hash = hashed.hash;
  all->power = hashed.power;
  return all;
}

SequencePtr prefix(const SequencePtr& sequence, std::int64_t length) {
  if (length == 0) return nullptr;
  if (length == sequence->length) return sequence;
  std::vector<SequencePtr> front;
  if (sequence->kind == Sequence::Kind::kRepeat) {
    const SequencePtr& part = sequence->parts[0];
    front.push_back(repeat(part, length / part->length));
    front.push_back(prefix(part, length % part->length));
  } else {
    for (const SequencePtr& part : sequence->parts) {
      if (part->length >= length) {
        front.push_back(prefix(part, length));
        break;
      }
      front.push_back(part);
      length -= part->length;
    }
  }
  return concat(front);
}

}  // namespace gapless::layout
