#include "move/iov.hpp"

#include <algorithm>
#include <limits>

#include "move/find_run.hpp"
#include "plan/step.hpp"

namespace gapless::move {
namespace {

using plan::Op;
using plan::Step;

// Joins adjacent runs into one piece. It is full once a run has come that does not fit.
class Pieces {
 public:
  Pieces(Piece* pieces, std::int64_t limit, std::int64_t budget) : pieces_(pieces), limit_(limit), budget_(budget) {}
  bool full() const { return full_; }
  Exported exported() const { return {count_, bytes_}; }

  void add(std::uintptr_t address, std::int64_t bytes) {
    bytes = std::min(bytes, budget_ - bytes_);
    if (full_ || bytes <= 0) {
      full_ = true;
      return;
    }
    if (count_ > 0 && address == end_) {
      pieces_[count_ - 1].bytes += bytes;
    } else if (count_ == limit_) {
      full_ = true;
      return;
    } else {
      pieces_[count_++] = {reinterpret_cast<void*>(address), bytes};
    }
    end_ = address + static_cast<std::uintptr_t>(bytes);
    bytes_ += bytes;
  }

 private:
  Piece* pieces_;
  std::int64_t limit_, budget_, count_ = 0, bytes_ = 0;
  std::uintptr_t end_ = 0;
  bool full_ = false;
};

std::uintptr_t moved(std::uintptr_t address, std::int64_t by) {
  return address + static_cast<std::uintptr_t>(by);
}

// An extent may be legal and lead outside all memory: an address that wraps is never used.
std::uintptr_t copy_at(std::uintptr_t address, std::int64_t copy, std::int64_t stride) {
  return address + static_cast<std::uintptr_t>(copy) * static_cast<std::uintptr_t>(stride);
}

// Calls one(copy, byte in it) for copies of `each` bytes, starting at byte `from`, up to `count` copies.
template <class One>
void copies(std::int64_t each, std::int64_t count, std::int64_t from, const Pieces& pieces, One one) {
  std::int64_t in = from % each;
  for (std::int64_t i = from / each; i < count && !pieces.full(); ++i, in = 0) one(i, in);
}

void emit(const Step& step, std::int64_t from, std::uintptr_t user, Pieces& pieces) noexcept {
  switch (step.op) {
    case Op::kNest:
      copies(step.block * step.inner_count, step.outer_count, from, pieces, [&](std::int64_t row, std::int64_t in_row) {
        const std::uintptr_t at = moved(user, row * step.outer_stride);
        copies(step.block, step.inner_count, in_row, pieces, [&](std::int64_t i, std::int64_t in) {
          pieces.add(moved(at, i * step.inner_stride + in), step.block - in);
        });
      });
      return;
    case Op::kTable:
      copies(step.block, static_cast<std::int64_t>(step.offsets.size()), from, pieces,
             [&](std::int64_t i, std::int64_t in) {
               pieces.add(moved(user, step.offsets[static_cast<std::size_t>(i)] + in), step.block - in);
             });
      return;
    case Op::kBlocks: {
      const FoundRun found = find_run(step, from);
      std::int64_t in = from - found.start;
      for (std::size_t i = found.run; i < step.offsets.size() && !pieces.full(); ++i, in = 0)
        pieces.add(moved(user, step.offsets[i] + in), step.lengths[i] - in);
      return;
    }
    case Op::kLoop:
      copies(step.steps[0]->bytes, step.count, from, pieces,
             [&](std::int64_t i, std::int64_t in) { emit(*step.steps[0], in, moved(user, i * step.stride), pieces); });
      return;
    case Op::kIndexed:
      copies(step.steps[0]->bytes, static_cast<std::int64_t>(step.offsets.size()), from, pieces,
             [&](std::int64_t i, std::int64_t in) {
               emit(*step.steps[0], in, moved(user, step.offsets[static_cast<std::size_t>(i)]), pieces);
             });
      return;
    case Op::kSequence: {
      const auto behind = std::upper_bound(step.starts.begin(), step.starts.end(), from);
      auto i = static_cast<std::size_t>(behind - step.starts.begin() - 1);
      std::int64_t in = from - step.starts[i];
      for (; i < step.steps.size() && !pieces.full(); ++i, in = 0)
        emit(*step.steps[i], in, moved(user, step.offsets[i]), pieces);
      return;
    }
  }
}

}  // namespace

Exported iov(const plan::Plan& plan, std::int64_t count, const void* buffer, std::int64_t position, Piece* pieces,
             std::int64_t limit) noexcept {
  std::int64_t total;
  if (__builtin_mul_overflow(plan.size(), count, &total)) total = std::numeric_limits<std::int64_t>::max();
  if (count <= 0 || position < 0 || position >= total || limit <= 0) return {};
  Pieces out(pieces, limit, total - position);
  const std::uintptr_t user = moved(reinterpret_cast<std::uintptr_t>(buffer), plan.first_byte());
  if (plan.is_contiguous())
    out.add(moved(user, position), total - position);
  else
    copies(plan.size(), count, position, out,
           [&](std::int64_t i, std::int64_t in) { emit(plan.root(), in, copy_at(user, i, plan.extent()), out); });
  return out.exported();
}

}  // namespace gapless::move
