#include "rivals.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "bench/samples.h"
#include "check.hpp"
#include "options.hpp"
#include "program.hpp"

namespace gapless::bench {
namespace {

// The loop is here and not around the call of a std::function, so that a message of 64 bytes is not measured through
// one. The empty assembly keeps calls apart.
template <class Call>
Timed timed(Call call) {
  return [call](std::int64_t times) {
    const double start = now_ns();
    for (std::int64_t i = 0; i < times; ++i) {
      call();
      asm volatile("" : : : "memory");
    }
    return now_ns() - start;
  };
}

constexpr std::int64_t kChunks[] = {8192, 4096};

std::optional<std::string> differ(const char* what, const char* a, const char* b, std::size_t bytes) {
  if (std::memcmp(a, b, bytes) == 0) return std::nullopt;
  return std::string(what) + " did not move what it should";
}

std::int64_t payload_of(const Description& description, gapless_type type) {
  std::int64_t bytes = 0;
  check(gapless_type_size(type, &bytes));
  return bytes * description.count;
}

}  // namespace

const char* operation_name(Operation operation) {
  return operation == Operation::kPack ? "pack" : "unpack";
}

Contest::Contest(const Message& message, const std::vector<std::string>& wanted)
    : message_(message), wanted_(wanted), described_(describe(message, wanted)) {
  const Description& first = message.descriptions.front();
  const Described& basic = described_.front();
  std::int64_t capacity_bytes = payload_of(first, basic.type.handle());
  // The address is never used: only its place in a line counts.
  const char* const somewhere = reinterpret_cast<const char*>(std::uintptr_t{1} << 46);
  touched_ = touched_lines(somewhere, basic.count, basic.type.handle());
  transposes_ = message.list == nullptr && !touched_.ascending && touched_.bytes() > 2 * capacity_bytes;
  if (matches(wanted, "limit") && !transposes_) footprint_ = footprint_of(touched_);
  for (std::int64_t chunk_bytes : kChunks)
    if (transposes_ && chunk_bytes < capacity_bytes && matches(wanted, "touched"))
      parts_.push_back(part_lines(somewhere, basic.count, basic.type.handle(), chunk_bytes));
  if (!footprint_.runs.empty()) capacity_bytes = std::max(capacity_bytes, touched_.bytes());
  if (matches(wanted, "library")) {
    mpi_type_ = first.type.commit();
    MPI_Pack_size(first.count, mpi_type_.handle(), MPI_COMM_WORLD, &library_bytes_);
    capacity_bytes = std::max<std::int64_t>(capacity_bytes, library_bytes_);
  }
  arena_.emplace(first, capacity_bytes);
}

std::vector<Contest::Described> Contest::describe(const Message& message, const std::vector<std::string>& wanted) {
  std::vector<Described> described;
  for (const Description& description : message.descriptions) {
    const bool basic = described.empty();
    std::string name = basic ? "gapless" : "description:" + description.name;
    if (basic || matches(wanted, name))
      described.push_back({std::move(name), description.count, description.type.engine()});
  }
  return described;
}

std::vector<Rival> Contest::rivals(Operation operation) {
  std::vector<Rival> rivals;
  for (const Described& described : described_) rivals.push_back(gapless(described, operation, 0));
  const std::int64_t payload_bytes = arena().payload_bytes();
  for (std::int64_t chunk_bytes : kChunks)
    if (chunk_bytes < payload_bytes && matches(wanted_, "chunk"))
      rivals.push_back(gapless(described_.front(), operation, chunk_bytes));
  for (const PartLines& parts : parts_) rivals.push_back(touched_parts(operation, parts));
  if (!message_.hand.empty() && matches(wanted_, "hand")) rivals.push_back(by_hand(operation));
  if (matches(wanted_, "library")) rivals.push_back(library(operation));
  if (matches(wanted_, "memcpy")) rivals.push_back(copy(operation));
  if (!footprint_.runs.empty()) rivals.push_back(limit(operation));
  return rivals;
}

Rival Contest::gapless(const Described& described, Operation operation, std::int64_t chunk_bytes) {
  const gapless_type type = described.type.handle();
  const std::int64_t count = described.count, bytes = arena().payload_bytes();
  const std::int64_t step = chunk_bytes == 0 ? bytes : chunk_bytes;
  char* const user = arena().user();
  char* const packed = arena().packed();
  const auto pack = [=] {
    for (std::int64_t at = 0, moved = 0; at < bytes; at += moved)
      check(gapless_pack(user, count, type, at, packed + at, step, &moved));
  };
  const auto unpack = [=] {
    for (std::int64_t at = 0, moved = 0; at < bytes; at += moved)
      check(gapless_unpack(packed + at, std::min(step, bytes - at), at, user, count, type, &moved));
  };
  return {described.name, chunk_bytes, {{"", operation == Operation::kPack ? timed(pack) : timed(unpack)}}};
}

Rival Contest::by_hand(Operation operation) {
  Rival rival{"hand", 0, {}};
  const HandArguments arguments = message_.hand_arguments;
  char* const user = arena().user();
  char* const packed = arena().packed();
  for (const HandLoop& loop : message_.hand) {
    const auto pack = [=] { loop.pack(user, packed, arguments); };
    const auto unpack = [=] { loop.unpack(packed, user, arguments); };
    rival.ways.push_back({loop.name, operation == Operation::kPack ? timed(pack) : timed(unpack)});
  }
  return rival;
}

Rival Contest::library(Operation operation) {
  const MPI_Datatype type = mpi_type_.handle();
  const int count = message_.descriptions.front().count, bytes = library_bytes_;
  char* const user = arena().user();
  char* const packed = arena().packed();
  const auto pack = [=] {
    int position = 0;
    MPI_Pack(user, count, type, packed, bytes, &position, MPI_COMM_WORLD);
  };
  const auto unpack = [=] {
    int position = 0;
    MPI_Unpack(packed, bytes, &position, user, count, type, MPI_COMM_WORLD);
  };
  return {"library", 0, {{"", operation == Operation::kPack ? timed(pack) : timed(unpack)}}};
}

// The payload as one block, between the same two places.
Rival Contest::copy(Operation operation) {
  const auto bytes = static_cast<std::size_t>(std::min(arena().payload_bytes(), arena().span_bytes()));
  char* const user = arena().lowest();
  char* const packed = arena().packed();
  const auto pack = [=] { std::memcpy(packed, user, bytes); };
  const auto unpack = [=] { std::memcpy(user, packed, bytes); };
  return {"memcpy", 0, {{"", operation == Operation::kPack ? timed(pack) : timed(unpack)}}, [=] {
            return differ("memcpy", user, packed, bytes);
          }};
}

Rival Contest::limit(Operation operation) {
  const Footprint& footprint = footprint_;
  char* const user = arena().user();
  char* const packed = arena().packed();
  // Both ways, the lines of the list and those of the packed side must be equal in the end; an unpack that visits lines
  // twice leaves the last of them.
  const bool comparable = operation == Operation::kPack || touched_.ascending;
  Rival rival{"limit", 0, {}, [=, this]() -> std::optional<std::string> {
                const char* lines = packed;
                if (!comparable) return std::nullopt;
                for (const LineRun& run : touched_.runs) {
                  const auto bytes = static_cast<std::size_t>(run.count * kLineBytes);
                  if (auto wrong = differ("limit", user + run.first * kLineBytes, lines, bytes)) return wrong;
                  lines += bytes;
                }
                return std::nullopt;
              }};
  for (const LimitLoop& loop : limit_loops()) {
    const auto pack = [=, &footprint] { loop.pack(footprint, user, packed); };
    const auto unpack = [=, &footprint] { loop.unpack(footprint, packed, user); };
    rival.ways.push_back({loop.name, operation == Operation::kPack ? timed(pack) : timed(unpack)});
  }
  return rival;
}

// It moves none of the message: what it read and wrote is in no rival's way, for each is verified by itself.
Rival Contest::touched_parts(Operation operation, const PartLines& parts) {
  char* const user = arena().user();
  char* const packed = arena().packed();
  Rival rival{"touched", parts.part_bytes, {}, [] { return std::optional<std::string>{}; }};
  for (const PartLoop& loop : part_loops()) {
    const auto pack = [=, &parts] { loop.pack(parts, user, packed); };
    const auto unpack = [=, &parts] { loop.unpack(parts, packed, user); };
    rival.ways.push_back({loop.name, operation == Operation::kPack ? timed(pack) : timed(unpack)});
  }
  return rival;
}

}  // namespace gapless::bench
