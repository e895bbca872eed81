#include "preload/counters.hpp"

#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <mutex>

#include "mpi/per_thread.hpp"

namespace gapless::preload {

bool counting_on = false;

namespace {

struct Tally {
  std::int64_t accelerated = 0, bytes = 0, plain = 0, pack_ns = 0, unpack_ns = 0;
  std::array<std::int64_t, kReasonCount> declined{};

  std::int64_t calls() const {
    std::int64_t sum = accelerated + plain;
    for (const std::int64_t n : declined) sum += n;
    return sum;
  }
};

using Tallies = std::array<Tally, kProcedureCount>;

// Written by one thread, read by any: a load and a store that cannot tear, never a locked instruction.
void add(std::int64_t& counter, std::int64_t n) noexcept {
  __atomic_store_n(&counter, __atomic_load_n(&counter, __ATOMIC_RELAXED) + n, __ATOMIC_RELAXED);
}

void add_all(Tally& sum, const Tally& part) noexcept {
  const auto value = [](const std::int64_t& counter) { return __atomic_load_n(&counter, __ATOMIC_RELAXED); };
  sum.accelerated += value(part.accelerated);
  sum.bytes += value(part.bytes);
  sum.plain += value(part.plain);
  sum.pack_ns += value(part.pack_ns);
  sum.unpack_ns += value(part.unpack_ns);
  for (int k = 0; k < kReasonCount; ++k) sum.declined[k] += value(part.declined[k]);
}

struct ThreadTallies;

struct AllTallies {
  std::mutex mutex;
  ThreadTallies* threads = nullptr;
  Tallies ended{};  // of threads that are no more
};

AllTallies& all_tallies() noexcept {
  static AllTallies* const the = new AllTallies;
  return *the;
}

struct ThreadTallies {
  Tallies tallies{};
  ThreadTallies* next = nullptr;
  ThreadTallies() {
    AllTallies& all = all_tallies();
    const std::lock_guard lock(all.mutex);
    next = all.threads;
    all.threads = this;
  }
  ~ThreadTallies() {
    AllTallies& all = all_tallies();
    const std::lock_guard lock(all.mutex);
    for (int k = 0; k < kProcedureCount; ++k) add_all(all.ended[k], tallies[k]);
    ThreadTallies** link = &all.threads;
    while (*link != this) link = &(*link)->next;
    *link = next;
  }
};

template <class Change>
void change(Procedure procedure, Change&& change_tally) noexcept {
  const int k = static_cast<int>(procedure);
  if (ThreadTallies* const mine = mpi::PerThread<ThreadTallies>::get(); mine != nullptr) {
    change_tally(mine->tallies[k]);
    return;
  }
  AllTallies& all = all_tallies();
  const std::lock_guard lock(all.mutex);
  change_tally(all.ended[k]);
}

Tallies sums() {
  AllTallies& all = all_tallies();
  const std::lock_guard lock(all.mutex);
  Tallies result = all.ended;
  for (const ThreadTallies* thread = all.threads; thread != nullptr; thread = thread->next) {
    for (int k = 0; k < kProcedureCount; ++k) add_all(result[k], thread->tallies[k]);
  }
  return result;
}

std::string number(std::int64_t n) {
  return std::to_string(n);
}

}  // namespace

void count_accelerated(Procedure procedure, std::int64_t bytes) noexcept {
  change(procedure, [bytes](Tally& tally) {
    add(tally.accelerated, 1);
    add(tally.bytes, bytes);
  });
}

void count_declined(Procedure procedure, Reason reason) noexcept {
  change(procedure, [reason](Tally& tally) { add(tally.declined[static_cast<int>(reason)], 1); });
}

void count_call(Procedure procedure) noexcept {
  change(procedure, [](Tally& tally) { add(tally.plain, 1); });
}

void count_time(Procedure procedure, bool packs, std::int64_t ns) noexcept {
  change(procedure, [=](Tally& tally) { add(packs ? tally.pack_ns : tally.unpack_ns, ns); });
}

std::int64_t now_ns() noexcept {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1000000000 + now.tv_nsec;
}

int read_counters(const char* procedure, GAPLESS_Counters* counters) {
  if (!counting()) return 1;
  for (int k = 0; k < kProcedureCount; ++k) {
    if (std::strcmp(procedure, kProcedureNames[k]) != 0) continue;
    const Tally tally = sums()[k];
    *counters = {tally.calls(), tally.accelerated, tally.bytes};
    return 0;
  }
  return 1;
}

std::string counters_json() {
  const Tallies all = sums();
  std::string text;
  for (int k = 0; k < kProcedureCount; ++k) {
    const Tally& tally = all[k];
    if (tally.calls() == 0) continue;
    std::string declined;
    for (int r = 0; r < kReasonCount; ++r) {
      if (tally.declined[r] == 0) continue;
      declined += (declined.empty() ? "\"" : ",\"") + std::string(kReasonNames[r]) + "\":" + number(tally.declined[r]);
    }
    text += (text.empty() ? "\"" : ",\"") + std::string(kProcedureNames[k]) + "\":{\"calls\":" + number(tally.calls()) +
            ",\"accelerated\":" + number(tally.accelerated) + ",\"bytes\":" + number(tally.bytes) +
            ",\"pack_ns\":" + number(tally.pack_ns) + ",\"unpack_ns\":" + number(tally.unpack_ns) + ",\"declined\":{" +
            declined + "}}";
  }
  return "{\"procedures\":{" + text + "}}";
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
    for (int r = 0; r < kReasonCount; ++r) {
      if (tally.declined[r] != 0) text += std::string("  ") + kReasonNames[r] + " " + number(tally.declined[r]);
    }
    text += '\n';
  }
  return text;
}

}  // namespace gapless::preload
