#include "channel/settings.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "base/settings.hpp"

namespace gapless::channel {

namespace {

using wire::fabric::Failure;
using wire::fabric::Fault;

std::string text_of(const char* option, const char* setting = nullptr) {
  if (option != nullptr && option[0] != '\0') return option;
  return setting != nullptr ? setting : "";
}

[[noreturn]] void refuse(const std::string& name, const std::string& value, const std::string& wanted) {
  throw Failure(Fault::kArgument, name + " is '" + value + "', which is not " + wanted);
}

std::optional<Way> way_of(const std::string& text) {
  if (text.empty() || text == "adaptive") return std::nullopt;
  if (text == "host") return Way::kHost;
  if (text == "lists") return Way::kLists;
  if (text == "segments") return Way::kSegments;
  refuse("the way (GAPLESS_FABRIC_WAY)", text, "adaptive, host, lists or segments");
}

std::int64_t setting_number(const char* setting, std::int64_t fallback, std::int64_t least, std::int64_t most) {
  const char* text = base::setting_text(setting);
  if (text == nullptr) return fallback;
  const std::int64_t value = base::setting_bytes(setting, -1);
  if (value < least || value > most)
    refuse(setting, text, "a number from " + std::to_string(least) + " to " + std::to_string(most));
  return value;
}

wire::fabric::Charge charge_of() {
  wire::fabric::Charge charge;
  const char* text = base::setting_text("GAPLESS_FABRIC_CHARGE");
  if (text == nullptr) return charge;
  const char* end = text + std::strlen(text);
  constexpr std::int64_t kMost = 1'000'000'000;
  const auto [comma, error] = std::from_chars(text, end, charge.ns);
  bool is_right = error == std::errc() && charge.ns >= 0 && charge.ns <= kMost;
  if (is_right && comma != end) {
    const auto [stop, second] = std::from_chars(comma + 1, end, charge.ns_per_page);
    is_right =
        *comma == ',' && second == std::errc() && stop == end && charge.ns_per_page >= 0 && charge.ns_per_page <= kMost;
  }
  if (!is_right) refuse("GAPLESS_FABRIC_CHARGE", text, "NS,NS_PER_PAGE, each from 0 to 1000000000");
  return charge;
}

}  // namespace

Settings read_settings(const GAPLESS_Channel_options& given) {
  GAPLESS_Channel_options options = GAPLESS_CHANNEL_OPTIONS;
  if (given.size < offsetof(GAPLESS_Channel_options, secret) || given.size > sizeof options)
    throw Failure(Fault::kArgument, "the options' size is " + std::to_string(given.size) +
                                        ": begin with GAPLESS_CHANNEL_OPTIONS, and compile against this version");
  std::memcpy(static_cast<void*>(&options), &given, given.size);
  Settings made;
  made.rank = options.rank;
  made.processes = options.processes;
  if (made.processes < 1 || made.processes > 65536)
    throw Failure(Fault::kArgument, "a job has 1 to 65536 processes, not " + std::to_string(made.processes));
  if (made.rank < 0 || made.rank >= made.processes)
    throw Failure(Fault::kArgument,
                  "rank " + std::to_string(made.rank) + " is not one of the job's " + std::to_string(made.processes));
  made.meeting = text_of(options.meeting, base::setting_text("GAPLESS_FABRIC_MEETING"));
  if (made.meeting.empty() && made.processes > 1)
    throw Failure(Fault::kArgument, "no meeting: say where rank 0 listens, HOST:PORT");
  made.secret = text_of(options.secret, base::setting_text("GAPLESS_JOB_SECRET"));
  if (made.secret.empty())
    throw Failure(Fault::kArgument,
                  "no secret: give all processes of the job the same one, by the options or "
                  "GAPLESS_JOB_SECRET; `openssl rand -hex 16` makes one");
  made.provider = text_of(options.provider, base::setting_text("GAPLESS_FABRIC_PROVIDER"));
  made.domain = text_of(options.domain, base::setting_text("GAPLESS_FABRIC_DOMAIN"));
  made.address = text_of(options.address);
  made.way = way_of(text_of(options.way, base::setting_text("GAPLESS_FABRIC_WAY")));
  made.timeout_ns = 1'000'000'000'000'000'000;  // what is no number, too
  if (options.timeout_s < 1e9)
    made.timeout_ns = options.timeout_s < 0 ? -1 : static_cast<std::int64_t>(options.timeout_s * 1e9);
  made.part = setting_number("GAPLESS_FABRIC_PART", made.part, 4096, kLongestPart);
  made.parts = static_cast<std::uint32_t>(setting_number("GAPLESS_FABRIC_PARTS", made.parts, 1, 64));
  made.eager = setting_number("GAPLESS_FABRIC_EAGER", made.eager, 0, kEagerBytes);
  made.targets =
      static_cast<std::uint32_t>(setting_number("GAPLESS_FABRIC_TARGETS", made.targets, 1, Immediate::kTargets));
  made.charge = charge_of();
  const char* cache = base::setting_text("GAPLESS_FABRIC_CACHE");
  made.registers_again = cache != nullptr && std::strcmp(cache, "0") == 0;
  return made;
}

}  // namespace gapless::channel
