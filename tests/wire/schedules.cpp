// All interleavings of small cases of the protocol (wire/control.hpp), by the ends that the product has
// (wire/message.hpp), in the memory model of C++ (explorer.hpp): each receiver must get all parts in order and whole,
// no two may touch the same data without an order between them, from each state all must come to an end, and at the end
// all chunks and records are free. A sender comes to its end with no receiver.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "wire/agent.hpp"
#include "wire/control.hpp"
#include "wire/explorer.hpp"
#include "wire/message.hpp"

namespace gapless::test {

namespace {

using wire::Control;
using wire::Step;

enum class Patience { kAlways, kNever, kAny };  // kAny: for each part both are tried

struct Case {
  const char* name;
  std::uint32_t readers, running;  // some receivers may never run
  int messages, parts, chunks;
  Patience patience;
  bool is_window_three = false;
  int received = 2;  // messages, by each receiver
};

constexpr std::int64_t kPartBytes = 2;

// Of each run of an agent a new one: it holds nothing, but says which words and data there are.
struct Memory {
  static constexpr int kRecords = 2, kChunks = 6, kMessages = 2;
  static constexpr int kWords = 3 * (kRecords + kChunks) + kMessages;

  Memory() {
    for (int k = 0; k < kRecords + kChunks; ++k) {
      Control<ScriptedWord>& control = k < kRecords ? records[k] : chunks[k - kRecords];
      control.readers.set_place(readers_of(k));
      control.link.set_place(3 * k + 1);
      control.pulls.set_place(3 * k + 2);
    }
    for (int k = 0; k < kMessages; ++k) posted[k].set_place(3 * (kRecords + kChunks) + k);
  }
  static int readers_of(int control) { return 3 * control; }

  Control<ScriptedWord>& record(int, std::uint32_t k) { return records[k]; }
  Control<ScriptedWord>& chunk(int, std::uint32_t k) { return chunks[k]; }
  char* data(int, std::uint32_t k) { return places + k; }
  bool is_known(int, std::uint32_t k) const { return k < kChunks; }
  wire::Stores& stores(int) { return costs; }  // no message here is a trial

  Control<ScriptedWord> records[kRecords], chunks[kChunks];
  // Stands for the letterboxes: the record of a message, plus 1.
  ScriptedWord posted[kMessages] = {ScriptedWord(0), ScriptedWord(0)};
  char places[kChunks];
  wire::Stores costs;
};

wire::Ticket ticket_of(const Case& given, std::uint32_t record) {
  return {.process = 0, .record = record, .bytes = given.parts * kPartBytes - 1, .part_bytes = kPartBytes};
}
std::uint32_t contents(int message, std::int64_t part) {
  return static_cast<std::uint32_t>(16 * message + part + 1);
}
bool is_part(const Case& given, std::int64_t part, std::int64_t position, std::int64_t bytes) {
  return position == part * kPartBytes && bytes == kPartBytes - (part == given.parts - 1 ? 1 : 0);
}

// A pool by the rule of wire/pool.hpp, which waits where that one refuses.
class TestPool {
 public:
  // False: not now.
  bool take(const Case& given, Memory& memory, wire::Lease& lease) {
    lease = {};
    const auto is_free = [](bool is_lent, const Control<ScriptedWord>& control) {
      return !is_lent || control.is_free();
    };
    while (lease.record < Memory::kRecords && !is_free(lent_records_[lease.record], memory.records[lease.record])) {
      ++lease.record;
    }
    if (lease.record == Memory::kRecords) return false;
    for (int k = 0; k < given.chunks && static_cast<int>(lease.chunks.size()) < given.parts; ++k) {
      if (is_free(lent_[k], memory.chunks[k])) lease.chunks.push_back(static_cast<std::uint32_t>(k));
    }
    return static_cast<int>(lease.chunks.size()) == given.parts;
  }
  void lend(const wire::Lease& lease, std::uint32_t used) {
    lent_records_[lease.record] = true;
    for (std::size_t k = 0; k < lease.chunks.size(); ++k) lent_[lease.chunks[k]] = k < used;
  }

