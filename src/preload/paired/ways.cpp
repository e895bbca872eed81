#include "preload/paired/ways.hpp"

#include <array>
#include <cstdio>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>

#include "base/clock.hpp"
#include "base/immortal.hpp"
#include "base/settings.hpp"
#include "preload/paired/mapped.hpp"
#include "preload/policy/agreement.hpp"
#include "preload/policy/shared_memory.hpp"
#include "preload/policy/switches.hpp"
#include "preload/stats/log.hpp"
#include "wire/choice.hpp"
#include "wire/patience.hpp"

namespace gapless::preload {

Way wanted_way() noexcept {
  static const Way wanted = [] {
    const char* const text = base::setting_text("GAPLESS_WAY");
    const std::string_view name = text == nullptr ? "" : text;
    if (name == "host") return Way::kHost;
    if (name == "kernel") return Way::kKernel;
    if (name == "entries") return Way::kEntries;
    if (name == "direct") return Way::kDirect;
    return Way::kAdaptive;
  }();
  const int switched = switched_way();
  return switched < 0 ? wanted : static_cast<Way>(switched);
}

namespace {

// What is sent again and again, and the choice for it.
struct Sent {
  int number = -1;
  std::weak_ptr<const mpi::Datatype> type;  // so that no other type can have its address
  std::int64_t count = 0;
  const void* mapped_at = nullptr;  // the buffer, where that is mapped: a program's messages in one cycle differ by it
  wire::Choice choice;
};

// A place for each key; who comes to one that another has begins anew.
struct Choices {
  static constexpr std::size_t kPlaces = 256;
  std::mutex mutex;
  std::array<Sent, kPlaces> places;
};
Choices& choices() noexcept {
  return base::immortal<Choices>();
}

// The place where the choice for this message is, or would be; under the lock.
Sent& place_of(Choices& all, int number, const Outbound& message, const void* mapped_at) noexcept {
  const auto mixed = reinterpret_cast<std::uintptr_t>(message.type.get()) / 16 +
                     static_cast<std::uintptr_t>(message.count * 31 + number * 7) +
                     reinterpret_cast<std::uintptr_t>(mapped_at);
  return all.places[(mixed * 0x9e3779b97f4a7c15u) >> 56];
}

bool is_of(const Sent& sent, int number, const Outbound& message, const void* mapped_at) noexcept {
  return sent.number == number && sent.count == message.count && sent.mapped_at == mapped_at &&
         !sent.type.owner_before(message.type) && !message.type.owner_before(sent.type);
}

// Where the choice is another one now.
void log_change(Sent& sent, const Outbound& message) noexcept {
  const std::optional<wire::Choice::Change> change = sent.choice.take_change();
  if (!change) return;
  const char* const other = sent.mapped_at != nullptr ? "direct" : "kernel";
  char text[150];
  const int length = std::snprintf(text, sizeof text, "%s (after %lld messages: ", change->is_other ? other : "host",
                                   static_cast<long long>(change->messages));
  char* const rest = text + length;
  const std::size_t room = sizeof text - static_cast<std::size_t>(length);
  switch (change->why) {
    case wire::Choice::Why::kCycles:
      std::snprintf(rest, room, "a cycle takes %lld ns by host, %lld ns by %s)",
                    static_cast<long long>(change->host_ns), static_cast<long long>(change->other_ns), other);
      break;
    case wire::Choice::Why::kTakenBack:
      std::snprintf(rest, room, "by %s its receiver comes late)", other);
      break;
    case wire::Choice::Why::kRefused:
      std::snprintf(rest, room, "by %s its receiver refuses it)", other);
      break;
  }
  log_way(rank_on_node(sent.number), message.count, *message.type->plan(), text);
}

// [bytes] Messages in memory that both have mapped go directly from this size on where no trial says anything: there
// that was the fastest way also where each is written anew (docs/results/adaptive.md).
constexpr std::int64_t kDirectUntold = 64 << 10;

// The buffer, if the receiver has mapped it.
const void* mapped_at(int number, const Outbound& message) noexcept {
  return is_mapped_there(number, {*message.type->plan(), message.count}, message.buffer) ? message.buffer : nullptr;
}

bool chooses_offer(int number, const Outbound& message, const void* mapped_at) noexcept {
  Choices& all = choices();
  const std::lock_guard lock(all.mutex);
  Sent& sent = place_of(all, number, message, mapped_at);
  if (!is_of(sent, number, message, mapped_at)) {
    const bool is_direct = mapped_at != nullptr && message.type->plan()->size() * message.count >= kDirectUntold;
    sent = {.number = number,
            .type = message.type,
            .count = message.count,
            .mapped_at = mapped_at,
            .choice = wire::Choice(is_direct)};
  }
  const bool takes_other = sent.choice.takes_other(base::now_ns());
  if (logging()) log_change(sent, message);
  return takes_other;
}

}  // namespace

bool has_long_runs(const mpi::Datatype& type, std::int64_t count) noexcept {
  // For shorter ones an entry, or its gap, costs more than they do.
  constexpr std::int64_t kShortestKernelRun = 2048;
  return type.mean_run_bytes() >= kShortestKernelRun || type.plan()->is_run(count);
}

bool may_offer(int number, const Outbound& message, Settles settles) noexcept {
  const Way way = wanted_way();
  const SharedMemory* const shared = shared_memory();
  if (way == Way::kHost || shared == nullptr) return false;
  if (is_private_here({*message.type->plan(), message.count}, message.buffer)) return false;
  const bool may_be_refused = settles == Settles::kInCall;
  if (way == Way::kKernel || way == Way::kEntries) return may_be_refused && shared->segment.is_reached_by(number);
  const void* const mapped = mapped_at(number, message);
  if (way == Way::kDirect) return mapped != nullptr;
  const bool may_read =
      may_be_refused && has_long_runs(*message.type, message.count) && shared->segment.is_reached_by(number);
  return (mapped != nullptr || may_read) && chooses_offer(number, message, mapped);
}

void offer_failed(int number, const Outbound& message, bool refused) noexcept {
  if (wanted_way() != Way::kAdaptive) return;
  const void* const mapped = mapped_at(number, message);
  Choices& all = choices();
  const std::lock_guard lock(all.mutex);
  Sent& sent = place_of(all, number, message, mapped);
  if (!is_of(sent, number, message, mapped)) return;
  refused ? sent.choice.was_refused() : sent.choice.was_taken_back(wire::Patience::kNs);
  if (logging()) log_change(sent, message);
}

}  // namespace gapless::preload
