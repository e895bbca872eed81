#include "property/numbered_run.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "support/random_number.hpp"

namespace gapless::test {
namespace {

volatile std::sig_atomic_t interrupted = 0;

// The second Ctrl-C ends the program at once.
void interrupt(int) {
  interrupted = 1;
  std::signal(SIGINT, SIG_DFL);
}

class ProgressLine {
 public:
  ProgressLine(std::int64_t from, std::int64_t to)
      : from_(from), to_(to), shown_(isatty(STDERR_FILENO) != 0), start_(Clock::now()), last_(start_) {}
  ~ProgressLine() {
    if (shown_) std::fprintf(stderr, "\r\033[K");
  }
  void at(std::int64_t i) {
    if (!shown_ || i % 64 != 0) return;
    const std::lock_guard lock(mutex_);
    const auto now = Clock::now();
    if (now - last_ < std::chrono::milliseconds(500)) return;
    last_ = now;
    const double seconds = std::chrono::duration<double>(now - start_).count();
    const double left =
        seconds * static_cast<double>(to_ - i) / static_cast<double>(std::max<std::int64_t>(1, i - from_));
    std::fprintf(stderr, "\r%lld of %lld, %.0f s, %.0f s to go \033[K", static_cast<long long>(i),
                 static_cast<long long>(to_), seconds, left);
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::int64_t from_, to_;
  bool shown_;
  Clock::time_point start_, last_;
  std::mutex mutex_;
};

bool take(const char* text, std::int64_t& into) {
  char* end = nullptr;
  into = std::strtoll(text, &end, 0);
  return end != text && *end == '\0' && into >= 0;
}

}  // namespace

Arguments::Arguments(std::string program, const char* cases, NumberedOptions& options) : program_(std::move(program)) {
  add(cases, options.cases);
  add("--from", options.from);
  const auto seed = [&options](const char* text) {
    char* end = nullptr;
    options.seed = std::strtoull(text, &end, 0);
    return end != text && *end == '\0';
  };
  all_.push_back({"--seed", true, seed});
  all_.push_back({"--threads", true, [&options](const char* text) {
                    std::int64_t threads = 0;
                    const bool taken = take(text, threads);
                    options.threads = static_cast<unsigned>(std::clamp<std::int64_t>(threads, 1, 1024));
                    return taken;
                  }});
  all_.push_back({"--one", true, [&options, seed](const char* text) {
                    options.one = true;
                    return seed(text);
                  }});
}

void Arguments::add(const char* name, std::int64_t& into) {
  all_.push_back({name, true, [&into](const char* text) { return take(text, into); }});
}

void Arguments::add(const char* name, double& into) {
  all_.push_back({name, true, [&into](const char* text) {
                    char* end = nullptr;
                    into = std::strtod(text, &end);
                    return end != text && *end == '\0' && into >= 0;
                  }});
}

void Arguments::add_flag(const char* name, bool& into, bool value) {
  all_.push_back({name, false, [&into, value](const char*) {
                    into = value;
                    return true;
                  }});
}

bool Arguments::parse(int argc, char** argv) const {
  for (int i = 1; i < argc; ++i) {
    const auto one = std::find_if(all_.begin(), all_.end(), [&](const One& of) { return of.name == argv[i]; });
    if (one != all_.end() && (!one->has_value || i + 1 < argc) && one->take(one->has_value ? argv[i + 1] : argv[i])) {
      i += one->has_value ? 1 : 0;
      continue;
    }
    std::string usage;
    for (const One& of : all_) usage += " [" + of.name + (of.has_value ? " N]" : "]");
    std::fprintf(stderr, "%s: what is '%s'?\nusage: %s%s\n", program_.c_str(), argv[i], program_.c_str(),
                 usage.c_str());
    return false;
  }
  return true;
}

void Failures::add(const std::string& what, const std::string& described, std::uint64_t seed) {
  const std::lock_guard lock(mutex_);
  ++count_;
  std::printf("FAILED: %s\n%s  replay: %s --one %llu\n", what.c_str(), described.c_str(), program_.c_str(),
              static_cast<unsigned long long>(seed));
  std::fflush(stdout);
}

void Failures::add(const std::string& what) {
  const std::lock_guard lock(mutex_);
  ++count_;
  std::printf("FAILED: %s\n", what.c_str());
}

int Failures::finish(bool finished) const {
  std::printf("%s: %d failures\n", any() ? "FAILED" : finished ? "passed" : "interrupted", count_.load());
  return any() ? 1 : finished ? 0 : 130;
}

bool numbered_run(const NumberedOptions& options, const Failures& failures,
                  const std::function<void(unsigned thread, std::uint64_t seed)>& work) {
  interrupted = 0;
  const auto before = std::signal(SIGINT, interrupt);
  std::atomic<std::int64_t> next{options.from};
  {
    ProgressLine line(options.from, options.cases);
    const auto loop = [&](unsigned thread) {
      while (!interrupted && !failures.enough()) {
        const std::int64_t i = next++;
        if (i >= options.cases) return;
        line.at(i);
        work(thread, mixed(options.seed, static_cast<std::uint64_t>(i)));
      }
    };
    std::vector<std::thread> others;
    for (unsigned thread = 1; thread < options.threads; ++thread) others.emplace_back(loop, thread);
    loop(0);
    for (std::thread& other : others) other.join();
  }
  std::signal(SIGINT, before);
  if (interrupted)
    std::fprintf(stderr, "\ninterrupted: resume with --from %lld\n",
                 static_cast<long long>(std::min<std::int64_t>(next, options.cases)));
  return next >= options.cases;
}

}  // namespace gapless::test
