// A fuzz target without libFuzzer, for any compiler: runs every file named (or in a folder named), then `--random N`
// inputs made from them: mutated, spliced, or plain random bytes. The same on every machine.
//
//   TARGET_smoke [FILE|FOLDER...] [--random N] [--seed S] [--keep FILE]
//
// An input that crashes is left in the FILE of --keep, and replays as TARGET_smoke FILE.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "support/random_number.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
// A sanitizer ends the program without a signal. Null without one.
extern "C" void __sanitizer_set_death_callback(void (*callback)()) __attribute__((weak));

namespace gapless::test::fuzz {
namespace {

using Bytes = std::vector<std::uint8_t>;

const Bytes* current = nullptr;
std::string keep;

// Only what a signal handler may call.
void keep_current() {
  if (current == nullptr || keep.empty()) return;
  const int file = open(keep.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  const bool kept = file >= 0 && write(file, current->data(), current->size()) >= 0;
  const char text[] = "the input is kept: see --keep\n";
  if (kept && write(STDERR_FILENO, text, sizeof text - 1) < 0) return;
  current = nullptr;
}

void crashed(int signal) {
  keep_current();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

std::vector<std::filesystem::path> files_in(const std::filesystem::path& path) {
  if (!std::filesystem::is_directory(path)) return {path};
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

Bytes read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    std::fprintf(stderr, "cannot read %s\n", path.c_str());
    std::exit(2);
  }
  return Bytes(std::istreambuf_iterator<char>(in), {});
}

Bytes random_bytes(Random& random) {
  Bytes bytes(static_cast<std::size_t>(random.between(1, 120)));
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random.next());
  return bytes;
}

std::size_t place(Random& random, const Bytes& bytes) {
  return static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(bytes.size())));
}

void mutate(Random& random, Bytes& bytes, const std::vector<Bytes>& seeds) {
  const std::size_t at = place(random, bytes), other = place(random, bytes);
  const auto from = bytes.begin() + static_cast<std::ptrdiff_t>(std::min(at, other));
  const auto to = bytes.begin() + static_cast<std::ptrdiff_t>(std::min(std::max(at, other), std::min(at, other) + 20));
  switch (random.between(0, 5)) {
    case 0:
      if (at < bytes.size()) bytes[at] = static_cast<std::uint8_t>(random.next());
      break;
    case 1:
      if (at < bytes.size()) bytes[at] = static_cast<std::uint8_t>(bytes[at] ^ 1u << random.between(0, 7));
      break;
    case 2:
      bytes.erase(from, to);
      break;
    case 3: {
      const Bytes part(from, to);
      bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at), part.begin(), part.end());
      break;
    }
    case 4:
      bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at), static_cast<std::uint8_t>(random.next()));
      break;
    default: {  // the end of another seed
      const Bytes& tail = random.pick(seeds);
      const std::size_t cut = place(random, tail);
      bytes.resize(at);
      bytes.insert(bytes.end(), tail.begin() + static_cast<std::ptrdiff_t>(cut), tail.end());
      break;
    }
  }
  if (bytes.size() > 4096) bytes.resize(4096);
}

int run(int argc, char** argv) {
  std::vector<Bytes> seeds;
  std::int64_t random_inputs = 0;
  std::uint64_t seed = 20'240'611;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.rfind("--", 0) != 0) {
      for (const auto& file : files_in(argument)) seeds.push_back(read(file));
      continue;
    }
    if (++i == argc) return std::fprintf(stderr, "%s needs a value\n", argument.c_str()), 2;
    if (argument == "--random") {
      random_inputs = std::atoll(argv[i]);
    } else if (argument == "--seed") {
      seed = std::strtoull(argv[i], nullptr, 0);
    } else if (argument == "--keep") {
      keep = argv[i];
    } else {
      return std::fprintf(stderr, "what is %s?\n", argument.c_str()), 2;
    }
  }
  if (seeds.empty()) return std::fprintf(stderr, "no input\n"), 2;
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) std::signal(signal, crashed);
  if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(keep_current);
  const auto one = [&](const Bytes& bytes) {
    current = &bytes;
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    current = nullptr;
  };
  for (const Bytes& bytes : seeds) one(bytes);
  Random random(seed);
  for (std::int64_t i = 0; i < random_inputs; ++i) {
    Bytes bytes = random.chance(20) ? random_bytes(random) : random.pick(seeds);
    for (std::int64_t steps = random.between(1, 6); steps > 0; --steps) mutate(random, bytes, seeds);
    one(bytes);
  }
  std::printf("passed: %zu seeds and %lld random inputs\n", seeds.size(), static_cast<long long>(random_inputs));
  return 0;
}

}  // namespace
}  // namespace gapless::test::fuzz

int main(int argc, char** argv) {
  return gapless::test::fuzz::run(argc, argv);
}
