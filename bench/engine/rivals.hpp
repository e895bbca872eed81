// Everything that packs and unpacks one message.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "arena.hpp"
#include "limit.hpp"

namespace gapless::bench {

enum class Operation { kPack, kUnpack };
const char* operation_name(Operation operation);

// Runs an operation so often and returns how long that took [ns].
using Timed = std::function<double(std::int64_t times)>;

struct Way {
  std::string loop;  // which one, of a rival that has several
  Timed run;
};

struct Rival {
  std::string name;
  std::int64_t chunk_bytes = 0;  // 0: the whole message in one call
  std::vector<Way> ways;         // the fastest one counts
  // What a rival that moves other bytes than the message must have moved; says what is wrong, or nothing.
  std::function<std::optional<std::string>()> check = nullptr;
};

// One message on one MPI library, in its memory.
class Contest {
 public:
  // Rivals whose names do not match `wanted` are not even built; gapless always is.
  Contest(const Message& message, const std::vector<std::string>& wanted);

  std::vector<Rival> rivals(Operation operation);
  Arena& arena() { return *arena_; }
  const Touched& touched() const { return touched_; }
  // It visits lines again and again, in an order that a good traversal leaves: visiting them so is no limit.
  bool transposes() const { return transposes_; }

 private:
  struct Described {
    std::string name;
    std::int64_t count;
    lab::EngineType type;
  };
  static std::vector<Described> describe(const Message& message, const std::vector<std::string>& wanted);
  Rival gapless(const Described& described, Operation operation, std::int64_t chunk_bytes);
  Rival by_hand(Operation operation);
  Rival library(Operation operation);
  Rival copy(Operation operation);
  Rival limit(Operation operation);
  Rival touched_parts(Operation operation, const PartLines& parts);

  const Message& message_;
  std::vector<std::string> wanted_;
  std::vector<Described> described_;  // the message itself first
  lab::MpiType mpi_type_;
  int library_bytes_ = 0;
  Touched touched_;
  bool transposes_ = false;
  Footprint footprint_;
  std::vector<PartLines> parts_;  // of 8 KB and of 4 KB, where it transposes
  std::optional<Arena> arena_;
};

}  // namespace gapless::bench
