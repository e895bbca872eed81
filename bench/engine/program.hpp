// What the programs of this folder share: their main, the processor that they stay on, their lines.
#pragma once

#include <nlohmann/json.hpp>

#include "case.hpp"
#include "options.hpp"

namespace gapless::bench {

// A line of its own on stdout, at once.
void print(const nlohmann::json& line);

bool is_chosen(const Case& of, const Options& options);

// From here on this process stays on one processor, that of --core. Prints the line "start": which processor, library
// and kernels, the last cache, and `more`.
void start(const Options& options, const nlohmann::json& more = nlohmann::json::object());

struct Program {
  const char* name;
  const char* what;  // it does, for --help
  Extent extent;     // the options that it has
  void (*run)(const Options&);
};

// Runs it within MPI and returns its exit status: an exception is a line on stderr.
int run_program(const Program& program, int argc, char** argv);

}  // namespace gapless::bench
