// What is measured: messages, each with its descriptions and its loop by hand.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hand.hpp"
#include "lab/layouts.hpp"

namespace gapless::bench {

using lab::TypeSpec;

// One way to describe the message.
struct Description {
  std::string name;
  int count;
  TypeSpec type;
};

// One message. The first description is the one that all rivals are compared with; the others say the same bytes.
struct Message {
  std::vector<Description> descriptions;
  HandLoops hand;
  HandArguments hand_arguments;
  std::shared_ptr<const std::vector<std::int32_t>> list;  // what hand_arguments point at
};

struct Case {
  std::string name;   // e.g. "tiled/v1/A=2"
  std::string group;  // which targets it has: layout, ddtbench, column, transpose, list, memory_list, small
  bool scales;        // made for any payload; else it has one of its own
  bool quick;         // part of the quick benchmark
  // The message with at most so many bytes of payload; no descriptions if not one unit fits.
  std::function<Message(std::int64_t payload_bytes)> make;
};

using Cases = std::vector<Case>;

void add_layouts(Cases& into);
void add_ddtbench(Cases& into);
void add_matrices(Cases& into);
// `cache_bytes`: the last cache, which lists "from memory" exceed ten times.
void add_lists(Cases& into, std::int64_t cache_bytes);

}  // namespace gapless::bench
