// A process that is killed at a random moment of random traffic, again and again. Its peer must be told within seconds,
// and keep nothing: no memory, no descriptor, no file.
//
//   channel_kills [--kills N] [--seed S] [--provider NAME]
#include <dirent.h>
#include <malloc.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "channel/team.hpp"
#include "support/random_number.hpp"

namespace gapless::test {
namespace {

constexpr double kToldWithin = 5;
constexpr int kNothing = 0, kBegin = 1, kOpened = 2, kEnd = 3;

// What the survivor and the one that starts and kills the others tell each other. The others are forked by a process
// that never uses libfabric.
struct Shared {
  std::atomic<int> state, round;
  std::atomic<std::uint64_t> seed;
  char place[64];
};

struct Op {
  bool to_survivor;
  std::int64_t bytes;
  int type;
  std::uint64_t seed;
};
// The same on both sides.
std::vector<Op> ops_of(std::uint64_t seed) {
  Random random(seed);
  std::vector<Op> ops;
  for (std::int64_t k = random.between(2, 12); k > 0; --k)
    ops.push_back({random.chance(50), random.chance(40) ? random.between(0, 8000) : random.between(8000, 300'000),
                   static_cast<int>(random.between(0, 2)), random.next()});
  return ops;
}
const char* const kTypes[] = {"byte", "resized(0, 3, byte)", "hvector(10, 1, 2, byte)"};
const char* const kWays[] = {"adaptive", "host", "lists", "segments"};

// Posts all operations of a round, and waits for each. Returns how many were told that the peer has ended; -1: its data
// are wrong, or the time was over.
int traffic(const ChannelHandle& channel, std::uint64_t seed, int peer, bool is_survivor) {
  const std::vector<Op> ops = ops_of(seed);
  std::vector<Memory> memory;
  std::vector<std::unique_ptr<Made>> types;
  std::vector<GAPLESS_Transfer> all;
  for (const char* text : kTypes) types.push_back(std::make_unique<Made>(text));
  for (const Op& op : ops) {
    const bool is_in = op.to_survivor == is_survivor;
    const std::int64_t count = op.type == 2 ? op.bytes / 10 : op.bytes;
    memory.push_back(is_in ? Memory(static_cast<std::size_t>(3 * op.bytes + 20), 'x')
                           : filled(static_cast<std::size_t>(3 * op.bytes + 20), op.seed));
    const Made& type = *types[static_cast<std::size_t>(op.type)];
    all.push_back(is_in ? receive(channel, memory.back().data(), count, type, peer)
                        : send(channel, memory.back().data(), count, type, peer));
  }
  int told = 0;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const int status = GAPLESS_Channel_wait(channel.get(), &all[k], kToldWithin, nullptr);
    if (status == GAPLESS_CHANNEL_ERR_PEER) {
      ++told;
      continue;
    }
    if (status != 0) {
      std::fprintf(stderr, "a wait ended with %d: %s\n", status, GAPLESS_Channel_last_error());
      return -1;
    }
    if (ops[k].to_survivor != is_survivor) continue;
    Memory wanted(memory[k].size(), 'x');
    const Memory sent = filled(memory[k].size(), ops[k].seed);
    const std::int64_t bytes = ops[k].type == 2 ? ops[k].bytes / 10 * 10 : ops[k].bytes;
    const std::size_t stride = ops[k].type == 0 ? 1 : ops[k].type == 1 ? 3 : 0;
    for (std::size_t b = 0; b < static_cast<std::size_t>(bytes); ++b) {
      const std::size_t at = stride != 0 ? b * stride : b / 10 * 19 + b % 10 * 2;
      wanted[at] = sent[at];
    }
    if (wanted == memory[k]) continue;
    std::fprintf(stderr, "the data of message %zu are wrong\n", k);
    return -1;
  }
  return told;
}

[[noreturn]] void be_victim(Shared& shared, const std::string& provider) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  try {
    const std::uint64_t seed = shared.seed;
    Job job;
    job.place = shared.place;
    const ChannelHandle channel = job.open(1, 2, provider, kWays[seed % 4]);
    shared.state = kOpened;
    // Round after round, until it is killed.
    for (std::uint64_t k = 0;; ++k)
      if (traffic(channel, mixed(seed, k), 0, false) < 0) break;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "victim: %s\n", error.what());
  }
  for (;;) pause();
}

