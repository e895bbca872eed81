#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gapless::bench {

struct Options {
  std::vector<std::string> cases;   // patterns with * and ?; none: all
  std::vector<std::string> rivals;  // the same, on their names
  std::vector<std::int64_t> sizes;  // payloads [bytes] of the cases that scale
  std::vector<std::string> operations{"pack", "unpack"};
  std::string temperature = "both";  // warm, cold or both
  int repetitions = 31;
  int launch = 1;
  int core = -1;  // -1: the last one that this process may use
  bool quick = false, list = false, serialised = false;
};

// What a program measures, and so which options mean anything to it.
enum class Extent { kContest, kCopy };

// Exits where the arguments are wrong or ask for help; `what` says in it what the program does.
Options read_options(int argc, char** argv, const char* what, Extent extent);

bool matches(const std::vector<std::string>& patterns, const std::string& name);

}  // namespace gapless::bench
