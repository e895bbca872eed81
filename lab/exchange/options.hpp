// The command line.
#pragma once

#include <string>

namespace gapless::lab::exchange {

struct Options {
  std::string job;
  bool validate = false;
};

struct ParseResult {
  bool run;  // false: print `text` and leave with `exit_code`
  int exit_code;
  std::string text;  // help or an error message
  Options options;
};

ParseResult parse_options(int argc, char** argv);

}  // namespace gapless::lab::exchange
