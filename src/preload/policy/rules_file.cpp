#include "preload/policy/rules_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/immortal.hpp"
#include "base/settings.hpp"
#include "preload/policy/job.hpp"

namespace gapless::preload {

namespace {

// Ours are some 10 KB.
constexpr off_t kMaxFileBytes = 1 << 20;

RulesReport& report() noexcept {
  return base::immortal<RulesReport>();
}

class File {
 public:
  // Whatever the path names: opening waits for nobody.
  explicit File(const char* path) noexcept : descriptor_(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {}
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  explicit operator bool() const noexcept { return descriptor_ >= 0; }

  // The text, or why there is none.
  const char* read_into(std::string& text) const {
    struct stat about{};
    if (fstat(descriptor_, &about) != 0) return "it cannot be read";
    if (!S_ISREG(about.st_mode)) return "it is no file";
    if (about.st_size > kMaxFileBytes) return "it is larger than 1 MiB";
    text.resize(static_cast<std::size_t>(about.st_size));
    std::size_t done = 0;
    while (done < text.size()) {
      const ssize_t n = ::read(descriptor_, text.data() + done, text.size() - done);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) break;
      done += static_cast<std::size_t>(n);
    }
    text.resize(done);
    return done == static_cast<std::size_t>(about.st_size) ? nullptr : "it cannot be read";
  }

 private:
  int descriptor_;
};

bool is_folder(const std::string& path) noexcept {
  struct stat about{};
  return stat(path.c_str(), &about) == 0 && S_ISDIR(about.st_mode);
}

void refuse(const std::string& path, const std::string& why) {
  report().refused = path + ": " + why;
}

// Returns false if there is no such file. The report has the outcome.
bool override_by(const std::string& path, const Here& here, Rules& rules, std::uint64_t& number) {
  const File file(path.c_str());
  if (!file) {
    if (errno == ENOENT || errno == ENOTDIR) return false;
    refuse(path, std::strerror(errno));
    return true;
  }
  std::string text;
  if (const char* const why = file.read_into(text); why != nullptr) {
    refuse(path, why);
    return true;
  }
  const Reading reading = read_rules(text, here, rules);
  if (reading.outcome == Reading::Outcome::kTaken) {
    report().file = path;
    number = hash_of(text) | 1;  // never 0, which says that nothing was taken
    return true;
  }
  refuse(path, reading.line > 0 ? "line " + std::to_string(reading.line) + ": " + reading.reason : reading.reason);
  return true;
}

}  // namespace

std::uint64_t override_by_files(const Here& here, Rules& rules) noexcept {
  const char* const setting = base::setting_text("GAPLESS_RULES");
  if (setting == nullptr) return 0;
  std::uint64_t number = 0;
  try {
    char name[kMaxRulesNameLength + 1];
    const bool has_name = rules_name(here.library, name) > 0;
    std::string missing;
    std::string_view left(setting);
    while (!left.empty()) {
      const std::size_t end = left.find(':');
      const std::string path(left.substr(0, end));
      left.remove_prefix(end == std::string_view::npos ? left.size() : end + 1);
      if (path.empty()) continue;
      if (is_folder(path)) {
        if (has_name && override_by(path + '/' + name + ".rules", here, rules, number)) return number;
      } else if (override_by(path, here, rules, number)) {
        return number;
      } else if (missing.empty()) {
        missing = path;
      }
    }
    if (!missing.empty()) refuse(missing, "there is no such file or folder");
  } catch (...) {  // no memory: the built-in rules
  }
  return number;
}

const RulesReport& rules_report() noexcept {
  return report();
}

}  // namespace gapless::preload
