// A peer that knows the job's key says anything: frames and immediates in any order, to a channel with messages in both
// directions. What it cannot do: touch memory outside of the runs of a receive, end a message and let it go on, take
// memory without bound.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "channel/channel.hpp"
#include "channel/frame.hpp"
#include "channel/probe.hpp"
#include "fuzz/input.hpp"
#include "fuzz/judge.hpp"

namespace gapless::test::fuzz {
namespace {

namespace fabric = wire::fabric;
using channel::Channel;
using channel::Clear;
using channel::Form;
using channel::Header;
using channel::Kind;
using channel::Settings;
using channel::Transfer;
using channel::Way;

constexpr std::size_t kMargin = 256;
constexpr unsigned char kGap = 0xA5, kOut = 0x3C;
constexpr std::int64_t kMostMemory = 80 << 20;

class Type {
 public:
  explicit Type(const char* text) {
    if (gapless_type_parse(text, &type_) != GAPLESS_SUCCESS) finding("no type", gapless_last_error());
  }
  ~Type() { gapless_type_free(&type_); }
  operator gapless_type() const { return type_; }

 private:
  gapless_type type_ = nullptr;
};

struct Layout {
  const char* text;
  std::size_t span;
};
constexpr Layout kLayouts[] = {
    {"contiguous(20000, byte)", 20'000},      {"hvector(2000, 7, 19, byte)", 38'000},
    {"hvector(3, 4000, 9000, byte)", 22'000}, {"hindexed([10, 3000, 9000], [30000, 20000, 0], byte)", 30'010},
    {"hvector(100, 1, 3, byte)", 298},        {"contiguous(0, byte)", 0}};

// What a message is in: its runs, and everything else, which stays as it is.
struct Buffer {
  explicit Buffer(const Layout& layout, unsigned char fill)
      : type(layout.text), memory(layout.span + 2 * kMargin, fill), is_run(memory.size()) {
    std::int64_t position = 0, entries = 1, bytes = 0;
    gapless_iov pieces[64];
    for (; entries > 0; position += bytes) {
      gapless_iov_export(nullptr, 1, type, position, pieces, 64, &entries, &bytes);
      for (std::int64_t k = 0; k < entries; ++k) {
        const auto at = reinterpret_cast<std::uintptr_t>(pieces[k].base) + kMargin;
        std::fill_n(is_run.begin() + static_cast<std::ptrdiff_t>(at), pieces[k].length, true);
      }
    }
  }
  void* base() { return memory.data() + kMargin; }
  Type type;
  std::vector<unsigned char> memory;
  std::vector<bool> is_run;
};

class Target {
 public:
  explicit Target(std::uint8_t kind) {
    Settings settings;
    settings.provider = "tcp";
    settings.processes = 2;
    settings.timeout_ns = 0;
    settings.part = 4096;
    settings.parts = 3;
    settings.targets = 2;
    settings.eager = 64;
    if (kind % 4 != 3) settings.way = static_cast<Way>(kind % 4);
    settings.registers_again = (kind & 4) != 0;
    auto endpoint = std::make_unique<fabric::Endpoint>(fabric::Wanted{"tcp", "", "127.0.0.1"});
    auto life = std::make_unique<fabric::Life>("127.0.0.1");
    there_.resize(1 << 16);
    registration_ = endpoint->make_reachable(there_.data(), there_.size(), true);
    fabric::Room::Outcome met;
    met.members.assign(2, {endpoint->address(), "127.0.0.1", life->port(), 1});
    channel_ = Channel::join(settings, std::move(endpoint), std::move(life), std::move(met));
    for (const Layout& layout : kLayouts) {
      in_.push_back(std::make_unique<Buffer>(layout, kGap));
      out_.push_back(std::make_unique<Buffer>(layout, kOut));
    }
    never_ = channel_->receive(&byte_, 1, Type("byte"), 0);
  }
  ~Target() {
    registration_ = {};
    channel_.reset();
  }

  void run(Input& input) {
    for (int steps = 0; !input.empty() && steps < 200; ++steps) step(input);
    check();
    ++inputs_;
  }
  bool is_worn() const {
    return inputs_ >= 100 || transfers_.size() > 200 || channel::ChannelProbe::has_lost(*channel_, 1);
  }

