// Messages between two processes against the type maps: random pairs of layouts, by each way.
//
//   channel_pairs_test [--pairs N] [--from K] [--seed S] [--provider NAME] [--way WAY]
//   channel_pairs_test --one SEED [--provider NAME] [--way WAY]
//
// Each pair is a layout to send, another one to receive, of as many bytes or more, and a number of elements. Messages
// go both ways, several at a time. Every byte of the receiver's memory is compared, gaps and margins too.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "channel/job.hpp"
#include "gapless/gapless_channel.h"
#include "notation/print.hpp"
#include "support/fitting_type.hpp"
#include "support/oracle.hpp"
#include "support/random_type.hpp"

namespace gapless::test {
namespace {

constexpr std::int64_t kMargin = 64;
constexpr std::int64_t kMaxBytes = 200'000;
constexpr unsigned char kGap = 0xA5;

void must(int status, const char* what) {
  if (status != 0) throw std::runtime_error(std::string(what) + ": " + GAPLESS_Channel_last_error());
}

struct Side {
  layout::LayoutPtr type;
  gapless_type handle = nullptr;
  std::int64_t count = 1;
  std::vector<std::int64_t> bytes;  // places, from the lowest one on
  std::int64_t low = 0, span = 0;
  std::vector<unsigned char> memory;

  Side(layout::LayoutPtr of, std::int64_t elements) : type(std::move(of)), count(elements) {
    if (gapless_type_parse(notation::print(*type).c_str(), &handle) != GAPLESS_SUCCESS)
      throw std::runtime_error(gapless_last_error());
    bytes = Oracle(*type).byte_displacements(count);
    if (bytes.empty()) return;
    const auto [least, most] = std::minmax_element(bytes.begin(), bytes.end());
    low = *least;
    span = *most + 1 - low;
    for (std::int64_t& byte : bytes) byte -= low;
  }
  ~Side() { gapless_type_free(&handle); }
  Side(const Side&) = delete;
  Side& operator=(const Side&) = delete;

