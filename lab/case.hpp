// The messages of `gapless measure pingpong` and `gapless bench p2p`. A case is one message, described in one or
// several ways that all carry the same payload.
#pragma once

#include "ddtbench.hpp"
#include "layouts.hpp"
#include "payload.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace gapless::lab {

// Which cases are wanted.
struct Choice {
  std::vector<std::string> families{"tests"};
  bool all_layouts = false;                 // of the tests, also those of Expectation Tests 2, 10 and 11, and every A
  bool quick = false;                       // fewer A
  std::string filter;                       // a part of the name
  std::vector<int> sizes{3200, 2'560'000};  // of the tests [bytes]
  bool has(const std::string& family) const {
    return std::find(families.begin(), families.end(), family) != families.end();
  }
};

// The message of a case.
struct Subject {
  Exchange exchange;
  std::vector<ByteRun> sent, received;  // what the type maps of its descriptions must be
  std::string element = "int32";        // what its payload is sent as where it is contiguous
  std::int64_t element_bytes = kIntBytes;
  std::vector<std::string> skipped;  // descriptions left out, and why
  std::string refused;               // why the whole case is, or empty
};

struct Case {
  std::string name;    // "tiled/v1/A=2/2560000", "WRF_y/2x2"
  std::string family;  // "tests", "applications", "larger", "ghost", "found"
  std::string layout;  // "tiled", "WRF_y"
  int variant = 0;     // 0, 0, 0: a layout that has one form and size
  int a = 0;
  int bytes = 0;  // the size asked for; the true payload is the largest number of whole units in it
  std::function<Subject()> make;
};

std::vector<Case> make_cases(const Choice& choice);

// What `count` elements of a type are, literally; neighbours in packing order that are neighbours in memory are one.
std::vector<ByteRun> runs_of(const TypeSpec& type, int count);

}  // namespace gapless::lab
