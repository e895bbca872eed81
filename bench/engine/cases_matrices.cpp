// Columns of square matrices of doubles, and whole matrices transposed.
#include "case.hpp"

namespace gapless::bench {
namespace {

constexpr std::int64_t kDoubleBytes = 8;

Message column(int n) {
  return {{{"vector", 1, TypeSpec::vector(n, 1, n, TypeSpec::float64())},
           {"hvector", 1, TypeSpec::hvector(n, 1, n * kDoubleBytes, TypeSpec::float64())},
           {"resized", n, TypeSpec::resized(0, n * kDoubleBytes, TypeSpec::float64())}},
          hand_column(n),
          {n},
          {}};
}

// All columns, one after the other.
Message transpose(int n) {
  const TypeSpec column = TypeSpec::vector(n, 1, n, TypeSpec::float64());
  const TypeSpec next_to = TypeSpec::resized(0, kDoubleBytes, column);
  return {{{"contiguous", 1, TypeSpec::contiguous(n, next_to)},
           {"count", n, next_to},
           {"hvector", 1, TypeSpec::hvector(n, 1, kDoubleBytes, column)}},
          hand_transpose(n),
          {n},
          {}};
}

}  // namespace

void add_matrices(Cases& into) {
  for (int n : {512, 1000, 1024, 2048, 2050, 3000, 4096, 8192})  // 2050: of 2048 with a layer of ghost cells
    into.push_back({"column/n=" + std::to_string(n), "column", false, n == 1000 || n == 4096,
                    [n](std::int64_t) { return column(n); }});
  for (int n : {1000, 1024, 2048, 3000, 4096, 8192})
    into.push_back({"transpose/n=" + std::to_string(n), "transpose", false, n == 1000 || n == 1024,
                    [n](std::int64_t) { return transpose(n); }});
}

}  // namespace gapless::bench
