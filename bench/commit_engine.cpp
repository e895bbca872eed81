// commit_engine: what creating and committing a large irregular type costs in the engine, through its C interface.
//
//   commit_engine BLOCKS REPETITIONS [FIRST]
//
// Prints one JSON line per case; commit_mpi.c measures the same for an MPI library.
#include <cstdint>
#include <vector>

#include "commit.h"
#include "gapless/gapless.h"

namespace {

gapless_type g_double, g_type;
std::vector<std::int64_t> g_lengths, g_displacements;

void check(gapless_status status) {
  if (status != GAPLESS_SUCCESS) fail(gapless_last_error());
}

void prepare(const Irregular* list) {
  g_lengths.assign(list->lengths, list->lengths + list->count);
  g_displacements.assign(list->displacements, list->displacements + list->count);
  if (list->unlike)
    for (std::int64_t& displacement : g_displacements) displacement *= static_cast<std::int64_t>(sizeof(double));
}

void create(const Irregular* list) {
  check(list->unlike ? gapless_type_hindexed(list->count, g_lengths.data(), g_displacements.data(), g_double, &g_type)
                     : gapless_type_indexed_block(list->count, 1, g_displacements.data(), g_double, &g_type));
  check(gapless_type_commit(g_type));
}

void release() {
  check(gapless_type_free(&g_type));
}

void pack(const double* from, double* to, std::int64_t bytes) {
  std::int64_t moved = 0;
  check(gapless_pack(from, 1, g_type, 0, to, bytes, &moved));
  if (moved != bytes) fail("pack moved another number of bytes");
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments = parse_arguments(argc, argv);
  check(gapless_type_named("double", &g_double));
  const Library library = {prepare, create, release, pack};
  measure_commits(&library, arguments);
  return 0;
}