 private:
  bool lent_records_[Memory::kRecords] = {}, lent_[Memory::kChunks] = {};
};

template <std::int64_t kTurns>
void send(const Case& given, Script& script) {
  Memory memory;
  TestPool pool;
  for (int message = 0; message < given.messages; ++message) {
    wire::Lease lease;
    script.look();
    if (!pool.take(given, memory, lease)) return script.wait();
    if (script.is_over()) return;
    const wire::Ticket ticket = ticket_of(given, lease.record);
    wire::Outgoing<Memory, kTurns> outgoing(memory, lease, ticket, given.readers);
    memory.posted[message].store(lease.record + 1, std::memory_order_release);
    for (std::int64_t part = 0; part < given.parts;) {
      script.look();
      const bool patience =
          given.patience == Patience::kAlways ||
          (given.patience == Patience::kAny && part >= kTurns && script.act({.act = Act::kChoose}) != 0);
      const Step step = outgoing.advance(patience, [&](std::int64_t position, const char* to, std::int64_t bytes) {
        if (!is_part(given, part, position, bytes)) script.fail("another part is packed");
        script.act(
            {.act = Act::kWrite, .place = static_cast<int>(to - memory.places), .value = contents(message, part)});
      });
      if (script.is_over()) return;
      if (step == Step::kWaits && !patience) return script.fail("the sender waits without patience");
      if (step == Step::kWaits) return script.wait();
      if (step != Step::kMoved) return script.fail("the sender moves nothing");
      ++part;
    }
    if (!outgoing.is_done()) return script.fail("the sender is not done");
    pool.lend(outgoing.lease(), outgoing.used_chunks());
  }
}

void receive(const Case& given, Script& script) {
  Memory memory;
  for (int message = 0; message < std::min(given.messages, given.received); ++message) {
    script.look();
    const std::uint32_t posted = memory.posted[message].load(std::memory_order_acquire);
    if (script.is_over()) return;
    if (posted == 0) return script.wait();
    wire::Incoming<Memory> incoming(memory, ticket_of(given, posted - 1));
    for (std::int64_t part = 0; part < given.parts;) {
      script.look();
      const Step step = incoming.advance([&](std::int64_t position, const char* from, std::int64_t bytes) {
        if (!is_part(given, part, position, bytes)) script.fail("another part is unpacked");
        const auto found = script.act({.act = Act::kRead, .place = static_cast<int>(from - memory.places)});
        if (found != contents(message, part)) script.fail("a part holds what is not its own");
      });
      if (script.is_over()) return;
      if (step == Step::kWaits) return script.wait();
      if (step != Step::kMoved) return script.fail("the receiver moves nothing");
      ++part;
    }
    if (!incoming.is_done()) return script.fail("the receiver is not done");
  }
}

bool receives_all(const Case& given) {
  return given.running == given.readers && given.received >= given.messages;
}

bool passes(const Case& given) {
  std::vector<Agent> agents;
  agents.emplace_back([&](Script& script) { given.is_window_three ? send<3>(given, script) : send<2>(given, script); });
  for (std::uint32_t k = 0; k < given.running; ++k)
    agents.emplace_back([&](Script& script) { receive(given, script); });
  std::vector<int> zero_at_end;
  for (int k = 0; k < Memory::kRecords + Memory::kChunks && receives_all(given); ++k) {
    zero_at_end.push_back(Memory::readers_of(k));
  }
  const Explored explored = explore(agents, Memory::kWords, Memory::kChunks, zero_at_end);
  if (!explored.failure.empty()) {
    std::printf("FAILED: %s: %s\n", given.name, explored.failure.c_str());
    std::fflush(stdout);
  } else if (!(explored.schedules > 0)) {
    std::printf("FAILED: %s: no schedule comes to an end\n", given.name);
  } else {
    std::printf("%-60s %9.3g schedules, %8lld states\n", given.name, explored.schedules,
                static_cast<long long>(explored.states));
    return true;
  }
  return false;
}

constexpr Case kCases[] = {
    {"one part", 1, 1, 1, 1, 1, Patience::kAny},
    {"parts as many as the window", 1, 1, 1, 2, 2, Patience::kAny},
    {"any patience", 1, 1, 1, 5, 5, Patience::kAny},
    {"a window of three", 1, 1, 1, 6, 6, Patience::kAny, true},
    {"patience without end", 1, 1, 1, 6, 6, Patience::kAlways},
    {"no patience", 1, 1, 1, 5, 5, Patience::kNever},
    {"a receiver that never runs", 1, 0, 1, 5, 5, Patience::kAlways},
    {"two messages, chunks for one", 1, 1, 2, 3, 3, Patience::kAny},
    {"two messages, some chunks left", 1, 1, 2, 3, 4, Patience::kAny},
    {"two messages, patience without end", 1, 1, 2, 4, 5, Patience::kAlways},
    {"a receiver of one message out of two", 1, 1, 2, 3, 4, Patience::kAlways, false, 1},
    {"two receivers, any patience", 2, 2, 1, 4, 4, Patience::kAny},
    {"two receivers, patience without end", 2, 2, 1, 4, 4, Patience::kAlways},
    {"two receivers of which one never runs", 2, 1, 1, 4, 4, Patience::kAlways},
    {"two receivers, two messages", 2, 2, 2, 2, 3, Patience::kNever},
    {"two receivers, two messages, chunks for one", 2, 2, 2, 3, 3, Patience::kAlways},
};

}  // namespace

}  // namespace gapless::test

int main() {
  bool good = true;
  for (const auto& given : gapless::test::kCases) good = gapless::test::passes(given) && good;
  return good ? 0 : 1;
}
