#include "preload/stats/run_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/settings.hpp"

namespace gapless::preload {

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (code < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", code);
      result += escape;
    } else {
      result += c;
    }
  }
  return result + '"';
}

namespace {

bool write_all(const char* path, const std::string& text, int how) {
  const int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | how, 0644);
  if (file < 0) return false;
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = write(file, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    done += static_cast<std::size_t>(n);
  }
  return (close(file) == 0 || errno == EINTR) && done == text.size();  // interrupted, it is closed all the same
}

}  // namespace

std::string first_line(const char* text) {
  std::string line(text);
  line.resize(line.find('\n') == std::string::npos ? line.size() : line.find('\n'));
  const auto from = line.find_first_not_of(" \t\r");
  if (from == std::string::npos) return "";
  return line.substr(from, line.find_last_not_of(" \t\r") - from + 1);
}

std::string host_name() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

namespace {

std::string as_json(const RunFile& file) {
  std::string text = "{\"schema\":1,\"pid\":" + std::to_string(getpid()) + ",\"host\":" + quoted(host_name()) +
                     ",\"world_rank\":" + std::to_string(file.world_rank) +
                     ",\"world_size\":" + std::to_string(file.world_size) + ",\"abi\":" + quoted(file.abi) +
                     ",\"library\":" + quoted(file.library);
  if (!file.native.empty()) text += ",\"native\":" + quoted(file.native);
  if (!file.agreement.empty()) {
    text += std::string(",\"agreed\":") + (file.agreed ? "true" : "false") + ",\"agreement\":" + quoted(file.agreement);
  }
  if (!file.unshared.empty()) text += ",\"unshared\":" + quoted(file.unshared);
  if (!file.rules.empty()) text += ",\"rules\":" + quoted(file.rules);
  if (!file.rules_refused.empty()) text += ",\"rules_refused\":" + quoted(file.rules_refused);
  if (!file.refused.empty()) text += ",\"refused\":" + quoted(file.refused);
  if (!file.stats.empty()) text += ",\"stats\":" + file.stats;
  return text + "}\n";
}

}  // namespace

std::string run_file_path(const char* ending) {
  const char* const folder = base::setting_text("GAPLESS_RUN_DIR");
  if (folder == nullptr) return "";
  return std::string(folder) + "/" + host_name() + "." + std::to_string(getpid()) + ending;
}

void write_run_file(const RunFile& file) noexcept {
  try {
    const std::string path = run_file_path(".json");
    if (path.empty()) return;
    const std::string temporary = path + ".part";
    if (!write_all(temporary.c_str(), as_json(file), O_TRUNC) || rename(temporary.c_str(), path.c_str()) != 0) {
      unlink(temporary.c_str());
    }
  } catch (...) {  // no memory: the program goes on without its file
  }
}

void append_run_line(const RunFile& file, const char* path) noexcept {
  try {
    if (!write_all(path, as_json(file), O_APPEND)) {
      std::fprintf(stderr, "gapless: cannot write the statistics to %s: %s\n", path, std::strerror(errno));
    }
  } catch (...) {
  }
}

}  // namespace gapless::preload
