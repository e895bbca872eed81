// All interleavings of a sender that offers its messages and a receiver that pulls them, by the ends that the product
// has (wire/offer.hpp, wire/message.hpp), in the memory model of C++ (explorer.hpp): whatever each of them decides, the
// receiver gets all data, nobody touches data without an order between them, all come to an end, and the record is free
// then. A sender comes to its end with no receiver.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "wire/agent.hpp"
#include "wire/explorer.hpp"
#include "wire/message.hpp"

namespace gapless::test {

namespace {

using wire::Control;
using wire::Offer;
using wire::Step;

enum class Copies { kAlone, kShared, kRefuses, kAny };  // kAny: alone or not at all

struct Case {
  const char* name;
  bool has_receiver;
  int messages;
  Copies copies;
  bool patience = false;  // the sender waits for ever for a receiver to begin
};

constexpr std::int64_t kBytes = wire::kLeastShared + 1;  // two parts if both copy, one if it is packed

// Data: the user's buffer of the sender, in two parts, the receiver's, and a chunk.
enum Place { kSource, kTarget = 2, kChunk = 4, kPlaces };

struct Memory {
  static constexpr int kMessages = 2, kChunks = 2, kWordsEach = 6;
  static constexpr int kWords = kWordsEach * (1 + kChunks) + kMessages;
  Memory() {
    for (int k = 0; k <= kChunks; ++k) {
      Control<ScriptedWord>& control = k == 0 ? records : chunks[k - 1];
      control.readers.set_place(kWordsEach * k);
      control.link.set_place(kWordsEach * k + 1);
      control.pulls.set_place(kWordsEach * k + 2);
      control.offer.set_place(kWordsEach * k + 3);
      control.taken.set_place(kWordsEach * k + 4);
      control.copied.set_place(kWordsEach * k + 5);
    }
    for (int k = 0; k < kMessages; ++k) posted[k].set_place(kWordsEach * (1 + kChunks) + k);
  }
  Control<ScriptedWord>& record(int, std::uint32_t) { return records; }
  Control<ScriptedWord>& chunk(int, std::uint32_t k) { return chunks[k]; }
  char* data(int, std::uint32_t) { return places + kChunk; }
  bool is_known(int, std::uint32_t k) const { return k < kChunks; }
  wire::Stores& stores(int) { return costs; }  // no message here is a trial

