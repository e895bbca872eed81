#include "move/past.hpp"

#include <cstring>

namespace gapless::move {
namespace {

struct PastTheCaches {
  const kernel::Set& set;

  void whole(char* to, const char* from, std::int64_t bytes) noexcept { set.stream_lines(to, from, bytes); }
  void partial(char* to, const char* from, std::int64_t bytes) noexcept {
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
  }
};

}  // namespace

std::int64_t pack_past(const plan::Plan& plan, std::int64_t count, const void* buffer, std::int64_t position,
                       void* packed, std::int64_t budget) noexcept {
  PastTheCaches lines{kernel::chosen()};
  const std::int64_t moved = pack_past(plan, count, buffer, position, packed, budget, lines);
  lines.set.fence();
  return moved;
}

}  // namespace gapless::move
