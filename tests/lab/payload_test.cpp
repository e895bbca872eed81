// Payloads written and checked through the brief form of their places, against run by run.
#include "lab/payload.hpp"

#include <algorithm>
#include <cstring>
#include <random>

#include "gtest/gtest.h"

namespace gapless::lab {
namespace {

std::vector<char> literal(const std::vector<ByteRun>& runs, std::size_t memory, int rank, std::uint32_t version) {
  std::vector<char> made(memory, 'g');
  std::int64_t position = 0;
  for (const ByteRun& run : runs)
    for (std::int64_t i = 0; i < run.bytes; ++i, ++position) {
      const std::uint32_t word = payload_word(rank, version, static_cast<std::uint32_t>(position / 4));
      std::memcpy(made.data() + run.displacement_bytes + i, reinterpret_cast<const char*>(&word) + position % 4, 1);
    }
  return made;
}

void expect_as_written_out(const std::vector<ByteRun>& runs, std::size_t memory) {
  const PayloadPlaces places(runs);
  std::vector<char> written(memory, 'g');
  places.write(written.data(), 1, 7);
  EXPECT_EQ(written, literal(runs, memory, 1, 7));
  // By hand: the payload in packing order, and back to where it was.
  std::vector<char> packed(static_cast<std::size_t>(places.bytes())), back(memory, 'g');
  places.gather(written.data(), packed.data());
  EXPECT_EQ(packed, literal({{0, places.bytes()}}, packed.size(), 1, 7));
  places.scatter(packed.data(), back.data());
  EXPECT_EQ(back, written);
}

TEST(Payload, OneRunTwoRunsAndListsAreWrittenAsWrittenOut) {
  std::vector<ByteRun> tiles, pairs, odd, list, nest;
  for (int i = 0; i < 100; ++i) {
    tiles.push_back({i * 16, 8});
    pairs.insert(pairs.end(), {{i * 64, 12}, {i * 64 + 20, 20}});
    odd.push_back({i * 32, 30});
    list.push_back({(i * 37 % 100) * 24, i % 2 == 0 ? 24 : 8});
  }
  for (int k = 0; k < 5; ++k)
    for (int j = 0; j < 12; ++j) nest.push_back({k * 1000 + j * 40, 4});
  for (const auto& runs : {tiles, pairs, odd, list, nest}) expect_as_written_out(runs, 6400);
}

TEST(Payload, RandomRunsAreWrittenAsWrittenOut) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<ByteRun> runs;
    std::int64_t at = random() % 9;
    while (at < 3000) {
      const std::int64_t bytes = random() % 4 == 0 ? 1 + random() % 19 : 8, stride = bytes + random() % 3 * 4;
      for (std::uint32_t i = random() % 20 + 1; i > 0; --i, at += stride) runs.push_back({at, bytes});
    }
    if (trial % 2 == 0) std::shuffle(runs.begin(), runs.end(), random);
    expect_as_written_out(runs, 4096);
  }
}

TEST(Payload, VersionsDifferInEveryWord) {
  for (std::uint32_t version = 1; version < 1000; ++version)
    EXPECT_NE(payload_word(0, version, 5), payload_word(0, version - 1, 5));
}

}  // namespace
}  // namespace gapless::lab
