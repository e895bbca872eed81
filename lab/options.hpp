// The command line of the ping-pong.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace gapless::lab {

struct Options {
  int launch = 0;
  std::uint64_t seed = 1;
  bool quick = false;
  int reps_large = 0;  // filled in by parse_options if the user does not say
  int reps_small = 0;
  std::string filter;
  std::vector<std::string> layouts{"tests"};  // families of groups
  bool has(const std::string& family) const {
    return std::find(layouts.begin(), layouts.end(), family) != layouts.end();
  }
  bool all_layouts = false;
  bool basic_only = false;                  // no other description of a layout
  std::vector<int> sizes{3200, 2'560'000};  // [bytes]
  std::vector<int> blocks;                  // A; filled in by parse_options if the user does not say
  std::vector<std::string> methods{"contiguous", "manual", "pack", "native", "gapless"};
  bool fresh = true;  // the sender writes its data before each message
  bool list = false;
};

struct ParseResult {
  bool run;  // false: print `text` and leave with `exit_code`
  int exit_code;
  std::string text;  // help or an error message
  Options options;
};

ParseResult parse_options(int argc, char** argv);

}  // namespace gapless::lab
