#include "preload/stats/ways.hpp"

#include <array>
#include <atomic>
#include <cstring>

namespace gapless::preload {

namespace {

constexpr auto kEvents = static_cast<std::size_t>(WayEvent::kCount);
constexpr std::array<const char*, kEvents> kNames = {"offered", "taken_back", "refused",    "helped",      "kernel",
                                                     "direct",  "allocated",  "layout_new", "layout_known"};
std::array<std::atomic<std::int64_t>, kEvents> counts;

}  // namespace

void add_way_event(WayEvent event) noexcept {
  counts[static_cast<std::size_t>(event)].fetch_add(1, std::memory_order_relaxed);
}

std::optional<std::int64_t> received_by(const char* way) noexcept {
  for (const WayEvent event : {WayEvent::kKernel, WayEvent::kDirect}) {
    const auto k = static_cast<std::size_t>(event);
    if (std::strcmp(way, kNames[k]) == 0) return counts[k].load(std::memory_order_relaxed);
  }
  return std::nullopt;
}

std::string ways_json() {
  std::string text;
  for (std::size_t k = 0; k < kEvents; ++k) {
    const std::int64_t n = counts[k].load(std::memory_order_relaxed);
    if (n == 0) continue;
    text += (text.empty() ? "\"" : ",\"") + std::string(kNames[k]) + "\":" + std::to_string(n);
  }
  return "{" + text + "}";
}

}  // namespace gapless::preload