  bool overlaps() const {
    std::vector<std::int64_t> sorted = bytes;
    std::sort(sorted.begin(), sorted.end());
    return std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
  }
  void allocate() { memory.assign(static_cast<std::size_t>(span + 2 * kMargin), kGap); }
  unsigned char* at(std::int64_t byte) { return memory.data() + kMargin + byte; }
  void* base() { return memory.data() + kMargin - low; }
};

unsigned char value(std::uint64_t seed, std::size_t k) {
  return static_cast<unsigned char>((seed + k * 0x9E3779B97F4A7C15ULL) >> 37);
}

struct Pair {
  std::uint64_t seed;
  std::unique_ptr<Side> from, to;
  std::size_t bytes = 0;  // of the message
};

Pair draw(std::uint64_t seed) {
  for (Random random(seed);;) {
    Pair pair{seed, nullptr, nullptr};
    layout::LayoutPtr type =
        random.chance(50) ? fitting_type(random, random.mostly_small(1, 6000)) : random_type(random.next());
    const std::int64_t size = type->size;
    const std::int64_t most = size == 0 ? 3 : std::max<std::int64_t>(1, kMaxBytes / size);
    pair.from = std::make_unique<Side>(type, random.chance(40) ? random.between(1, std::min<std::int64_t>(most, 40))
                                                               : random.between(1, std::min<std::int64_t>(most, 3)));
    pair.bytes = pair.from->bytes.size();
    if (pair.bytes > kMaxBytes || pair.from->span > 16 * kMaxBytes) continue;
    const std::int64_t extra = random.chance(20) ? random.between(1, 500) : 0;
    const std::int64_t room = std::max<std::int64_t>(1, static_cast<std::int64_t>(pair.bytes) + extra);
    pair.to =
        std::make_unique<Side>(random.chance(15) ? layout::contiguous(room, layout::named(*layout::find_named("byte")))
                                                 : fitting_type(random, room),
                               1);
    if (pair.to->span > 16 * kMaxBytes || pair.to->overlaps()) continue;
    return pair;
  }
}

void compare(Pair& pair) {
  std::vector<unsigned char> expected(pair.to->memory.size(), kGap);
  for (std::size_t k = 0; k < pair.bytes; ++k)
    expected[static_cast<std::size_t>(kMargin + pair.to->bytes[k])] = value(pair.seed, k);
  if (expected == pair.to->memory) return;
  const auto at = std::mismatch(expected.begin(), expected.end(), pair.to->memory.begin()).first - expected.begin();
  throw std::runtime_error("byte " + std::to_string(at - kMargin) + " of the memory is wrong: replay with --one " +
                           std::to_string(pair.seed) + "\nfrom " + std::to_string(pair.from->count) + " " +
                           notation::print(*pair.from->type) + "\nto " + notation::print(*pair.to->type));
}

struct Arguments {
  std::int64_t pairs = 200, from = 0;
  std::uint64_t seed = 1, one = 0;
  std::string provider = "tcp", way = "adaptive";
};

void run(const Arguments& arguments, const Job& job, int rank) {
  const ChannelHandle channel = job.open(rank, 2, arguments.provider, arguments.way);
  std::int64_t done = 0;
  for (std::int64_t k = arguments.from; done < arguments.pairs; ++k) {
    Random random(mixed(arguments.seed, static_cast<std::uint64_t>(k)));
    const std::int64_t together = arguments.one != 0 ? 1 : random.between(1, 5);
    struct Moving {
      Pair pair;
      bool is_out;
      GAPLESS_Transfer transfer = nullptr;
    };
    std::vector<Moving> all;
    for (std::int64_t m = 0; m < together; ++m)
      all.push_back({draw(arguments.one != 0 ? arguments.one : random.next()), (random.chance(50) ? 0 : 1) == rank});
    // One pair in three is sent more than once from the same memory: what is kept of it must still be true.
    const int times = random.chance(33) ? 4 : 1;
    for (Moving& one : all) (one.is_out ? one.pair.from : one.pair.to)->allocate();
    for (int time = 0; time < times; ++time) {
      for (Moving& one : all) {
        if (one.is_out) {
          for (std::size_t b = 0; b < one.pair.bytes; ++b)
            *one.pair.from->at(one.pair.from->bytes[b]) = value(one.pair.seed, b);
          // Where runs overlap, the message has what was written last.
          must(GAPLESS_Channel_send(channel.get(), one.pair.from->base(), one.pair.from->count, one.pair.from->handle,
                                    1 - rank, &one.transfer),
               "send");
        } else {
          std::fill(one.pair.to->memory.begin(), one.pair.to->memory.end(), kGap);
          must(GAPLESS_Channel_receive(channel.get(), one.pair.to->base(), one.pair.to->count, one.pair.to->handle,
                                       1 - rank, &one.transfer),
               "receive");
        }
      }
      for (Moving& one : all) {
        std::int64_t bytes = -1;
        must(GAPLESS_Channel_wait(channel.get(), &one.transfer, -1, &bytes), "wait");
        if (bytes != static_cast<std::int64_t>(one.pair.bytes)) throw std::runtime_error("a wrong number of bytes");
        if (one.is_out) continue;
        if (one.pair.from->overlaps()) {
          // What the sender's memory says in the end, by the type map.
          std::vector<unsigned char> memory(static_cast<std::size_t>(one.pair.from->span));
          for (std::size_t b = 0; b < one.pair.bytes; ++b)
            memory[static_cast<std::size_t>(one.pair.from->bytes[b])] = value(one.pair.seed, b);
          for (std::size_t b = 0; b < one.pair.bytes; ++b) {
            unsigned char* place = one.pair.to->at(one.pair.to->bytes[b]);
            if (*place != memory[static_cast<std::size_t>(one.pair.from->bytes[b])])
              throw std::runtime_error("wrong data: --one " + std::to_string(one.pair.seed));
            *place = value(one.pair.seed, b);
          }
        }
        compare(one.pair);
      }
    }
    done += together;
  }
  GAPLESS_Channel_counters counted;
  must(GAPLESS_Channel_count(channel.get(), &counted, sizeof counted), "count");
  if (counted.frames_refused != 0) throw std::runtime_error("frames were refused");
  if (rank == 0)
    std::printf(
        "%s, %s: %lld eager, %lld host, %lld lists, %lld segments; %lld layouts shown, %lld known, %lld "
        "registrations\n",
        GAPLESS_Channel_provider(channel.get()), arguments.way.c_str(), static_cast<long long>(counted.eager),
        static_cast<long long>(counted.host), static_cast<long long>(counted.lists),
        static_cast<long long>(counted.segments), static_cast<long long>(counted.layouts_shown),
        static_cast<long long>(counted.layouts_known), static_cast<long long>(counted.registrations));
}

}  // namespace
}  // namespace gapless::test

int main(int argc, char** argv) {
  using namespace gapless::test;
  Arguments arguments;
  for (int k = 1; k + 1 < argc; k += 2) {
    const std::string name = argv[k], text = argv[k + 1];
    if (name == "--pairs")
      arguments.pairs = std::stoll(text);
    else if (name == "--from")
      arguments.from = std::stoll(text);
    else if (name == "--seed")
      arguments.seed = std::stoull(text);
    else if (name == "--one")
      arguments.one = std::stoull(text), arguments.pairs = 1;
    else if (name == "--provider")
      arguments.provider = text;
    else if (name == "--way")
      arguments.way = text;
    else
      return std::fprintf(stderr, "unknown option %s\n", name.c_str()), 2;
  }
  const Job job;
  const int status = run_ranks(2, [&](int rank) { run(arguments, job, rank); });
  if (status == 0) std::printf("passed: %lld pairs\n", static_cast<long long>(arguments.pairs));
  return status;
}
