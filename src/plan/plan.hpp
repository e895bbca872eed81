// A Plan is what the data path runs: the normal forms of one element of a type and of many, with the kernels chosen.
// Immutable, but for what prepare() adds; shared between threads. A message is (plan, count); the count is folded in
// when the message is run.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "kernel/kernel.hpp"
#include "layout/layout.hpp"
#include "normal/normalise.hpp"

namespace gapless::plan {

struct Step;         // plan/step.hpp
struct FoldedSteps;  // plan/step.hpp

class Plan {
 public:
  std::int64_t size() const noexcept { return size_; }      // [bytes] of data in one element
  std::int64_t extent() const noexcept { return extent_; }  // [bytes] from one element to the next
  // One element is a single run and the next one follows without a gap: any count of them is one run at first_byte().
  bool is_contiguous() const noexcept { return contiguous_; }
  // True if `count` elements form one run.
  bool is_run(std::int64_t count) const noexcept { return contiguous_ || (count == 1 && runs_ == 1); }
  std::int64_t first_byte() const noexcept { return offset_; }  // [bytes] of the first run from the buffer's address
  // [bytes] from the buffer's address to the first byte that one element touches, and to the end of the last one; 0 and
  // 0 if it touches none.
  std::int64_t low() const noexcept { return low_; }
  std::int64_t high() const noexcept { return high_; }
  // True if their differences with any length in memory do not overflow.
  bool has_short_bounds() const noexcept { return short_bounds_; }
  std::int64_t run_count() const noexcept { return runs_; }  // maximally fused runs in one element
  // More elements than this touch more memory than the caches hold.
  std::int64_t far_count() const noexcept { return far_count_; }
  const normal::Form& form() const noexcept { return compiled_.message.one; }
  const normal::MessageForm& message() const noexcept { return many().message; }  // with the folded form, if it differs
  const Step& root() const noexcept { return *root_; }
  // How messages of more than one element run; null: element by element.
  const FoldedSteps* folded() const noexcept { return many().steps.get(); }
  // Makes that, of a plan that was compiled for one element first. Before data move, for it allocates and takes a lock;
  // where it was not called, or there is no memory, messages run element by element.
  void prepare(std::int64_t count) const noexcept {
    if (count > 1 && type_ != nullptr && ready_.load(std::memory_order_relaxed) == &compiled_) fold();
  }
  std::string text() const;                       // for people: one line per step
  std::vector<const char*> kernel_names() const;  // the kernels that a whole pack of this plan can call

  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

 private:
  friend std::shared_ptr<const Plan> compile(const normal::MessageForm& message, std::int64_t extent);
  friend std::shared_ptr<const Plan> compile_one_first(layout::LayoutPtr type);
  // What messages of more than one element need besides.
  struct Many {
    normal::MessageForm message;
    std::shared_ptr<const FoldedSteps> steps;
  };
  Plan() = default;
  static std::shared_ptr<Plan> made(const normal::MessageForm& message, std::int64_t extent);
  const Many& many() const noexcept { return *ready_.load(std::memory_order_acquire); }
  void fold() const noexcept;
  std::int64_t size_ = 0, extent_ = 0, offset_ = 0, runs_ = 0, low_ = 0, high_ = 0, far_count_ = 0;
  bool contiguous_ = false, short_bounds_ = true;
  std::shared_ptr<const Step> root_;
  Many compiled_;
  layout::LayoutPtr type_;  // of which prepare() makes `folded_`; null if `compiled_` has all
  mutable std::once_flag folding_;
  mutable Many folded_;
  mutable std::atomic<const Many*> ready_{&compiled_};
};

using PlanPtr = std::shared_ptr<const Plan>;

// `count` elements of a plan.
struct Message {
  const Plan& plan;
  std::int64_t count;
};

// Cost: linear in the size of the form. Throws base::Error (kOutOfMemory as std::bad_alloc).
PlanPtr compile(const normal::MessageForm& message, std::int64_t extent);
// Normalises and compiles.
PlanPtr compile(const layout::Layout& type);
// The same, but what messages of more than one element need comes with Plan::prepare, where that is cheap: most of the
// work, and many a type is made for one element.
PlanPtr compile_one_first(layout::LayoutPtr type);

}  // namespace gapless::plan
