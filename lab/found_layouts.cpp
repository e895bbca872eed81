#include "found_layouts.hpp"

#include <utility>

namespace gapless::lab {
namespace {

void add(std::vector<NamedExchange>& into, std::string name, const char* description, int count, TypeSpec type) {
  into.push_back({std::move(name), [=] {
                    const End end{0, {{description, count, type, {}}}};
                    return Exchange{end, end};
                  }});
}

// Blocks of whole ints with gaps as long, in so many bytes of payload or a little fewer.
void add_blocks(std::vector<NamedExchange>& into, const std::string& family, int block_bytes, int payload_bytes) {
  const int ints = block_bytes / static_cast<int>(kIntBytes), blocks = payload_bytes / block_bytes;
  add(into, family + "/" + std::to_string(block_bytes) + "B/" + std::to_string(payload_bytes), "vector", 1,
      TypeSpec::vector(blocks, ints, 2 * ints, TypeSpec::int32()));
}

}  // namespace

std::vector<NamedExchange> found_exchanges() {
  std::vector<NamedExchange> all;
  // The last run touches the next element's first run.
  for (int count : {8, 64})
    add(all, "touching/24x40B/count=" + std::to_string(count), "vector", count,
        TypeSpec::vector(24, 1, 26, TypeSpec::contiguous(5, TypeSpec::float64())));
  // Long runs in nests, as of a face of a lattice.
  for (int run_bytes : {768, 1536, 3072, 4096})
    for (int runs : {32, 512}) {
      const TypeSpec row = TypeSpec::contiguous(run_bytes / 8, TypeSpec::float64());
      add(all, "nest/" + std::to_string(run_bytes) + "B/" + std::to_string(runs) + "_runs", "hvector", 1,
          TypeSpec::hvector(2, 1, std::int64_t{2} * runs * run_bytes, TypeSpec::vector(runs / 2, 1, 3, row)));
    }
  for (int payload_bytes : {4096, 8192, 16384}) add_blocks(all, "blocks", 40, payload_bytes);
  for (int block_bytes : {12, 16, 20})
    for (int payload_bytes : {100'000, 170'000}) add_blocks(all, "blocks", block_bytes, payload_bytes);
  for (int payload_bytes : {32'768, 131'072, 524'288}) add_blocks(all, "blocks", 8, payload_bytes);
  for (int payload_bytes : {16, 32, 68}) add_blocks(all, "small", 4, payload_bytes);
  // A column of a matrix of doubles: each block in a line of its own, and in a page of its own in the larger ones.
  for (int rows : {256, 512, 768, 2048})
    add(all, "column/" + std::to_string(rows), "vector", 1, TypeSpec::vector(rows, 1, rows + 2, TypeSpec::float64()));
  return all;
}

}  // namespace gapless::lab
