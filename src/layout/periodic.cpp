#include "base/status.hpp"
#include "layout/layout.hpp"
namespace gapless::layout {
LayoutPtr bounded_vector(std::int64_t, std::int64_t, std::int64_t, LayoutPtr) {
  throw base::Error(base::Status::kInvalidArgument, "in work");
}
LayoutPtr circular_vector(std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t, LayoutPtr) {
  throw base::Error(base::Status::kInvalidArgument, "in work");
}
LayoutPtr bucket(std::int64_t, std::span<const std::int64_t>, LayoutPtr) {
  throw base::Error(base::Status::kInvalidArgument, "in work");
}
}  // namespace gapless::layout
