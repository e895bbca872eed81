// One file for each process that the layer reached, in GAPLESS_RUN_DIR: <host>.<pid>.json.
#pragma once

#include <string>

namespace gapless::preload {

struct RunFile {
  std::string abi;
  std::string library;  // first line of MPI_Get_library_version
  std::string native;   // why everything stays native; empty if it does not
  int world_rank = -1;  // -1, 0: no world was initialised (sessions), or it is not known yet
  int world_size = 0;
  bool agreed = false;        // the world: collective calls may be changed; the reason is in `agreement`
  std::string agreement;      // empty: nobody asked
  std::string unshared;       // why this process shares no memory with those of its node; empty if it does
  std::string rules;          // the file of rules that is in force; empty: the built-in ones are
  std::string rules_refused;  // one that is not, and why
  std::string stats;          // JSON, or empty
  std::string refused;        // settings that hold nothing known; empty if none does
};

// Writes or replaces the file of this process; nothing happens without GAPLESS_RUN_DIR, or if it cannot be written.
void write_run_file(const RunFile& file) noexcept;

// The path of a file of this process in GAPLESS_RUN_DIR, <host>.<pid><ending>; empty without one.
std::string run_file_path(const char* ending);

// Appends it as one line, in one write, to a file that several processes share; says so on standard error if it cannot.
void append_run_line(const RunFile& file, const char* path) noexcept;

// The first line of a text, without white space at its ends.
std::string first_line(const char* text);
std::string host_name();
// As a string of JSON.
std::string quoted(const std::string& text);

}  // namespace gapless::preload
