// whole_messages: moves a message of BLOCKS doubles, every other one, N times, whole (pack_all, unpack_all) or as a
// part that happens to be all of it (pack, unpack), so that the instructions of a message can be counted:
//
//   valgrind --tool=callgrind whole_messages pack_all 8 1000
//   valgrind --tool=callgrind whole_messages pack_all 8 101000
//
// (instructions of the second - instructions of the first) / 100000 is the cost of one message.
#include <cstdlib>
#include <string>
#include <vector>

#include "move/move.hpp"
#include "notation/parse.hpp"
#include "samples.h"

int main(int argc, char** argv) {
  using namespace gapless;
  if (argc != 4) fail("usage: whole_messages pack_all|pack|unpack_all|unpack BLOCKS N");
  const std::string call = argv[1], blocks = argv[2];
  const bool whole = call.ends_with("_all"), packs = call.starts_with("pack");
  const plan::PlanPtr plan = plan::compile(*notation::parse("vector(" + blocks + ", 1, 2, double)"));
  std::vector<char> user(static_cast<std::size_t>(plan->extent())), packed(static_cast<std::size_t>(plan->size()));
  for (long n = std::atol(argv[3]); n > 0; --n) {
    if (packs && whole) move::pack_all(*plan, 1, user.data(), packed.data());
    if (packs && !whole) move::pack(*plan, 1, user.data(), 0, packed.data(), plan->size());
    if (!packs && whole) move::unpack_all(*plan, 1, user.data(), packed.data());
    if (!packs && !whole) move::unpack(*plan, 1, user.data(), 0, packed.data(), plan->size());
  }
  return 0;
}