  Control<ScriptedWord> records, chunks[kChunks];
  ScriptedWord posted[kMessages] = {ScriptedWord(0), ScriptedWord(0)};  // stands for the headers
  char places[kPlaces];
  wire::Stores costs;
};

const wire::Ticket kTicket{.process = 0, .record = 0, .bytes = kBytes, .part_bytes = kBytes};

std::uint32_t contents(int message, int part) {
  return static_cast<std::uint32_t>(16 * message + part + 1);
}

std::uint32_t read(Script& script, int place) {
  return script.act({.act = Act::kRead, .place = place});
}
void write(Script& script, int place, std::uint32_t value) {
  script.act({.act = Act::kWrite, .place = place, .value = value});
}
void copy_part(Script& script, std::int64_t position) {
  const int part = position == 0 ? 0 : 1;
  write(script, kTarget + part, read(script, kSource + part));
}

void send(const Case& given, Script& script) {
  Memory memory;
  bool was_packed = false;
  for (int message = 0; message < given.messages; ++message) {
    // The record and chunk of a packed message must have come back, as the pool sees to it; it does not look at those
    // of one that was delivered.
    script.look();
    if (was_packed && (!memory.records.is_free() || !memory.chunks[0].is_free())) {
      if (script.is_over()) return;
      return script.wait();
    }
    if (script.is_over()) return;
    for (int part = 0; part < 2; ++part) write(script, kSource + part, contents(message, part));
    wire::Outgoing<Memory> outgoing(memory, {.record = 0, .chunks = {0}}, kTicket, 1);
    outgoing.offer();
    memory.posted[message].store(1, std::memory_order_release);
    bool has_helped = false, is_mine = false, is_over = false;
    while (!is_mine && !is_over) {
      script.look();
      const Offer found = outgoing.look();
      if (script.is_over()) return;
      switch (found) {
        case Offer::kDelivered:
          is_over = true;
          break;
        case Offer::kShared:
          if (!has_helped) {
            outgoing.help([&](std::int64_t position, std::int64_t) { copy_part(script, position); });
            if (script.is_over()) return;
            has_helped = true;
            break;
          }
          return script.wait();
        case Offer::kOffered:
          if (given.patience || script.act({.act = Act::kChoose}) == 0) return script.wait();
          is_mine = outgoing.take_back();
          break;
        case Offer::kRefused:
          is_mine = outgoing.take_back();
          if (!is_mine && !script.is_over()) return script.fail("a refused message is not the sender's");
          break;
        case Offer::kPulled:
          return script.wait();
        case Offer::kPacked:
          return script.fail("somebody else packs it");
      }
      if (script.is_over()) return;
    }
    was_packed = is_mine;
    if (!is_mine) continue;
    outgoing.advance(false, [&](std::int64_t, const char*, std::int64_t) {
      for (int part = 0; part < 2; ++part) read(script, kSource + part);
      write(script, kChunk, contents(message, 0));
    });
    if (script.is_over()) return;
  }
}

void receive(const Case& given, Script& script) {
  Memory memory;
  for (int message = 0; message < given.messages; ++message) {
    script.look();
    if (memory.posted[message].load(std::memory_order_acquire) == 0) {
      if (script.is_over()) return;
      return script.wait();
    }
    if (script.is_over()) return;
    wire::Incoming<Memory> incoming(memory, kTicket);
    bool is_left = false;
    incoming.pull([&] {
      if (given.copies == Copies::kShared) {
        incoming.share({}, [&](std::int64_t position, std::int64_t) { copy_part(script, position); });
        script.look();
        if (script.is_over()) return true;
        if (!incoming.is_all_copied()) {
          is_left = true;
          script.wait();
        }
        return true;
      }
      if (given.copies == Copies::kRefuses) return false;
      if (given.copies == Copies::kAny && script.act({.act = Act::kChoose}) != 0) return false;
      for (const int position : {0, 1}) copy_part(script, position);
      return true;
    });
    if (is_left || script.is_over()) return;
    const bool is_pulled = incoming.is_done();
    if (!is_pulled) {
      script.look();
      const Step step = incoming.advance([&](std::int64_t, const char*, std::int64_t) {
        if (read(script, kChunk) != contents(message, 0)) script.fail("another message is unpacked");
      });
      if (script.is_over()) return;
      if (step == Step::kWaits) return script.wait();
      if (step != Step::kMoved) return script.fail("the receiver moves nothing");
      continue;
    }
    for (int part = 0; part < 2; ++part) {
      if (read(script, kTarget + part) != contents(message, part)) script.fail("a part has not come");
    }
    if (script.is_over()) return;
  }
}

constexpr Case kCases[] = {
    {"pulled, or taken back", true, 1, Copies::kAlone},
    {"pulled twice, or taken back", true, 2, Copies::kAlone},
    {"pulled twice, by a patient sender", true, 2, Copies::kAlone, true},
    {"refused", true, 2, Copies::kRefuses, true},
    {"pulled, refused, or taken back", true, 2, Copies::kAny},
    {"shared, or taken back", true, 1, Copies::kShared},
    {"shared twice", true, 2, Copies::kShared, true},
    {"a receiver that never runs", false, 1, Copies::kAlone},
};

bool passes(const Case& given) {
  std::vector<Agent> agents;
  agents.emplace_back([&](Script& script) { send(given, script); });
  if (given.has_receiver) agents.emplace_back([&](Script& script) { receive(given, script); });
  std::vector<int> zero_at_end;
  if (given.has_receiver) zero_at_end = {0, Memory::kWordsEach};
  const Explored explored = explore(agents, Memory::kWords, kPlaces, zero_at_end);
  if (!explored.failure.empty() || !(explored.schedules > 0)) {
    const char* const why = explored.failure.empty() ? "no schedule comes to an end" : explored.failure.c_str();
    std::printf("FAILED: %s: %s\n", given.name, why);
    return false;
  }
  std::printf("%-60s %9.3g schedules, %8lld states\n", given.name, explored.schedules,
              static_cast<long long>(explored.states));
  return true;
}

}  // namespace

}  // namespace gapless::test

int main() {
  bool good = true;
  for (const auto& given : gapless::test::kCases) good = gapless::test::passes(given) && good;
  return good ? 0 : 1;
}
