#include "preload/stats/counters.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>

#include "preload/stats/peers.hpp"
#include "preload/stats/run_file.hpp"
#include "preload/stats/ways.hpp"

namespace gapless::preload {

bool counting_on = false;
bool tallying_on = false;

namespace {

// Nothing but numbers: the array of them is what a file of counters holds behind its first line.
struct Tally {
  std::int64_t accelerated = 0, bytes = 0, plain = 0, pack_ns = 0, unpack_ns = 0;
  std::int64_t paired = 0, paired_sent = 0, paired_received = 0, paired_sent_bytes = 0, paired_received_bytes = 0;
  std::array<std::int64_t, kReasonCount> declined{}, unpaired{};

  std::int64_t calls() const {
    std::int64_t sum = accelerated + plain;
    for (const std::int64_t n : declined) sum += n;
    return sum;
  }
};
constexpr const char* kOtherFieldNames[] = {
    "accelerated", "bytes",       "plain",           "pack_ns",           "unpack_ns",
    "paired",      "paired_sent", "paired_received", "paired_sent_bytes", "paired_received_bytes"};
constexpr int kOtherFields = sizeof kOtherFieldNames / sizeof kOtherFieldNames[0];
constexpr int kNumbers = sizeof(Tally) / sizeof(std::int64_t);
static_assert(kNumbers == kOtherFields + 2 * kReasonCount);

using Tallies = std::array<Tally, kProcedureCount>;

Tallies in_memory{};
Tallies* counted = &in_memory;  // or in a file of the run folder: set once, before the first call

// Any thread adds to any counter, and none is lost: who counts also reads the clock, which costs more.
void add(std::int64_t& counter, std::int64_t n) noexcept {
  __atomic_fetch_add(&counter, n, __ATOMIC_RELAXED);
}

Tally& tally_of(Procedure procedure) noexcept {
  return (*counted)[static_cast<int>(procedure)];
}

Tallies sums() noexcept {
  std::array<std::int64_t, std::size_t{kProcedureCount} * kNumbers> numbers;
  const auto* from = reinterpret_cast<const std::int64_t*>(counted);
  for (std::int64_t& number : numbers) number = __atomic_load_n(from++, __ATOMIC_RELAXED);
  return std::bit_cast<Tallies>(numbers);
}

// What the numbers behind it mean, as one line of JSON whose length is a multiple of theirs.
std::string first_line_of_file() {
  const auto list = [](const char* const* names, int count) {
    std::string text;
    for (int k = 0; k < count; ++k) text += (k == 0 ? "\"" : ",\"") + std::string(names[k]) + '"';
    return text;
  };
  std::string text = "{\"schema\":1,\"fields\":[" + list(kOtherFieldNames, kOtherFields) + "],\"declined\":[" +
                     list(kReasonNames, kReasonCount) + "],\"unpaired\":[" + list(kReasonNames, kReasonCount) +
                     "],\"procedures\":[" + list(kProcedureNames, kProcedureCount) + "]}";
  while (text.size() % sizeof(std::int64_t) != sizeof(std::int64_t) - 1) text += ' ';
  return text + '\n';
}

std::string number(std::int64_t n) {
  return std::to_string(n);
}

using Reasons = std::array<std::int64_t, kReasonCount>;

std::string reasons_json(const Reasons& counts) {
  std::string text;
  for (int r = 0; r < kReasonCount; ++r) {
    if (counts[r] == 0) continue;
    text += (text.empty() ? "\"" : ",\"") + std::string(kReasonNames[r]) + "\":" + number(counts[r]);
  }
  return '{' + text + '}';
}

std::string reasons_text(const Reasons& counts) {
  std::string text;
  for (int r = 0; r < kReasonCount; ++r) {
    if (counts[r] != 0) text += std::string("  ") + kReasonNames[r] + " " + number(counts[r]);
  }
  return text;
}

}  // namespace

void keep_counters() noexcept {
  try {
    const std::string path = run_file_path(".counters"), head = first_line_of_file();
    if (path.empty()) return;
    const std::size_t bytes = head.size() + sizeof(Tallies);
    const int file = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0) return;
    int code;
    do {  // reserved: a page for which there is no room would end the program when it is touched
      code = posix_fallocate(file, 0, static_cast<off_t>(bytes));
    } while (code == EINTR);
    void* const at = code == 0 ? mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
    close(file);
    if (at == MAP_FAILED) {
      unlink(path.c_str());
      return;
    }
    std::memcpy(at, head.data(), head.size());
    counted = new (static_cast<char*>(at) + head.size()) Tallies(sums());
  } catch (...) {  // no memory for the path: they stay where they are
  }
}

