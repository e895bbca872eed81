// The halo of a grid: its right columns in one buffer, as text, and as runs of memory.
#include <array>
#include <cstddef>
#include <gapless/gapless.hpp>
#include <iostream>
#include <numeric>
#include <span>
#include <vector>

using gapless::Type;

int main() try {
  constexpr std::int64_t kRows = 4, kColumns = 6;
  std::vector<int> grid(kRows * kColumns);
  std::iota(grid.begin(), grid.end(), 0);

  const Type right = Type::subarray({kRows, kColumns}, {kRows, 2}, {0, kColumns - 2}, GAPLESS_ORDER_C, Type::of<int>());
  std::cout << right.text() << ": " << right.size() << " bytes, extent " << right.extent() << '\n';

  std::vector<int> packed(2 * kRows);
  gapless::pack(grid.data(), 1, right, std::as_writable_bytes(std::span(packed)));
  for (const int value : packed) std::cout << value << ' ';
  std::cout << '\n';

  std::array<gapless_iov, 3> room;
  for (std::int64_t position = 0; position < right.size();) {
    const auto [runs, bytes] = gapless::iov_export(grid.data(), 1, right, room, position);
    for (const gapless_iov& run : runs) {
      std::cout << static_cast<int*>(run.base) - grid.data() << '+' << run.length << ' ';
    }
    position += bytes;
  }
  std::cout << '\n';

  const Type same = Type::resized(0, right.extent(), Type::parse("hindexed_block(8, [16, 40, 64, 88], byte)"));
  std::cout << "same layout: " << gapless::layout_equal(right, same) << '\n';
  Type::vector(-1, 1, 1, right);
} catch (const gapless::Error& error) {
  std::cout << "refused: " << error.what() << '\n';
}
