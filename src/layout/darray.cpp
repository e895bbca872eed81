#include "base/status.hpp"
#include "layout/layout.hpp"
namespace gapless::layout {
LayoutPtr darray(std::int64_t, std::int64_t, std::span<const std::int64_t>, std::span<const Distribution>,
                 std::span<const std::int64_t>, std::span<const std::int64_t>, Order, LayoutPtr) {
  throw base::Error(base::Status::kInvalidArgument, "darray: in work");
}
}  // namespace gapless::layout
