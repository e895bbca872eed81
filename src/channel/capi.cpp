// The functions of gapless_channel.h.
#include <cstring>
#include <new>
#include <string>

#include "channel/channel.hpp"
#include "gapless/gapless_channel.h"

namespace {

using gapless::channel::Channel;
using gapless::wire::fabric::Failure;
using gapless::wire::fabric::Fault;

thread_local std::string last_error;

int failed(int status, const char* text) noexcept {
  try {
    last_error = text;
  } catch (const std::bad_alloc&) {
    last_error.clear();
  }
  return status;
}

template <class Body>
int guard(Body body) noexcept {
  try {
    return body();
  } catch (const Failure& failure) {
    return failed(static_cast<int>(failure.fault()), failure.what());
  } catch (const std::bad_alloc&) {
    return failed(GAPLESS_CHANNEL_ERR_NO_MEM, "out of memory");
  } catch (const std::exception& error) {
    return failed(GAPLESS_CHANNEL_ERR_FABRIC, error.what());
  }
}

void require(bool condition, const std::string& text) {
  if (!condition) throw Failure(Fault::kArgument, text);
}

}  // namespace

struct GAPLESS_Channel_s {
  std::unique_ptr<Channel> channel;
  int rank, processes;
};

namespace {

Channel& opened(GAPLESS_Channel channel) {
  require(channel != nullptr, "the channel is NULL");
  return *channel->channel;
}

void check_message(GAPLESS_Channel channel, gapless_type type, int peer, const GAPLESS_Transfer* transfer) {
  (void)opened(channel);
  require(type != nullptr, "the type is NULL");
  require(transfer != nullptr, "the place for the transfer is NULL");
  require(peer >= 0 && peer < channel->processes,
          "rank " + std::to_string(peer) + " is not one of the job's " + std::to_string(channel->processes));
}

}  // namespace

const char* GAPLESS_Channel_last_error(void) {
  return last_error.c_str();
}

int GAPLESS_Channel_open(const GAPLESS_Channel_options* options, GAPLESS_Channel* channel) {
  return guard([&] {
    require(options != nullptr && channel != nullptr, "the options or the place for the channel are NULL");
    const gapless::channel::Settings settings = gapless::channel::read_settings(*options);
    *channel = new GAPLESS_Channel_s{Channel::open(settings), settings.rank, settings.processes};
    return 0;
  });
}

int GAPLESS_Channel_send(GAPLESS_Channel channel, const void* buffer, int64_t count, gapless_type type, int peer,
                         GAPLESS_Transfer* transfer) {
  return guard([&] {
    check_message(channel, type, peer, transfer);
    *transfer = opened(channel).send(buffer, count, type, peer);
    return 0;
  });
}

int GAPLESS_Channel_receive(GAPLESS_Channel channel, void* buffer, int64_t count, gapless_type type, int peer,
                            GAPLESS_Transfer* transfer) {
  return guard([&] {
    check_message(channel, type, peer, transfer);
    *transfer = opened(channel).receive(buffer, count, type, peer);
    return 0;
  });
}

int GAPLESS_Channel_wait(GAPLESS_Channel channel, GAPLESS_Transfer* transfer, double timeout_s, int64_t* bytes) {
  return guard([&] {
    Channel& open = opened(channel);
    require(transfer != nullptr && open.knows(*transfer), "the transfer is none of this channel, or has ended");
    GAPLESS_Transfer one = *transfer;
    const std::int64_t timeout_ns =
        timeout_s < 0 ? -1 : static_cast<std::int64_t>(timeout_s < 1e9 ? timeout_s * 1e9 : 1e18);
    if (!open.wait(one, timeout_ns))
      throw Failure(Fault::kTimeout,
                    "not done in time: the transfer with rank " + std::to_string(one->peer->rank) + " goes on");
    *transfer = GAPLESS_TRANSFER_NULL;
    const Fault fault = one->fault;
    const std::string text = one->text;
    if (fault == Fault::kNone && bytes != nullptr) *bytes = one->bytes;
    open.free(one);
    if (fault != Fault::kNone) throw Failure(fault, text);
    return 0;
  });
}

int GAPLESS_Channel_close(GAPLESS_Channel* channel) {
  return guard([&] {
    require(channel != nullptr && *channel != nullptr, "the channel is NULL");
    const std::unique_ptr<GAPLESS_Channel_s> closing(*channel);
    *channel = nullptr;
    if (!closing->channel->close())
      throw Failure(Fault::kTimeout, "closed, but a peer has neither closed its channel in time nor ended");
    return 0;
  });
}

int GAPLESS_Channel_forget(GAPLESS_Channel channel, void* base, int64_t bytes) {
  return guard([&] {
    require(bytes >= 0, "a length of memory is at least 0");
    opened(channel).forget(base, bytes);
    return 0;
  });
}

int GAPLESS_Channel_count(GAPLESS_Channel channel, GAPLESS_Channel_counters* counters, size_t size) {
  return guard([&] {
    require(counters != nullptr && size <= sizeof *counters, "counters of another version, or NULL");
    const GAPLESS_Channel_counters now = opened(channel).counters();
    std::memcpy(counters, &now, size);
    return 0;
  });
}

const char* GAPLESS_Channel_provider(GAPLESS_Channel channel) {
  return channel == nullptr ? "" : channel->channel->provider();
}
