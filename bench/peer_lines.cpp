// peer_lines: what it costs to write what another core has read, and to pack into it.
//
//   peer_lines ROUNDS [FIRST]
//
// Two threads on two processors: one writes a buffer and the other reads it, in turn, each case in memory of its own.
// Prints one JSON line per case: of each round what the writer and the reader took, in ns. "store": lines stored one
// by one. "pack": parts of 96 KB of vector(n, A, 2 A, int), packed through the caches, or past them. "cores": how much
// longer both threads take for arithmetic together than alone; 2 where the processors are one core's.
// FIRST: the case to begin with.
#include <sched.h>
#include <sys/mman.h>
#include <cstdint>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "../lab/peer_lines.hpp"
#include "move/past.hpp"
#include "notation/parse.hpp"
#include "samples.h"

namespace {

using gapless::lab::PeerLines;
using gapless::lab::Store;
namespace move = gapless::move;
namespace plan = gapless::plan;

constexpr std::int64_t kPartBytes = 96 * 1024, kPayloadBytes = 2560000;
constexpr int kPartLines = static_cast<int>(kPartBytes / 64);

// The calling thread, on the nth of the processors that the program may use.
void pin(int nth) {
  static const cpu_set_t allowed = [] {
    cpu_set_t all;
    if (sched_getaffinity(0, sizeof all, &all) != 0 || CPU_COUNT(&all) < 2) fail("two processors are needed");
    return all;
  }();
  int processor = -1;
  while (nth >= 0)
    if (CPU_ISSET(++processor, &allowed)) --nth;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(processor, &one);
  if (sched_setaffinity(0, sizeof one, &one) != 0) fail("a processor is refused");
}

struct Samples {
  std::vector<double> writer, reader;
};

// The reader, which is a thread of its own, reads each time all lines.
template <class Write>
Samples in_turn(int lines, int rounds, Write write) {
  const std::size_t bytes = PeerLines::shared_bytes(lines);
  void* const shared = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) fail("no memory");
  Samples samples;
  std::thread peer([&] {
    pin(1);
    samples.reader = PeerLines(shared, lines).read(rounds);
  });
  PeerLines own(shared, lines);
  samples.writer = write(own);
  peer.join();
  munmap(shared, bytes);
  return samples;
}

void print(const char* kind, const std::string& name, const char* way, int lines, const Samples& samples) {
  std::printf("{\"kind\": \"%s\", \"case\": \"%s\", \"way\": \"%s\", \"lines\": %d", kind, name.c_str(), way, lines);
  print_samples("writer_ns", samples.writer.data(), static_cast<int>(samples.writer.size()));
  print_samples("reader_ns", samples.reader.data(), static_cast<int>(samples.reader.size()));
  std::puts("}");
  std::fflush(stdout);
}

void store(int lines, int rounds) {
  for (const Store way : {Store::kPlain, Store::kPast})
    print("store", std::to_string(lines) + " lines", way == Store::kPlain ? "plain" : "past", lines,
          in_turn(lines, rounds, [&](PeerLines& own) { return own.write(way, rounds); }));
}

using Pack = std::int64_t (*)(const plan::Plan&, std::int64_t, const void*, std::int64_t, void*, std::int64_t) noexcept;

void pack(int blocklength, int rounds) {
  const std::int64_t count = kPayloadBytes / (4 * blocklength);
  const std::string type = "vector(" + std::to_string(count) + ", " + std::to_string(blocklength) + ", " +
                           std::to_string(2 * blocklength) + ", int32)";
  const plan::PlanPtr compiled = plan::compile(*gapless::notation::parse(type));
  std::vector<std::int32_t> source(static_cast<std::size_t>(2 * count * blocklength));
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<std::int32_t>(i);
  std::vector<char> plain(static_cast<std::size_t>(compiled->size())), past(plain.size());
  move::pack(*compiled, 1, source.data(), 0, plain.data(), compiled->size());
  move::pack_past(*compiled, 1, source.data(), 0, past.data(), compiled->size());
  if (plain != past) fail("the two ways pack different bytes");
  const Pack ways[] = {move::pack_near, move::pack_past};
  for (const Pack& way : ways) {
    const auto write = [&](PeerLines& own) {
      std::int64_t at = 0;
      return own.each_round(rounds, 0, [&] {
        way(*compiled, 1, source.data(), at, own.bytes(), kPartBytes);
        at = at + 2 * kPartBytes <= compiled->size() ? at + kPartBytes : 0;
      });
    };
    print("pack", "A = " + std::to_string(blocklength), &way == ways ? "plain" : "past", kPartLines,
          in_turn(kPartLines, rounds, write));
  }
}

double arithmetic_ns() {
  const double begin = now_ns();
  std::uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6;
  for (int i = 0; i < 2000000; ++i) {
    a += 1, b += 1, c += 1, d += 1, e += 1, f += 1;
    asm volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f));
  }
  return now_ns() - begin;
}

void cores() {
  arithmetic_ns();
  const double alone = arithmetic_ns();
  double other = 0;
  std::thread peer([&] {
    pin(1);
    arithmetic_ns();
    other = arithmetic_ns();
  });
  arithmetic_ns();
  const double own = arithmetic_ns();
  peer.join();
  std::printf("{\"kind\": \"cores\", \"together\": %.3f}\n", (own < other ? own : other) / alone);
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 0, first = argc > 2 ? std::atoi(argv[2]) : 0;
  if (rounds < 1 || rounds > 100000 || first < 0) {
    std::fprintf(stderr, "usage: %s ROUNDS [FIRST]\n", argv[0]);
    return 2;
  }
  pin(0);
  cores();
  constexpr int kStores[] = {256, 2048, 16384}, kBlocks[] = {1, 2, 3, 5, 10, 16, 25, 100, 250, 1000};
  constexpr int kCases = std::size(kStores) + std::size(kBlocks);
  for (int i = 0; i < kCases; ++i) {
    const int chosen = (i + first) % kCases;
    if (chosen < static_cast<int>(std::size(kStores)))
      store(kStores[chosen], rounds);
    else
      pack(kBlocks[chosen - static_cast<int>(std::size(kStores))], rounds);
  }
  return 0;
}
