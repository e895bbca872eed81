#include "base/settings.hpp"

#include <array>
#include <cerrno>
#include <mutex>

#include "base/immortal.hpp"

namespace gapless::base {

namespace {

// A setting with an unknown value leaves its default in force, because the user's program must continue. It is recorded
// here for explain, the log and the statistics.
struct RefusedSetting {
  const char* name;
  std::string sentence;
};
struct RefusedSettings {
  std::mutex mutex;
  std::array<RefusedSetting, 16> entries;
  std::size_t count = 0;
};
RefusedSettings& all_refused() {
  return immortal<RefusedSettings>();
}

constexpr const char* kBytes[] = {"a number of bytes, with K, M or G behind it or not"};

bool parse_bytes(const char* text, std::int64_t& bytes) noexcept {
  char* end = nullptr;
  errno = 0;
  const long long number = std::strtoll(text, &end, 10);
  if (end == text || errno != 0 || number < 0) return false;
  int shift = 0;
  switch (*end) {
    case 'K':
    case 'k':
      shift = 10;
      ++end;
      break;
    case 'M':
    case 'm':
      shift = 20;
      ++end;
      break;
    case 'G':
    case 'g':
      shift = 30;
      ++end;
      break;
    default:
      break;
  }
  if (*end != '\0' || number > (INT64_MAX >> shift)) return false;
  bytes = static_cast<std::int64_t>(number) << shift;
  return true;
}

}  // namespace

std::int64_t setting_bytes(const char* name, std::int64_t fallback) noexcept {
  const char* const value = setting_text(name);
  std::int64_t bytes = 0;
  if (value == nullptr) return fallback;
  if (parse_bytes(value, bytes)) return bytes;
  refuse_setting(name, kBytes);
  return fallback;
}

void refuse_setting(const char* name, std::span<const char* const> known) noexcept {
  const char* const value = setting_text(name);
  try {
    std::string sentence = std::string(name) + '=' + (value == nullptr ? "" : value) + " is not known here (";
    for (const char* const one : known) {
      if (one != known.front()) sentence += ", ";
      sentence += one;
    }
    RefusedSettings& all = all_refused();
    const std::lock_guard lock(all.mutex);
    for (std::size_t k = 0; k < all.count; ++k) {
      if (std::string_view(all.entries[k].name) == name) return;
    }
    if (all.count < all.entries.size()) all.entries[all.count++] = {name, sentence + ')'};
  } catch (...) {  // out of memory: it is not recorded
  }
}

std::string refused_settings() {
  RefusedSettings& all = all_refused();
  const std::lock_guard lock(all.mutex);
  std::string text;
  for (std::size_t k = 0; k < all.count; ++k) text += (k == 0 ? "" : "; ") + all.entries[k].sentence;
  return text;
}

}  // namespace gapless::base
