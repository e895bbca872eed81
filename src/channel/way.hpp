// Which way a message takes. Messages are told apart by their peer, their size and the mean length of their runs, each
// rounded to a power of two: so that what was learned of one buffer holds for the next.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <unordered_map>

#include "channel/layouts.hpp"
#include "wire/choice.hpp"

namespace gapless::channel {

class Ways {
 public:
  static std::uint64_t key(int peer, std::int64_t bytes, std::int64_t run) noexcept {
    const auto power = [](std::int64_t n) {
      return static_cast<std::uint64_t>(std::bit_width(static_cast<std::uint64_t>(n)));
    };
    return static_cast<std::uint64_t>(peer) << 16 | power(bytes) << 8 | power(run);
  }

  struct Record {
    bool peer_is_ready = false;  // its last memory for such a message was registered
    wire::Choice choice;
    double host_ns = 0, lists_ns = 0;  // the least that a message took of late; 0: none went that way
  };
  Record& of(std::uint64_t key) { return records_[key]; }

  // Whether lists are expected to take half as long again as host, or more: then they are not tried, and no memory is
  // registered for them. Else a trial of short runs would cost more than it can ever save. Lists cost what host costs,
  // but for the packing, and something for each run, which is a matter of the provider.
  bool is_hopeless(const Record& record, const Shape& shape) const noexcept {
    return record.host_ns > 0 && static_cast<double>(shape.runs) * ns_per_run_ > 0.5 * record.host_ns;
  }
  // For the message that is sent now [ns]; `is_ready`: this side's memory is registered, or need not be.
  static Way ask(Record& record, bool is_ready, std::int64_t now_ns) noexcept {
    const bool may = is_ready && record.peer_is_ready;
    return may && record.choice.takes_other(now_ns) ? Way::kLists : Way::kHost;
  }
  // What a message took that went the way it asked for; `runs`: of the side that has more of them.
  void took(Record& record, Way way, std::int64_t ns, std::int64_t runs) noexcept {
    double& least = way == Way::kHost ? record.host_ns : record.lists_ns;
    least = least == 0 ? static_cast<double>(ns) : std::min(least * 1.05, static_cast<double>(ns));
    if (way != Way::kLists || record.host_ns == 0 || runs < most_runs_) return;  // of more runs it was more exact
    most_runs_ = runs;
    ns_per_run_ = std::max(0.0, record.lists_ns - record.host_ns) / static_cast<double>(runs);
  }

 private:
  std::unordered_map<std::uint64_t, Record> records_;
  double ns_per_run_ = 200;      // a guess until a message went by lists
  std::int64_t most_runs_ = 64;  // of fewer the rest of a message costs as much
};

}  // namespace gapless::channel
