// The layouts of messages that are offered (wire/offer.hpp): those that this process shows to the others of its node,
// and those of the others that it has read, with what pulling their messages needs. Both are kept as long as they are
// used.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "copy/spans.hpp"
#include "mpi/types/datatype.hpp"
#include "preload/policy/shared_memory.hpp"

namespace gapless::preload {

// Where others of the node find the layout of this type; nothing: it cannot be serialised, or there is no room. While a
// message of it is on offer the caller keeps the type alive. Cost: a lock and a look-up; at the type's first use,
// linear in its form.
std::optional<wire::Place> show_layout(SharedMemory& shared, const mpi::DatatypePtr& type) noexcept;

// Another process's layout. Immutable, but for what is prepared when it is first asked for.
class Foreign {
 public:
  explicit Foreign(plan::PlanPtr plan) noexcept : plan_(std::move(plan)) {}
  const plan::PlanPtr& plan() const noexcept { return plan_; }
  // The spans of so many elements; nullptr: too many, or no memory.
  std::shared_ptr<const std::vector<copy::Span>> spans(std::int64_t count, const copy::SpanLimits& limits) noexcept;

 private:
  struct Spans {
    std::int64_t count, gap;
    std::shared_ptr<const std::vector<copy::Span>> list;
  };
  static constexpr std::size_t kCounts = 4;
  const plan::PlanPtr plan_;
  std::mutex mutex_;
  std::vector<Spans> known_;  // the one that was used last in front
};

// nullptr: what stands there is no layout, or no memory. Thread-safe.
std::shared_ptr<Foreign> read_layout(SharedMemory& shared, int process, const wire::Place& place) noexcept;

}  // namespace gapless::preload
