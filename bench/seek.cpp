// seek: what it costs to begin in the middle of a message, through the engine's C interface.
//
//   seek BLOCKS REPETITIONS [FIRST]
//
// Prints one JSON line per case. `first_ns` and `last_ns`: one byte packed from near the first and near the last
// position of the stream; a sample is the mean of a batch of calls at different positions, the two kinds in turn.
// `whole_ns` and `chunked_ns`: the whole stream in one call and in calls of 8 KB, in turn, after their bytes were
// compared.
// `iov_first_ns` and `iov_last_ns`: a list of one entry from the first run and from the last, as above. `iov_whole_ns`
// and `iov_windows_ns`: the whole list in one call and in windows of 1024 entries, as above.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "gapless/gapless.h"
#include "irregular.h"
#include "samples.h"

namespace {

constexpr std::int64_t kChunkBytes = 8192;
constexpr std::int64_t kWindow = 1024;  // entries
constexpr int kBatch = 64;              // calls a sample: the clock must not show
constexpr int kBatchesEach = 8;         // batches a repetition: single bytes are quick

void check(gapless_status status) {
  if (status != GAPLESS_SUCCESS) fail(gapless_last_error());
}

gapless_type named(const char* name) {
  gapless_type type;
  check(gapless_type_named(name, &type));
  return type;
}

struct Message {
  gapless_type type;
  std::vector<double> buffer;
  std::int64_t bytes;

  std::int64_t pack(std::int64_t position, void* packed, std::int64_t budget) const {
    std::int64_t moved = 0;
    check(gapless_pack(buffer.data(), 1, type, position, packed, budget, &moved));
    return moved;
  }
  void pack_chunked(char* packed) const {
    for (std::int64_t at = 0; at < bytes;) at += pack(at, packed + at, kChunkBytes);
  }
  struct Listed {
    std::int64_t entries, bytes;
  };
  Listed list(std::int64_t position, gapless_iov* entries, std::int64_t limit) const {
    Listed listed{0, 0};
    check(gapless_iov_export(buffer.data(), 1, type, position, entries, limit, &listed.entries, &listed.bytes));
    return listed;
  }
  // Returns the number of entries.
  std::int64_t list_windows(gapless_iov* entries) const {
    std::int64_t count = 0;
    for (std::int64_t at = 0; at < bytes;) {
      const Listed listed = list(at, entries + count, kWindow);
      count += listed.entries;
      at += listed.bytes;
    }
    return count;
  }
};

void verify(const Message& message, const std::vector<double>& expected) {
  std::vector<char> whole(static_cast<std::size_t>(message.bytes)), chunked(whole.size(), 'x');
  if (message.pack(0, whole.data(), message.bytes) != message.bytes) fail("a pack of the whole message ends early");
  if (std::memcmp(whole.data(), expected.data(), whole.size()) != 0) fail("the packed bytes are wrong");
  message.pack_chunked(chunked.data());
  if (whole != chunked) fail("the chunks are not the bytes of the whole");
  for (std::int64_t k = 0; k < kBatch && k < message.bytes; ++k) {
    char first, last;
    message.pack(k, &first, 1);
    message.pack(message.bytes - 1 - k, &last, 1);
    if (first != whole[static_cast<std::size_t>(k)] || last != whole[whole.size() - 1 - static_cast<std::size_t>(k)])
      fail("a single byte is wrong");
  }
}

// The entries of the whole list, after it was compared with what was packed and with the windows.
std::vector<gapless_iov> verified_list(const Message& message, const std::vector<double>& expected) {
  std::vector<gapless_iov> whole(expected.size()), windows(expected.size());
  const auto listed = message.list(0, whole.data(), static_cast<std::int64_t>(whole.size()));
  if (listed.bytes != message.bytes) fail("a list of the whole message ends early");
  if (message.list_windows(windows.data()) != listed.entries) fail("the windows are not the list");
  whole.resize(static_cast<std::size_t>(listed.entries));
  const char* packed = reinterpret_cast<const char*>(expected.data());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    if (std::memcmp(whole[i].base, packed, static_cast<std::size_t>(whole[i].length)) != 0) fail("an entry is wrong");
    if (windows[i].base != whole[i].base || windows[i].length != whole[i].length) fail("a window's entry is wrong");
    packed += whole[i].length;
  }
  const auto last = message.list(message.bytes - whole.back().length, windows.data(), kWindow);
  if (last.entries != 1 || windows[0].base != whole.back().base) fail("the last entry alone is wrong");
  return whole;
}

// Mean nanoseconds of a list of one entry.
double single_entries(const Message& message, std::int64_t position) {
  gapless_iov entry;
  const double start = now_ns();
  for (int k = 0; k < kBatch; ++k) message.list(position, &entry, 1);
  return (now_ns() - start) / kBatch;
}

// Mean nanoseconds of one call, over a batch at the positions from, from + step, ...
double single_bytes(const Message& message, std::int64_t from, std::int64_t step) {
  char byte;
  const double start = now_ns();
  for (int k = 0; k < kBatch; ++k) message.pack(from + k * step, &byte, 1);
  return (now_ns() - start) / kBatch;
}