// Starts a victim whenever it is asked for one, and kills it some time after it has opened its channel.
[[noreturn]] void be_killer(Shared& shared, const std::string& provider) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (;;) {
    while (shared.state == kNothing) usleep(200);
    if (shared.state == kEnd) _exit(0);
    const pid_t victim = fork();
    if (victim == 0) be_victim(shared, provider);
    while (shared.state == kBegin) usleep(200);
    Random random(shared.seed);
    usleep(static_cast<useconds_t>(random.chance(20) ? random.between(0, 1000) : random.between(0, 150'000)));
    kill(victim, SIGKILL);
    waitpid(victim, nullptr, 0);
    remove_shared_memory_of(victim);
    shared.state = kNothing;
  }
}

int descriptors() {
  int count = 0;
  DIR* const folder = opendir("/proc/self/fd");
  while (readdir(folder) != nullptr) ++count;
  closedir(folder);
  return count;
}
// Not what the process has: an allocator keeps what was freed.
std::int64_t used_bytes() {
  const struct mallinfo2 all = mallinfo2();
  return static_cast<std::int64_t>(all.uordblks + all.hblkhd);
}

int run(std::int64_t kills, std::uint64_t seed, const std::string& provider) {
  auto& shared =
      *new (mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) Shared{};
  const pid_t killer = fork();
  if (killer == 0) be_killer(shared, provider);
  int first_descriptors = 0;
  std::int64_t told = 0, whole = 0, first_bytes = 0;
  double longest = 0;
  bool is_good = true;
  const std::int64_t warm = std::max<std::int64_t>(kills / 4, 5);
  for (std::int64_t k = 0; k < kills && is_good; ++k) {
    const Job job;
    std::snprintf(shared.place, sizeof shared.place, "%s", job.place.c_str());
    shared.seed = mixed(seed, static_cast<std::uint64_t>(k));
    shared.state = kBegin;
    {
      const ChannelHandle channel = job.open(0, 2, provider, kWays[shared.seed % 4]);
      int result = 0;
      for (std::uint64_t round = 0; result == 0; ++round) {
        const bool is_over = shared.state == kNothing;
        const double begin = seconds();
        result = traffic(channel, mixed(shared.seed, round), 1, true);
        if (is_over) longest = std::max(longest, seconds() - begin);
        whole += result == 0;
      }
      told += result;
      is_good = result > 0;
      if (!is_good)
        std::fprintf(stderr, "kill %lld failed: replay with --seed %llu\n", static_cast<long long>(k),
                     static_cast<unsigned long long>(seed));
    }
    while (shared.state != kNothing) usleep(200);
    if (k + 1 == warm) {
      first_descriptors = descriptors();
      first_bytes = used_bytes();
    }
  }
  shared.state = kEnd;
  waitpid(killer, nullptr, 0);
  const int last_descriptors = descriptors();
  const std::int64_t grown = used_bytes() - first_bytes;
  std::printf(
      "%lld kills of %s: %lld rounds whole, %lld transfers told; memory grew by %lld KiB after the first %lld, "
      "descriptors from %d to %d\n",
      static_cast<long long>(kills), provider.c_str(), static_cast<long long>(whole), static_cast<long long>(told),
      static_cast<long long>(grown / 1024), static_cast<long long>(warm), first_descriptors, last_descriptors);
  if (last_descriptors > first_descriptors) is_good = false, std::fprintf(stderr, "descriptors were left open\n");
  for (const std::filesystem::path& path : shared_memory_of(getpid()))
    is_good = false, std::fprintf(stderr, "%s is left\n", path.c_str());
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  if (grown > 1 << 20) is_good = false, std::fprintf(stderr, "memory is kept\n");
#endif
  return is_good ? 0 : 1;
}

}  // namespace
}  // namespace gapless::test

int main(int argc, char** argv) {
  std::int64_t kills = 20;
  std::uint64_t seed = 1;
  std::string provider = "tcp";
  for (int k = 1; k + 1 < argc; k += 2) {
    const std::string name = argv[k], text = argv[k + 1];
    if (name == "--kills")
      kills = std::stoll(text);
    else if (name == "--seed")
      seed = std::stoull(text);
    else if (name == "--provider")
      provider = text;
    else
      return std::fprintf(stderr, "unknown option %s\n", name.c_str()), 2;
  }
  const int status = gapless::test::run(kills, seed, provider);
  if (status == 0) std::printf("passed: %lld kills\n", static_cast<long long>(kills));
  return status;
}
