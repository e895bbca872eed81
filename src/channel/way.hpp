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
  class Record {
   public:
    bool peer_is_ready = false;  // its last memory for such a message was registered

    // For the message that is sent now [ns]; `is_ready`: this side's memory is registered, or need not be.
    Way ask(bool is_ready, const Shape& shape, std::int64_t now_ns) noexcept {
      const double lists_ns = static_cast<double>(shape.runs) * ns_per_run_;
      // Without a guess a trial of very short runs would cost more than it can ever save.
      if (!is_ready || !peer_is_ready || (host_ns_ > 0 && lists_ns > kHopeless * host_ns_)) return Way::kHost;
      return choice_.takes_other(now_ns) ? Way::kLists : Way::kHost;
    }
    // What a message took that went `way` and asked for `asked`.
    void took(Way way, Way asked, std::int64_t ns, std::int64_t bytes, std::int64_t runs) noexcept {
      (void)bytes;
      const auto time = static_cast<double>(ns);
      if (way == Way::kHost && asked == Way::kHost) host_ns_ = host_ns_ == 0 ? time : std::min(host_ns_ * 1.05, time);
      if (way == Way::kLists && runs > 0) ns_per_run_ = std::min(ns_per_run_, time / static_cast<double>(runs));
    }

   private:
    static constexpr double kHopeless = 2;
    wire::Choice choice_;
    double host_ns_ = 0;       // the least that a message took by way of buffers, of late
    double ns_per_run_ = 200;  // the least that a run took in a list; a guess until one did
  };
  Record& of(std::uint64_t key) { return records_[key]; }

 private:
  std::unordered_map<std::uint64_t, Record> records_;
};

}  // namespace gapless::channel
