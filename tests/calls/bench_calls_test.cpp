// Over all messages of the engine's benchmark, however described: packing and unpacking, whole and in chunks, once
// warm, allocates nothing and takes no lock.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>

#include "bench/engine/arena.hpp"
#include "bench/engine/case.hpp"
#include "calls/watched_calls.hpp"
#include "gapless/gapless.h"

namespace {

using namespace gapless::bench;

constexpr std::int64_t kCacheBytes = 4 << 20;  // "from memory" is ten times as much
constexpr std::int64_t kChunkBytes = 8192;
constexpr std::int64_t kPayloads[] = {4 << 10, 32 << 10, 256 << 10, 2'560'000};

int messages = 0, failures = 0;

bool move(Arena& arena, const Description& description, gapless_type type, std::int64_t chunk) {
  const std::int64_t bytes = arena.payload_bytes();
  std::int64_t moved = 0;
  for (std::int64_t at = 0; at < bytes; at += chunk) {
    char* packed = arena.packed() + at;
    const std::int64_t budget = std::min(chunk, bytes - at);
    if (gapless_pack(arena.user(), description.count, type, at, packed, budget, &moved) != GAPLESS_SUCCESS ||
        moved != budget ||
        gapless_unpack(packed, budget, at, arena.user(), description.count, type, &moved) != GAPLESS_SUCCESS ||
        moved != budget)
      return false;
  }
  return true;
}

void watch(const std::string& name, const Description& description) {
  Arena arena(description, 0);
  const auto type = description.type.engine();
  const auto both = [&] {
    return move(arena, description, type.handle(), arena.payload_bytes()) &&
           move(arena, description, type.handle(), kChunkBytes);
  };
  const bool warm = both();
  gapless::test::watch_calls();
  const bool good = both();
  const auto calls = gapless::test::end_watch();
  ++messages;
  if (warm && good && calls.ours == 0 && calls.others == 0) return;
  ++failures;
  std::fprintf(stderr, "FAILED: %s, %s, %lld bytes: %s, %d calls of the engine, %d of others\n", name.c_str(),
               description.name.c_str(), static_cast<long long>(arena.payload_bytes()),
               warm && good ? "moved" : "not moved", calls.ours, calls.others);
  gapless::test::print_watched_calls();
}

}  // namespace

int main() {
  Cases cases;
  add_layouts(cases);
  add_ddtbench(cases);
  add_matrices(cases);
  add_lists(cases, kCacheBytes);
  for (const Case& one : cases) {
    for (const std::int64_t payload : kPayloads) {
      for (const Description& description : one.make(payload).descriptions) watch(one.name, description);
      if (!one.scales) break;
    }
  }
  std::printf("%zu cases, %d messages, %d failures\n", cases.size(), messages, failures);
  return messages > 0 && failures == 0 ? 0 : 1;
}
