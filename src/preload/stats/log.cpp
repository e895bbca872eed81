#include "preload/stats/log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>

#include "base/settings.hpp"
#include "preload/policy/rules_file.hpp"
#include "preload/policy/world.hpp"

namespace gapless::preload {

int log_file = -1;

namespace {

void write_line(const char* line, int length) noexcept {
  while (write(log_file, line, static_cast<std::size_t>(length)) < 0 && errno == EINTR) {
  }  // any other error: nowhere to say so
}

void log_rules() noexcept {
  const RulesReport& report = rules_report();
  for (const bool taken : {true, false}) {
    const std::string& what = taken ? report.file : report.refused;
    if (what.empty()) continue;
    char line[512];
    const int length = std::snprintf(line, sizeof line, "gapless: rules %s: %s\n",
                                     taken ? "in force" : "refused, the built-in ones are in force", what.c_str());
    write_line(line, length < static_cast<int>(sizeof line) ? length : static_cast<int>(sizeof line) - 1);
  }
}

}  // namespace

void open_log() noexcept {
  if (!base::setting_on("GAPLESS_LOG")) return;
  const char* const name = base::setting_text("GAPLESS_LOG");
  const bool is_switch = name[0] == '1' && name[1] == '\0';
  // A file that cannot be opened leaves standard error: a log that was asked for is not swallowed.
  if (!is_switch) log_file = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (log_file < 0) log_file = STDERR_FILENO;
  log_rules();
}

void log_refused() noexcept {
  try {
    const std::string refused = base::refused_settings();
    if (refused.empty()) return;
    const std::string line = "gapless: " + refused + '\n';
    write_line(line.data(), static_cast<int>(line.size()));
  } catch (...) {  // no memory: a line less
  }
}

// One write a line, so that lines of several ranks and threads do not mix.
void log_decision(Procedure procedure, std::int64_t count, const plan::Plan* plan, Path path, Reason reason,
                  bool is_split) noexcept {
  static constexpr const char* kPaths[] = {"native", "in place", "packed", "through shared memory"};
  char line[256];
  int length = std::snprintf(line, sizeof line, "gapless: rank %d: %s: ", world_rank(),
                             kProcedureNames[static_cast<int>(procedure)]);
  const auto room = [&] { return sizeof line - static_cast<std::size_t>(length); };
  if (plan == nullptr) {
    length += std::snprintf(line + length, room(), "count %lld: ", static_cast<long long>(count));
  } else {
    length +=
        std::snprintf(line + length, room(), "count %lld of %lld bytes in %lld runs: ", static_cast<long long>(count),
                      static_cast<long long>(plan->size()), static_cast<long long>(plan->run_count()));
  }
  length += std::snprintf(line + length, room(), "%s", kPaths[static_cast<int>(path)]);
  if (path == Path::kNative) {
    length += std::snprintf(line + length, room(), " (%s)", kReasonNames[static_cast<int>(reason)]);
  }
  if (is_split) length += std::snprintf(line + length, room(), ", in two pieces");
  line[length++] = '\n';
  write_line(line, length);
}

void log_collective(Procedure procedure, std::int64_t bytes, Reason reason) noexcept {
  char line[160];
  const char* const name = kProcedureNames[static_cast<int>(procedure)];
  const int length = reason == Reason::kNone
                         ? std::snprintf(line, sizeof line, "gapless: rank %d: %s: %lld bytes: as bytes\n",
                                         world_rank(), name, static_cast<long long>(bytes))
                         : std::snprintf(line, sizeof line, "gapless: rank %d: %s: native (%s)\n", world_rank(), name,
                                         kReasonNames[static_cast<int>(reason)]);
  write_line(line, length);
}

void log_own_alltoall(Procedure procedure, std::int64_t bytes, const char* algorithm) noexcept {
  char line[160];
  const int length = std::snprintf(
      line, sizeof line, "gapless: rank %d: %s: %lld bytes: by Gapless's own algorithm, %s\n", world_rank(),
      kProcedureNames[static_cast<int>(procedure)], static_cast<long long>(bytes), algorithm);
  write_line(line, length);
}

void log_paired(Procedure procedure, const Paired& blocks) noexcept {
  char line[256];
  const int length = std::snprintf(
      line, sizeof line,
      "gapless: rank %d: %s: through shared memory: %lld blocks of %lld bytes sent, %lld of %lld bytes received\n",
      world_rank(), kProcedureNames[static_cast<int>(procedure)], static_cast<long long>(blocks.sent),
      static_cast<long long>(blocks.sent_bytes), static_cast<long long>(blocks.received),
      static_cast<long long>(blocks.received_bytes));
  write_line(line, length);
}

void log_way(int rank, std::int64_t count, const plan::Plan& plan, const char* way_and_why) noexcept {
  char line[300];
  const int length =
      std::snprintf(line, sizeof line, "gapless: rank %d: to rank %d: count %lld of %lld bytes in %lld runs: %.150s\n",
                    world_rank(), rank, static_cast<long long>(count), static_cast<long long>(plan.size()),
                    static_cast<long long>(plan.run_count()), way_and_why);
  write_line(line, length);
}

void log_unread(int rank, const char* what, const char* why) noexcept {
  char line[200];
  const int length = std::snprintf(line, sizeof line, "gapless: rank %d: %s of rank %d cannot be read: %.100s\n",
                                   world_rank(), what, rank, why);
  write_line(line, length);
}

void log_shared_memory(const std::string& why, const std::string& messages) noexcept {
  char line[300];
  const int length = why.empty()
                         ? std::snprintf(line, sizeof line, "gapless: rank %d: shared memory: with this node; %.200s\n",
                                         world_rank(), messages.c_str())
                         : std::snprintf(line, sizeof line, "gapless: rank %d: shared memory: none (%.200s)\n",
                                         world_rank(), why.c_str());
  write_line(line, length);
}

void log_heap(const std::string& why) noexcept {
  char line[300];
  const int length = std::snprintf(line, sizeof line, "gapless: rank %d: MPI_Alloc_mem: %s%.200s%s\n", world_rank(),
                                   why.empty() ? "memory that this node can map" : "the library's (", why.c_str(),
                                   why.empty() ? "" : ")");
  write_line(line, length);
}

void log_world(bool agreed, const std::string& why) noexcept {
  char line[300];
  const int length = std::snprintf(line, sizeof line, "gapless: rank %d: MPI_COMM_WORLD: collectives %s (%.200s)\n",
                                   world_rank(), agreed ? "as bytes" : "native", why.c_str());
  write_line(line, length);
}

}  // namespace gapless::preload