 private:
  void step(Input& input) {
    switch (input.choice(16)) {
      case 0:
      case 1: {
        if (transfers_.size() > 400) return;
        Buffer& buffer = *in_[input.choice(in_.size())];
        transfers_.push_back(channel_->receive(buffer.base(), 1, buffer.type, 1));
        return;
      }
      case 2:
      case 3: {
        if (transfers_.size() > 400) return;
        Buffer& buffer = *out_[input.choice(out_.size())];
        transfers_.push_back(channel_->send(buffer.base(), 1, buffer.type, 1));
        ++sent_;
        return;
      }
      case 4:
        channel_->wait(never_, 0);
        return;
      case 5:
      case 6:
        channel::ChannelProbe::written(*channel_, word(input));
        return;
      case 7:
        if (transfers_.empty()) return;
        free_done(input.choice(transfers_.size()));
        return;
      case 8:
        return channel_->forget(in_[input.choice(in_.size())]->base(), 4000);
      default:
        return hear(input);
    }
  }

  std::uint32_t word(Input& input) {
    const auto target = static_cast<std::uint32_t>(input.choice(4)),
               generation = static_cast<std::uint32_t>(input.byte());
    const auto part = static_cast<std::uint32_t>(input.choice(8));
    return channel::Immediate{target, target == 3 ? generation : channel::ChannelProbe::generation(*channel_, target),
                              part}
        .word();
  }

  void hear(Input& input) {
    std::vector<std::byte> frame(sizeof(Header));
    Header header;
    header.kind = static_cast<Kind>(input.choice(10));
    header.way = static_cast<Way>(input.choice(4));
    header.is_ready = input.byte() & 1;
    header.matched = input.choice(4) != 0 ? sent_ : static_cast<std::uint32_t>(input.number());
    const bool is_new = header.kind == Kind::kEager || header.kind == Kind::kRequest;
    const std::size_t back = input.choice(8);
    // Mostly one that there is.
    header.message = is_new ? received_ + 1 : sent_ - static_cast<std::uint32_t>(back);
    if (back == 7) header.message = static_cast<std::uint32_t>(input.number());
    header.number = static_cast<std::uint32_t>(input.choice(12));
    constexpr std::uint64_t kSizes[] = {20'000, 14'000, 12'000, 12'010, 100, 0, 65, 4096};
    const std::size_t size = input.choice(9);
    header.bytes = size < 8 ? kSizes[size] : static_cast<std::uint64_t>(input.number());
    std::vector<std::byte> body(channel::kEagerBytes);
    switch (header.kind) {
      case Kind::kEager:
        body.resize(std::min<std::size_t>(header.bytes, channel::kEagerBytes));
        header.bytes = body.size();
        break;
      case Kind::kRequest:
        body.resize(channel::write(channel::Request{static_cast<std::uint64_t>(input.number())}, body.data()));
        break;
      case Kind::kClear:
        body.resize(channel::write(clear(input), body.data()));
        break;
      case Kind::kForm:
        body.resize(form(input, body.data()));
        break;
      default:
        body.resize(input.choice(4));
    }
    // Sometimes other bytes, or fewer.
    if (!body.empty() && input.choice(16) == 0)
      body[input.choice(std::min<std::size_t>(body.size(), 256))] = std::byte{input.byte()};
    if (!body.empty() && input.choice(32) == 0)
      body.resize(body.size() - 1 - input.choice(std::min<std::size_t>(body.size(), 40)));
    std::memcpy(frame.data(), &header, sizeof header);
    frame.insert(frame.end(), body.begin(), body.end());
    const std::int64_t refused = channel_->counters().frames_refused;
    channel_->hear(1, frame);
    if (is_new && header.message == received_ + 1 && channel_->counters().frames_refused == refused) ++received_;
  }

