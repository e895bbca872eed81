// The command line of the ping-pong.
#pragma once

#include <cstdint>
#include <string>

namespace gapless::lab {

struct Options {
  int launch = 0;
  std::uint64_t seed = 1;
  bool quick = false;
  int reps_large = 0;  // filled in by parse_options if the user does not say
  int reps_small = 0;
  std::string filter;
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
