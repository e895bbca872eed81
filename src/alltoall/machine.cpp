#include "alltoall/machine.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <iterator>
#include <vector>

namespace gapless::alltoall {

namespace {

constexpr std::string_view kHead = "gapless-alltoall 1";
constexpr std::size_t kMostBytes = 1 << 20;
constexpr std::string_view kBlanks = " \t\r";

std::string_view trimmed(std::string_view line) {
  line = line.substr(0, line.find('#'));
  const std::size_t first = line.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(kBlanks) - first + 1);
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = line.find_first_not_of(kBlanks); at != std::string_view::npos;) {
    const std::size_t end = line.find_first_of(kBlanks, at);
    words.push_back(line.substr(at, end - at));
    at = end == std::string_view::npos ? end : line.find_first_not_of(kBlanks, end);
  }
  return words;
}

// A machine whose model makes sense: from a picosecond to an hour, from a byte a second to 10^18.
bool read_number(std::string_view word, double least, double most, double& number) {
  double found = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), found);
  if (error != std::errc() || end != word.data() + word.size() || !(found >= least && found <= most)) return false;
  number = found;
  return true;
}

bool read_bytes(std::string_view word, std::int64_t& bytes) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), bytes);
  return error == std::errc() && end == word.data() + word.size() && bytes >= 0 && bytes <= kLargestBlock;
}

// "latency 3e-07 bandwidth 8e+09 pack 1e+10" behind the distance, in any order, each once, and among them "calls 1
// 16384" and "in-place 1 4096" if there are such blocks.
std::string read_machine(const std::vector<std::string_view>& words, Machine& machine) {
  Machine found;
  enum { kLatency, kBandwidth, kPack, kCalls, kInPlace, kNames };
  constexpr std::string_view kWords[kNames] = {"latency", "bandwidth", "pack", "calls", "in-place"};
  int seen[kNames] = {};
  for (std::size_t k = 1; k < words.size();) {
    const auto known = std::find(std::begin(kWords), std::end(kWords), words[k]) - std::begin(kWords);
    if (known == kNames) return "nothing is called '" + std::string(words[k]) + "'";
    ++seen[known];
    const bool is_range = known >= kCalls;
    const std::string_view number = k + 1 < words.size() ? words[k + 1] : "";
    if (is_range) {
      const std::string_view last = k + 2 < words.size() ? words[k + 2] : "";
      Range& range = known == kCalls ? found.calls : found.in_place;
      if (!read_bytes(number, range.first) || !read_bytes(last, range.last) || range.is_empty())
        return "'" + std::string(number) + ' ' + std::string(last) + "' are no bytes, from the least to the most";
    } else {
      double& into = known == kLatency ? found.latency_s : known == kPack ? found.pack_rate : found.bandwidth;
      const bool is_time = known == kLatency;
      if (!read_number(number, is_time ? 1e-12 : 1, is_time ? 3600 : 1e18, into))
        return "'" + std::string(number) + "' is no " + std::string(words[k]);
    }
    k += is_range ? 3 : 2;
  }
  if (seen[kLatency] != 1 || seen[kBandwidth] != 1 || seen[kPack] != 1)
    return "latency, bandwidth and pack are wanted, once each";
  if (seen[kCalls] > 1 || seen[kInPlace] > 1) return "calls and in-place are wanted once, if at all";
  machine = found;
  return {};
}

// The first line of what a library says of itself, blanks as single ones.
std::string normalised(std::string_view library) {
  std::string text;
  for (const std::string_view word : words_of(library.substr(0, library.find('\n')))) {
    if (!text.empty()) text += ' ';
    text += word;
  }
  return text;
}

// Whole words: 4.1 is not the beginning of 4.1.3. Behind its version a library may have a comma.
bool has_words(std::string_view version, std::string_view wanted) {
  for (std::size_t at = version.find(wanted); at != std::string_view::npos; at = version.find(wanted, at + 1)) {
    const std::size_t end = at + wanted.size();
    const bool begins = at == 0 || version[at - 1] == ' ';
    if (begins && (end == version.size() || version[end] == ' ' || version[end] == ',')) return true;
  }
  return false;
}

}  // namespace

Reading read_machines(std::string_view text, std::string_view library, Machines& machines) {
  Reading reading;
  Machines found = machines;
  const std::string version = normalised(library);
  enum class Section { kNone, kOther, kOurs } section = Section::kNone;
  bool has_head = false, has_end = false;
  const auto refuse = [&](std::string why) {
    reading.reason = std::move(why);
    reading.has_section = false;
    return reading;
  };
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    ++reading.line;
    if (line.empty()) continue;
    if (!has_head) {
      if (line != kHead) return refuse("it does not begin with '" + std::string(kHead) + "'");
      has_head = true;
      continue;
    }
    if (has_end) return refuse("something follows 'end'");
    const std::vector<std::string_view> words = words_of(line);
    if (words[0] == "end" && words.size() == 1) {
      has_end = true;
    } else if (words[0] == "library" && words.size() > 1) {
      const std::string wanted = normalised(line.substr(words[0].size()));
      const bool is_ours = !reading.has_section && (wanted == "*" || has_words(version, wanted));
      section = is_ours ? Section::kOurs : Section::kOther;
      reading.has_section = reading.has_section || is_ours;
    } else if (words[0] == "near" || words[0] == "far") {
      if (section == Section::kNone) return refuse("no 'library' stands before it");
      Machine machine;
      if (std::string wrong = read_machine(words, machine); !wrong.empty()) return refuse(std::move(wrong));
      if (section == Section::kOurs) (words[0] == "near" ? found.near : found.far) = machine;
    } else {
      return refuse("'" + std::string(words[0]) + "' is not known here");
    }
  }
  if (!has_end) {
    reading.line = 0;
    return refuse(has_head ? "it is cut off: there is no 'end'" : "it is empty");
  }
  machines = found;
  return reading;
}

Reading read_machines_of(const char* path, std::string_view library, Machines& machines) {
  const auto refused = [](const char* why) { return Reading{why, 0, false}; };
  // Whatever the path names: opening waits for nobody.
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file < 0) return refused(std::strerror(errno));
  struct stat about{};
  std::string text;
  const char* why = nullptr;
  if (fstat(file, &about) != 0) {
    why = std::strerror(errno);
  } else if (!S_ISREG(about.st_mode)) {
    why = "it is no file";
  } else {
    char part[4096];
    for (ssize_t n = 1; n > 0 && text.size() <= kMostBytes;) {
      n = read(file, part, sizeof part);
      if (n > 0) text.append(part, static_cast<std::size_t>(n));
      if (n < 0 && errno == EINTR)
        n = 1;
      else if (n < 0)
        why = std::strerror(errno);
    }
    if (text.size() > kMostBytes) why = "it is larger than 1 MiB";
  }
  close(file);
  return why != nullptr ? refused(why) : read_machines(text, library, machines);
}

}  // namespace gapless::alltoall