  Clear clear(Input& input) {
    Clear made;
    made.where = static_cast<Clear::Where>(input.choice(6));
    made.target = static_cast<std::uint32_t>(input.choice(4));
    made.generation = input.byte();
    made.part = input.choice(2) == 0 ? 4096 : static_cast<std::uint64_t>(input.number());
    made.parts = static_cast<std::uint32_t>(input.choice(2) == 0 ? 3 : input.number());
    made.form = static_cast<std::uint32_t>(input.choice(5));
    made.form_generation = static_cast<std::uint32_t>(input.choice(2));
    made.count = input.choice(2) == 0 ? 1 : input.number();
    const auto here = reinterpret_cast<std::uint64_t>(there_.data());
    made.base = input.choice(4) != 0 ? here + input.choice(100) : static_cast<std::uint64_t>(input.number());
    const std::size_t places = input.choice(8) != 0 ? 1 : input.choice(70);
    for (std::size_t k = 0; k < places; ++k) {
      const std::size_t offset = input.choice(100);
      channel::Place place{registration_.base + offset, registration_.key, here + offset, there_.size() - offset};
      if (input.choice(8) == 0) place.bytes = static_cast<std::uint64_t>(input.number());
      if (input.choice(8) == 0) place.here = static_cast<std::uint64_t>(input.number());
      // Never another key or address: the peer's memory is its own affair, and here it is this process's.
      if (place.address - registration_.base > there_.size()) place.bytes = 0;
      made.places.push_back(place);
    }
    return made;
  }

  std::size_t form(Input& input, std::byte* body) {
    static const std::vector<std::string> kForms = [] {
      std::vector<std::string> forms;
      for (const char* text :
           {"hvector(2000, 10, 20, byte)", "byte", "resized(0, 4611686018427387904, contiguous(100, byte))",
            "hindexed([9000, 12000], [13000, 0], byte)", "hvector(5, 4000, -8000, byte)"})
        forms.push_back(channel::Type::bytes_of(Type(text)));
      return forms;
    }();
    std::string bytes = kForms[input.choice(kForms.size())];
    if (input.choice(8) == 0) bytes[input.choice(bytes.size())] = static_cast<char>(input.byte());
    Form made{static_cast<std::uint32_t>(input.choice(5)), static_cast<std::uint32_t>(input.choice(2)),
              static_cast<std::uint32_t>(bytes.size()), 0, std::as_bytes(std::span(bytes))};
    if (input.choice(8) == 0) made.total = static_cast<std::uint32_t>(input.number());
    if (input.choice(8) == 0) made.offset = static_cast<std::uint32_t>(input.choice(64));
    return channel::write(made, body);
  }

  void free_done(std::size_t k) {
    Transfer* one = transfers_[k];
    if (!one->is_done) return;
    if (one->in_flight != 0) finding("a message that has ended has operations", "");
    channel_->free(one);
    transfers_.erase(transfers_.begin() + static_cast<std::ptrdiff_t>(k));
  }

  void check() {
    for (const auto& buffer : in_)
      for (std::size_t k = 0; k < buffer->memory.size(); ++k)
        if (!buffer->is_run[k] && buffer->memory[k] != kGap) finding("a byte between the runs was written", "");
    for (const auto& buffer : out_)
      for (const unsigned char byte : buffer->memory)
        if (byte != kOut) finding("what is sent was written", "");
    if (const char* what = channel::ChannelProbe::fault(*channel_)) finding("the channel's lists", what);
    if (channel_->counters().memory_bytes > kMostMemory) finding("it holds too much memory", "");
  }

  std::vector<char> there_;
  fabric::Registration registration_;
  std::unique_ptr<Channel> channel_;
  std::vector<std::unique_ptr<Buffer>> in_, out_;
  std::vector<Transfer*> transfers_;
  Transfer* never_ = nullptr;
  char byte_ = 0;
  std::uint32_t sent_ = 0, received_ = 0;
  int inputs_ = 0;
};

}  // namespace
}  // namespace gapless::test::fuzz

// libfabric 1.17 keeps a few hundred bytes of an endpoint that is closed while a connection is being made; and to look
// for leaks takes longer than an input does.
// Visible: the sanitizer's library looks for it.
extern "C" __attribute__((visibility("default"))) int __lsan_is_turned_off() {
  return 1;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gapless::test::fuzz;
  if (size == 0) return 0;
  Input input(data, size);
  // To make a channel takes as long as a hundred inputs, so one has several: a finding may need those before it.
  static std::array<std::unique_ptr<Target>, 8> targets;
  const std::uint8_t kind = input.byte();
  std::unique_ptr<Target>& target = targets[kind % 8];
  if (!target || target->is_worn()) target = std::make_unique<Target>(kind);
  target->run(input);
  return 0;
}
