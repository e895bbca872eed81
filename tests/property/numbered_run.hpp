// A test over numbered random cases on several threads: its arguments, its run, which shows where it is and can be
// interrupted and resumed, and its failures, each with the command that replays it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace gapless::test {

struct NumberedOptions {
  std::int64_t cases = 100'000, from = 0;
  std::uint64_t seed = 20'240'611;
  unsigned threads = 2;
  bool one = false;  // only the case of `seed`
};

// What a test is told: [--CASES N] [--from K] [--seed S] [--threads T], what it adds to that, or --one SEED.
class Arguments {
 public:
  Arguments(std::string program, const char* cases, NumberedOptions& options);
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  void add(const char* name, std::int64_t& into);
  void add(const char* name, double& into);
  // An argument without a value, which makes it `value`.
  void add_flag(const char* name, bool& into, bool value);

  // False: one was not understood, and stderr says which ones there are.
  bool parse(int argc, char** argv) const;

 private:
  struct One {
    std::string name;
    bool has_value;
    std::function<bool(const char* text)> take;  // false: it is none
  };
  std::string program_;
  std::vector<One> all_;
};

// Each is a line "FAILED: ...". May be told by several threads.
class Failures {
 public:
  explicit Failures(std::string program) : program_(std::move(program)) {}

  // Of the case of a seed; `described` are lines, none or each with its end.
  void add(const std::string& what, const std::string& described, std::uint64_t seed);
  // Of the whole run.
  void add(const std::string& what);

  bool any() const { return count_ > 0; }
  // So many that more would say nothing new.
  bool enough() const { return count_ >= 10; }
  // Prints the last line and returns the exit status: 0, 1, or 130 where nothing failed before the run was interrupted.
  int finish(bool finished) const;

 private:
  std::string program_;
  std::mutex mutex_;
  std::atomic<int> count_{0};
};

// Calls work(thread, seed) with a seed for each of the numbered cases, ascending, on the threads of `options`, until
// all are done or `failures` are enough. On a terminal, a line on stderr says how far it is. Ctrl-C: cases begun are
// finished, no others are begun, and a line says with which --from to resume. Returns whether all were begun.
bool numbered_run(const NumberedOptions& options, const Failures& failures,
                  const std::function<void(unsigned thread, std::uint64_t seed)>& work);

}  // namespace gapless::test
