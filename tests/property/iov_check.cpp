#include "property/iov_check.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "move/iov.hpp"
#include "property/type_check.hpp"

namespace gapless::test {
namespace {

constexpr std::int64_t kExhaustiveBytes = 64;
constexpr int kRandomPositions = 8;
// Nothing is read: any address does, and one far from 0 shows a sign lost on the way.
constexpr std::uintptr_t kBuffer = std::uintptr_t{1} << 46;

class IovCheck {
 public:
  IovCheck(const plan::Plan& plan, const Oracle& oracle, std::int64_t count)
      : plan_(plan), count_(count), runs_(fused(oracle.entries(count))) {
    for (const Entry& run : runs_) {
      starts_.push_back(total_);
      total_ += run.bytes;
    }
    pieces_.resize(runs_.size() + 2);
  }
  std::int64_t total() const { return total_; }
  std::int64_t run_count() const { return static_cast<std::int64_t>(runs_.size()); }

  // The bytes handed out from `position` on.
  std::int64_t from(std::int64_t position, std::int64_t limit) {
    const std::int64_t room = std::min(limit, static_cast<std::int64_t>(pieces_.size()) - 1);
    std::fill(pieces_.begin(), pieces_.end(), kUntouched);
    const move::Exported got =
        move::iov(plan_, count_, reinterpret_cast<const void*>(kBuffer), position, pieces_.data(), room);
    std::int64_t pieces = 0, bytes = 0;
    if (position < total_) {
      const auto behind = std::upper_bound(starts_.begin(), starts_.end(), position);
      auto run = static_cast<std::size_t>(behind - starts_.begin() - 1);
      for (std::int64_t in = position - starts_[run]; run < runs_.size() && pieces < room; ++run, in = 0) {
        const Entry expected{runs_[run].displacement + in, runs_[run].bytes - in};
        if (pieces < got.pieces && entry(pieces) != expected)
          fail(position, limit,
               "entry " + std::to_string(pieces) + " is " + text(entry(pieces)) + ", not " + text(expected));
        ++pieces;
        bytes += expected.bytes;
      }
    }
    if (got.pieces != pieces || got.bytes != bytes)
      fail(position, limit,
           std::to_string(got.pieces) + " entries of " + std::to_string(got.bytes) + " bytes, not " +
               std::to_string(pieces) + " of " + std::to_string(bytes));
    for (auto i = static_cast<std::size_t>(pieces); i < pieces_.size(); ++i)
      if (pieces_[i].base != kUntouched.base || pieces_[i].bytes != kUntouched.bytes)
        fail(position, limit, "an entry behind the last one was written");
    return bytes;
  }

 private:
  static constexpr move::Piece kUntouched{nullptr, -7};

  Entry entry(std::int64_t i) const {
    const move::Piece& piece = pieces_[static_cast<std::size_t>(i)];
    return {static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(piece.base) - kBuffer), piece.bytes};
  }
  static std::string text(const Entry& entry) {
    return std::to_string(entry.bytes) + " bytes at " + std::to_string(entry.displacement);
  }
  [[noreturn]] void fail(std::int64_t position, std::int64_t limit, const std::string& what) const {
    throw Wrong("iov: count " + std::to_string(count_) + ", position " + std::to_string(position) + ", limit " +
                std::to_string(limit) + ": " + what);
  }

  const plan::Plan& plan_;
  std::int64_t count_, total_ = 0;
  std::vector<Entry> runs_;
  std::vector<std::int64_t> starts_;
  std::vector<move::Piece> pieces_;
};

}  // namespace

void check_iov(const plan::Plan& plan, const Oracle& oracle, std::int64_t count, Random& random) {
  IovCheck check(plan, oracle, count);
  const std::int64_t all = check.run_count() + 1, most = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t position : {std::int64_t{0}, check.total(), check.total() + 1, most}) {
    check.from(position, all);
    check.from(position, 0);
  }
  if (check.total() == 0) return;
  if (check.total() <= kExhaustiveBytes) {
    for (std::int64_t position = 0; position < check.total(); ++position) {
      check.from(position, all);
      check.from(position, random.between(1, all));
    }
  } else {
    for (int i = 0; i < kRandomPositions; ++i)
      check.from(random.between(0, check.total() - 1), random.mostly_small(1, all));
  }
  const std::int64_t longest = std::max<std::int64_t>(random.mostly_small(1, all), all / 20 + 1);
  for (std::int64_t position = 0; position < check.total();)
    position += check.from(position, random.between(1, longest));
}

}  // namespace gapless::test
