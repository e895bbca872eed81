#include "copy/spans.hpp"

#include "move/iov.hpp"

namespace gapless::copy {

std::vector<Span> spans_of(const plan::Plan& plan, std::int64_t count, const SpanLimits& limits) {
  constexpr std::int64_t kRuns = 256;
  std::vector<Span> spans;
  move::Piece runs[kRuns];
  for (std::int64_t position = 0, bytes = plan.size() * count; position < bytes;) {
    const move::Exported found = move::iov(plan, count, nullptr, position, runs, kRuns);
    for (std::int64_t k = 0; k < found.pieces; ++k) {
      const auto offset = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(runs[k].base));
      if (!spans.empty()) {
        Span& last = spans.back();
        const std::int64_t gap = offset - (last.offset + last.length);
        if (gap >= 0 && gap <= limits.gap && last.length + gap + runs[k].bytes <= limits.length) {
          last.length += gap + runs[k].bytes;
          last.bytes += runs[k].bytes;
          position += runs[k].bytes;
          continue;
        }
      }
      if (static_cast<std::int64_t>(spans.size()) == limits.most) return {};
      spans.push_back({.offset = offset, .length = runs[k].bytes, .position = position, .bytes = runs[k].bytes});
      position += runs[k].bytes;
    }
  }
  return spans;
}

}  // namespace gapless::copy
