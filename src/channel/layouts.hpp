// The layouts of this process's messages: each form once, however often it was described; what a message of it is made
// of; and where that lies in memory, registered or not. All bounded, the least recently used goes first.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "channel/frame.hpp"
#include "channel/recent.hpp"
#include "channel/type.hpp"
#include "wire/fabric/memory.hpp"

namespace gapless::channel {

// A form has a number, which peers know it by; a later form of the same number has a later generation.
struct OwnForm {
  std::uint32_t number = 0, generation = 0;
  std::string bytes;
  Type type;
  std::uint64_t used = 0;
};
using OwnFormPtr = std::shared_ptr<const OwnForm>;

struct Range {
  std::int64_t offset, bytes;  // [bytes] from the buffer's address
};

// What (count, form) is made of.
struct Shape {
  OwnFormPtr form;
  std::int64_t count = 0, bytes = 0;
  std::int64_t runs = 0, shortest = 0;
  bool is_contiguous = false;
  // What is to be registered. Runs less than a page apart are one range: each page between them has data of one of
  // them. Where that gives too many, wider gaps are taken in.
  std::vector<Range> ranges;
  std::int64_t average() const noexcept { return runs == 0 ? 0 : bytes / runs; }
};
using ShapePtr = std::shared_ptr<const Shape>;

// A shape at an address.
class Placement {
 public:
  enum class State { kUnknown, kAsked, kReady, kImpossible };
  Placement(ShapePtr shape, char* base) : shape_(std::move(shape)), base_(base) {}

  const Shape& shape() const noexcept { return *shape_; }
  char* base() const noexcept { return base_; }
  bool is_ready() const noexcept { return state_.load(std::memory_order_acquire) == State::kReady; }
  State state() const noexcept { return state_.load(std::memory_order_acquire); }
  // In the order of the shape's ranges; once it is ready.
  const std::vector<wire::fabric::RegionPtr>& regions() const noexcept { return regions_; }
  // The region that has so many bytes at `piece`.
  const wire::fabric::Region* region_of(const char* piece, std::int64_t bytes) const noexcept;

  void registered(wire::fabric::Memory& memory, bool aside) noexcept;
  void release() noexcept;  // unless it is being registered aside
  bool ask() noexcept;      // true: is to be registered aside, and was not asked for yet
  int uses = 0;
  int in_use = 0;  // messages that are on their way from or to it

 private:
  ShapePtr shape_;
  char* base_;
  std::vector<wire::fabric::RegionPtr> regions_;
  std::atomic<State> state_{State::kUnknown};
};
using PlacementPtr = std::shared_ptr<Placement>;

class Layouts {
 public:
  explicit Layouts(wire::fabric::Memory& memory) : memory_(memory) {}
  ~Layouts();

  // Throws Failure. Cost: for a type and count that are known, two look-ups; else linear in the runs.
  ShapePtr shape_of(gapless_type type, std::int64_t count);
  // For a message, which takes itself off `in_use` at its end. Counts how often it was asked for.
  PlacementPtr placement_of(const ShapePtr& shape, void* base);

  // Registers now, or by a thread beside.
  void make_ready(Placement& placement) { placement.registered(memory_, false); }
  void make_ready_aside(const PlacementPtr& placement);
  void forget(char* base, std::int64_t bytes);
  std::int64_t memory_bytes() const noexcept;

 private:
  OwnFormPtr form_of(gapless_type type);
  void work();

  static constexpr std::size_t kMostPlacements = 512;
  wire::fabric::Memory& memory_;
  std::uint64_t now_ = 0;
  std::unordered_map<std::string, std::shared_ptr<OwnForm>> forms_;  // by their bytes
  Recent<std::uint64_t, std::shared_ptr<OwnForm>, kMostForms> by_id_;
  std::vector<std::uint32_t> generations_;  // of the numbers given so far
  struct ShapeKey {
    const OwnForm* form;
    std::int64_t count;
    bool operator==(const ShapeKey&) const = default;
  };
  struct PlaceKey {
    const Shape* shape;
    void* base;
    bool operator==(const PlaceKey&) const = default;
  };
  struct Hash {
    static std::size_t of(const void* a, std::uint64_t b) noexcept {
      return (reinterpret_cast<std::size_t>(a) / 16 * 0x9E3779B97F4A7C15ULL) ^ (b * 0xC2B2AE3D27D4EB4FULL >> 7);
    }
    std::size_t operator()(const ShapeKey& key) const noexcept {
      return of(key.form, static_cast<std::uint64_t>(key.count));
    }
    std::size_t operator()(const PlaceKey& key) const noexcept {
      return of(key.shape, reinterpret_cast<std::uint64_t>(key.base));
    }
  };
  Recent<ShapeKey, ShapePtr, kMostForms, Hash> shapes_;
  Recent<PlaceKey, PlacementPtr, kMostPlacements, Hash> placements_;

  std::mutex lock_;
  std::condition_variable asked_, done_;
  std::deque<PlacementPtr> queue_;
  bool is_ending_ = false, is_working_ = false;
  std::thread worker_;
};

}  // namespace gapless::channel