template <class Call>
double timed(Call call) {
  const double start = now_ns();
  call();
  return now_ns() - start;
}

void print(const char* name, const std::vector<double>& samples) {
  print_samples(name, samples.data(), static_cast<int>(samples.size()));
}

void measure(const char* name, int blocks, const Message& message, const std::vector<double>& expected,
             int repetitions) {
  verify(message, expected);
  std::vector<double> first, last, whole, chunked;
  for (int i = 0; i < repetitions * kBatchesEach; ++i) {
    first.push_back(single_bytes(message, i % 8, 1));
    last.push_back(single_bytes(message, message.bytes - 1 - i % 8, -1));
  }
  std::vector<char> packed(static_cast<std::size_t>(message.bytes));
  for (int i = 0; i < repetitions; ++i) {
    const auto in_one = [&] { whole.push_back(timed([&] { message.pack(0, packed.data(), message.bytes); })); };
    const auto in_chunks = [&] { chunked.push_back(timed([&] { message.pack_chunked(packed.data()); })); };
    if (i % 2 == 0) in_one();
    in_chunks();
    if (i % 2 == 1) in_one();
  }
  std::vector<gapless_iov> list = verified_list(message, expected);
  const auto entries = static_cast<std::int64_t>(list.size());
  std::vector<double> iov_first, iov_last, iov_whole, iov_windows;
  const std::int64_t last_run = message.bytes - list.back().length;
  for (int i = 0; i < repetitions * kBatchesEach; ++i) {
    iov_first.push_back(single_entries(message, 0));
    iov_last.push_back(single_entries(message, last_run));
  }
  for (int i = 0; i < repetitions; ++i) {
    const auto in_one = [&] { iov_whole.push_back(timed([&] { message.list(0, list.data(), entries); })); };
    const auto windowed = [&] { iov_windows.push_back(timed([&] { message.list_windows(list.data()); })); };
    if (i % 2 == 0) in_one();
    windowed();
    if (i % 2 == 1) in_one();
  }
  std::printf("{\"case\": \"%s\", \"blocks\": %d, \"bytes\": %lld, \"chunk_bytes\": %lld, \"verified\": true", name,
              blocks, static_cast<long long>(message.bytes), static_cast<long long>(kChunkBytes));
  print("first_ns", first);
  print("last_ns", last);
  print("whole_ns", whole);
  print("chunked_ns", chunked);
  print("iov_first_ns", iov_first);
  print("iov_last_ns", iov_last);
  print("iov_whole_ns", iov_whole);
  print("iov_windows_ns", iov_windows);
  std::printf("}\n");
  std::fflush(stdout);
}

void measure_irregular(int which, int blocks, int repetitions) {
  Irregular list = make_irregular(which, blocks);
  std::vector<double> buffer(static_cast<std::size_t>(list.span)), expected;
  for (std::size_t i = 0; i < buffer.size(); ++i) buffer[i] = static_cast<double>(i);
  std::vector<std::int64_t> lengths(list.lengths, list.lengths + blocks), displacements;
  for (int i = 0; i < blocks; ++i) {
    displacements.push_back(list.displacements[i] * static_cast<std::int64_t>(list.unlike ? sizeof(double) : 1));
    for (int k = 0; k < list.lengths[i]; ++k) expected.push_back(list.displacements[i] + k);
  }
  gapless_type element = named("double");
  Message message{nullptr, std::move(buffer), list.elements * static_cast<std::int64_t>(sizeof(double))};
  check(list.unlike ? gapless_type_hindexed(blocks, lengths.data(), displacements.data(), element, &message.type)
                    : gapless_type_indexed_block(blocks, 1, displacements.data(), element, &message.type));
  measure(list.name, blocks, message, expected, repetitions);
  check(gapless_type_free(&message.type));
  check(gapless_type_free(&element));
  free_irregular(&list);
}

// As the tiled layout of the ping-pong: 8 bytes of every 16.
void measure_vector(int blocks, int repetitions) {
  gapless_type element = named("double");
  Message message{nullptr, {}, blocks * static_cast<std::int64_t>(sizeof(double))};
  std::vector<double> expected;
  for (int i = 0; i < 2 * blocks; ++i) message.buffer.push_back(i);
  for (int i = 0; i < blocks; ++i) expected.push_back(2 * i);
  check(gapless_type_vector(blocks, 1, 2, element, &message.type));
  measure("vector", blocks, message, expected, repetitions);
  check(gapless_type_free(&message.type));
  check(gapless_type_free(&element));
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments = parse_arguments(argc, argv);
  constexpr int kCases = kIrregularCases + 1;
  for (int i = 0; i < kCases; ++i) {
    const int which = (arguments.first + i) % kCases;
    if (which < kIrregularCases)
      measure_irregular(which, arguments.blocks, arguments.repetitions);
    else
      measure_vector(static_cast<int>(arguments.blocks * std::int64_t{320} / 1000), arguments.repetitions);
  }
  return 0;
}
