// Layouts of other processes, from the bytes that these have made of them (serial/serial.hpp), with what copying their
// messages needs. Processes of a job mostly have the same ones: each is made once, for all that have it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "copy/spans.hpp"
#include "plan/plan.hpp"

namespace gapless::copy {

// Immutable, but for what is prepared when it is first asked for. Thread-safe.
class Foreign {
 public:
  explicit Foreign(plan::PlanPtr plan) noexcept : plan_(std::move(plan)) {}
  const plan::PlanPtr& plan() const noexcept { return plan_; }
  // The spans of so many elements; nullptr: too many, or no memory.
  std::shared_ptr<const std::vector<Span>> spans(std::int64_t count, const SpanLimits& limits) noexcept;

 private:
  struct Spans {
    std::int64_t count, gap;
    std::shared_ptr<const std::vector<Span>> list;
  };
  static constexpr std::size_t kCounts = 16;
  const plan::PlanPtr plan_;
  std::mutex mutex_;
  std::vector<Spans> known_;  // the one that was used last in front
};
using ForeignPtr = std::shared_ptr<Foreign>;

// Those that somebody uses. One thread at a time.
class ForeignLayouts {
 public:
  // Throws base::Error if that is no layout, or std::bad_alloc. Cost: linear in the bytes, and little for each where
  // the layout is known.
  ForeignPtr of(std::span<const std::uint8_t> bytes);
  std::size_t size() const noexcept { return known_.size(); }

 private:
  static constexpr std::size_t kUnused = 64;
  std::unordered_map<std::string, std::weak_ptr<Foreign>> known_;
  std::size_t most_ = kUnused;  // before those go that nobody uses any more
};

}  // namespace gapless::copy