void count_accelerated(Procedure procedure, std::int64_t bytes) noexcept {
  Tally& tally = tally_of(procedure);
  add(tally.accelerated, 1);
  add(tally.bytes, bytes);
}

void count_declined(Procedure procedure, Reason reason) noexcept {
  add(tally_of(procedure).declined[static_cast<int>(reason)], 1);
}

void count_call(Procedure procedure) noexcept {
  add(tally_of(procedure).plain, 1);
}

void count_paired(Procedure procedure, const Paired& blocks) noexcept {
  Tally& tally = tally_of(procedure);
  add(tally.paired, 1);
  add(tally.paired_sent, blocks.sent);
  add(tally.paired_received, blocks.received);
  add(tally.paired_sent_bytes, blocks.sent_bytes);
  add(tally.paired_received_bytes, blocks.received_bytes);
}

void count_unpaired(Procedure procedure, Reason reason) noexcept {
  add(tally_of(procedure).unpaired[static_cast<int>(reason)], 1);
}

void count_time(Procedure procedure, bool packs, std::int64_t ns) noexcept {
  Tally& tally = tally_of(procedure);
  add(packs ? tally.pack_ns : tally.unpack_ns, ns);
}

int read_counters(const char* procedure, GAPLESS_Counters* counters) {
  if (!counting()) return 1;
  for (int k = 0; k < kProcedureCount; ++k) {
    if (std::strcmp(procedure, kProcedureNames[k]) != 0) continue;
    const Tally tally = sums()[k];
    *counters = {tally.calls(), tally.accelerated, tally.bytes, tally.paired};
    return 0;
  }
  const std::optional<std::int64_t> messages = received_by(procedure);
  if (!messages) return 1;
  *counters = {*messages, 0, 0, 0};
  return 0;
}

std::string counters_json() {
  const Tallies all = sums();
  std::string text;
  for (int k = 0; k < kProcedureCount; ++k) {
    const Tally& tally = all[k];
    if (tally.calls() == 0) continue;
    text += (text.empty() ? "\"" : ",\"") + std::string(kProcedureNames[k]) + "\":{\"calls\":" + number(tally.calls()) +
            ",\"accelerated\":" + number(tally.accelerated) + ",\"bytes\":" + number(tally.bytes) +
            ",\"pack_ns\":" + number(tally.pack_ns) + ",\"unpack_ns\":" + number(tally.unpack_ns) +
            ",\"declined\":" + reasons_json(tally.declined);
    if (tally.paired != 0) {
      text += ",\"paired\":" + number(tally.paired) + ",\"paired_sent\":" + number(tally.paired_sent) +
              ",\"paired_received\":" + number(tally.paired_received) +
              ",\"paired_sent_bytes\":" + number(tally.paired_sent_bytes) +
              ",\"paired_received_bytes\":" + number(tally.paired_received_bytes);
    }
    const std::string unpaired = reasons_json(tally.unpaired);
    text += (unpaired == "{}" ? "" : ",\"unpaired\":" + unpaired) + "}";
  }
  return "{\"procedures\":{" + text + "},\"shared_memory\":" + shared_memory_json() + "}";
}

std::string counters_table() {
  const Tallies all = sums();
  std::string text;
  char line[200];
  for (int k = 0; k < kProcedureCount; ++k) {
    const Tally& tally = all[k];
    if (tally.calls() == 0) continue;
    std::snprintf(line, sizeof line,
                  "  %-26s %10lld calls %10lld accelerated %14lld bytes %9.3f ms packing %9.3f ms unpacking",
                  kProcedureNames[k], static_cast<long long>(tally.calls()), static_cast<long long>(tally.accelerated),
                  static_cast<long long>(tally.bytes), static_cast<double>(tally.pack_ns) * 1e-6,
                  static_cast<double>(tally.unpack_ns) * 1e-6);
    text += line;
    text += reasons_text(tally.declined) + '\n';
    const std::string unpaired = reasons_text(tally.unpaired);
    if (tally.paired == 0 && unpaired.empty()) continue;
    std::snprintf(line, sizeof line,
                  "  %-26s %10lld paired %10lld blocks sent %14lld bytes %10lld received %14lld bytes", "",
                  static_cast<long long>(tally.paired), static_cast<long long>(tally.paired_sent),
                  static_cast<long long>(tally.paired_sent_bytes), static_cast<long long>(tally.paired_received),
                  static_cast<long long>(tally.paired_received_bytes));
    text += line + (unpaired.empty() ? "" : "  not paired:" + unpaired) + '\n';
  }
  return text + shared_memory_table();
}

}  // namespace gapless::preload
