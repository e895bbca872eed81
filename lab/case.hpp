// The plan of a launch: which groups there are. A group is one message, described in one or several ways; its methods
// all carry the same payload and are compared with one another.
#pragma once

#include "ddtbench.hpp"
#include "layouts.hpp"
#include "options.hpp"
#include "payload.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gapless::lab {

// The message of a group.
struct Subject {
  Exchange exchange;
  std::vector<ByteRun> sent, received;  // what the type maps of its descriptions must be
  bool ints = true;                     // whether its payload is sent as MPI_INT where it is contiguous, or as MPI_BYTE
  std::optional<Layout> layout;         // where there are loops by hand
  std::vector<std::string> skipped;     // descriptions left out, and why
  std::string refused;                  // why the whole group is, or empty
};

struct Case {
  std::string name;    // "tiled/v1/A=2/2560000", "WRF_y/2x2"
  std::string family;  // of --layouts
  std::string layout;  // "tiled", "WRF_y"
  int variant = 0;     // 0, 0, 0: a layout that has one form and size
  int a = 0;
  int bytes = 0;  // the size asked for; the true payload is the largest number of whole units in it
  std::function<Subject()> make;
};

std::vector<Case> make_cases(const Options& options);

// What `count` elements of a type are, literally; neighbours in packing order that are neighbours in memory are one.
std::vector<ByteRun> runs_of(const TypeSpec& type, int count);

}  // namespace gapless::lab
