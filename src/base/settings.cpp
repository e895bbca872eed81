#include "base/settings.hpp"

#include <array>
#include <cerrno>
#include <mutex>

namespace gapless::base {

namespace {

// A setting that holds nothing known leaves its default in force, for a user's program must go on; that is kept here
// for whoever is asked what is in force.
struct Refused {
  const char* name;
  std::string sentence;
};
struct AllRefused {
  std::mutex mutex;
  std::array<Refused, 16> entries;
  std::size_t count = 0;
};
AllRefused& all_refused() {
  static AllRefused* const all = new AllRefused;  // programs read settings until their very end
  return *all;
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

std::int64_t setting_bytes(const char* name, std::int64_t otherwise) noexcept {
  const char* const value = setting_text(name);
  std::int64_t bytes = 0;
  if (value == nullptr) return otherwise;
  if (parse_bytes(value, bytes)) return bytes;
  refuse_setting(name, kBytes);
  return otherwise;
}

void refuse_setting(const char* name, std::span<const char* const> known) noexcept {
  const char* const value = setting_text(name);
  try {
    std::string sentence = std::string(name) + '=' + (value == nullptr ? "" : value) + " is not known here (";
    for (const char* const one : known) {
      if (one != known.front()) sentence += ", ";
      sentence += one;
    }
    AllRefused& all = all_refused();
    const std::lock_guard lock(all.mutex);
    for (std::size_t k = 0; k < all.count; ++k) {
      if (std::string_view(all.entries[k].name) == name) return;
    }
    if (all.count < all.entries.size()) all.entries[all.count++] = {name, sentence + ')'};
  } catch (...) {  // no memory: it is not kept
  }
}

std::string refused_settings() {
  AllRefused& all = all_refused();
  const std::lock_guard lock(all.mutex);
  std::string text;
  for (std::size_t k = 0; k < all.count; ++k) text += (k == 0 ? "" : "; ") + all.entries[k].sentence;
  return text;
}

}  // namespace gapless::base
