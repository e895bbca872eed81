#include "copy/foreign.hpp"

#include <algorithm>

#include "serial/serial.hpp"

namespace gapless::copy {

std::shared_ptr<const std::vector<Span>> Foreign::spans(std::int64_t count, const SpanLimits& limits) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(known_.begin(), known_.end(),
                                  [&](const Spans& spans) { return spans.count == count && spans.gap == limits.gap; });
  if (found != known_.end()) {
    std::rotate(known_.begin(), found, found + 1);
    return known_.front().list;
  }
  try {
    auto list = std::make_shared<const std::vector<Span>>(spans_of(*plan_, count, limits));
    if (list->empty()) list = nullptr;
    known_.insert(known_.begin(), {count, limits.gap, std::move(list)});
    if (known_.size() > kCounts) known_.pop_back();
    return known_.front().list;
  } catch (...) {
    return nullptr;
  }
}

ForeignPtr ForeignLayouts::of(std::span<const std::uint8_t> bytes) {
  // A copy: the other process may write there, if it is not what it should be.
  std::string form(bytes.begin(), bytes.end());
  const auto found = known_.find(form);
  if (ForeignPtr known = found == known_.end() ? nullptr : found->second.lock()) return known;
  const auto* const first = reinterpret_cast<const std::uint8_t*>(form.data());
  serial::Deserialised made = serial::deserialise({first, form.size()});
  auto layout = std::make_shared<Foreign>(plan::compile(made.message, made.type->extent));
  if (known_.size() >= most_) {
    std::erase_if(known_, [](const auto& entry) { return entry.second.expired(); });
    most_ = known_.size() + kUnused;
  }
  known_.insert_or_assign(std::move(form), layout);
  return layout;
}

}  // namespace gapless::copy
