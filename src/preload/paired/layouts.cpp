#include "preload/paired/layouts.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <new>
#include <unordered_map>

#include "base/immortal.hpp"
#include "preload/stats/ways.hpp"
#include "serial/serial.hpp"

namespace gapless::preload {

namespace {

// What a program uses at a time: of its own types, and of those of all its peers.
constexpr std::size_t kMostShown = 256, kMostRead = 4096;

struct Shown {
  std::weak_ptr<const mpi::Datatype> type;
  bool is_lasting = false;  // nobody owns it, as those of MPI's own types
  wire::Place place;        // serial 0: it cannot be shown

  bool is_gone() const noexcept { return !is_lasting && type.expired(); }
};

struct Read {
  copy::ForeignPtr layout;
  std::uint64_t last_used = 0;
};

struct Tables {
  std::mutex mutex;
  std::unordered_map<const mpi::Datatype*, Shown> shown;
  std::unordered_map<std::uint64_t, Read> read;
  copy::ForeignLayouts layouts;  // of what was read
  std::uint64_t clock = 0;
};
Tables& tables() noexcept {
  return base::immortal<Tables>();
}

// Those of types that are gone: no message can be of one.
void forget_gone(SharedMemory& shared, Tables& all) noexcept {
  std::erase_if(all.shown, [&](const auto& entry) {
    if (!entry.second.is_gone()) return false;
    if (entry.second.place.serial != 0) shared.board.remove(entry.second.place);
    return true;
  });
}

}  // namespace

std::optional<wire::Place> show_layout(SharedMemory& shared, const mpi::DatatypePtr& type) noexcept {
  Tables& all = tables();
  const std::lock_guard lock(all.mutex);
  const auto given = [](const wire::Place& place) {
    return place.serial == 0 ? std::nullopt : std::optional<wire::Place>(place);
  };
  try {
    // A new type may have the address of one that is gone.
    const auto found = all.shown.find(type.get());
    if (found != all.shown.end() && !found->second.is_gone()) {
      count_way(WayEvent::kLayoutKnown);
      return given(found->second.place);
    }
    forget_gone(shared, all);
    if (all.shown.size() >= kMostShown) return std::nullopt;
    count_way(WayEvent::kLayoutNew);
    // Known before it is tried: what cannot be shown is not tried again.
    const Shown made{.type = type, .is_lasting = type.use_count() == 0, .place = {}};
    wire::Place& place = all.shown.emplace(type.get(), made).first->second.place;
    const layout::Layout& of = *type->layout();
    shared.board.show(serial::serialise(type->plan()->form(), of.lb, of.extent), place);
    return given(place);
  } catch (...) {
    return std::nullopt;
  }
}

namespace {

// Under the lock. Throws if what stands there is no layout, or std::bad_alloc.
copy::ForeignPtr read_anew(SharedMemory& shared, Tables& all, int process, const wire::Place& place,
                           std::uint64_t key) {
  copy::ForeignPtr layout = all.layouts.of(wire::Board::read(shared.segment, process, place));
  if (all.read.size() >= kMostRead) {
    all.read.erase(std::min_element(all.read.begin(), all.read.end(), [](const auto& a, const auto& b) {
      return a.second.last_used < b.second.last_used;
    }));
  }
  all.read.emplace(key, Read{layout, ++all.clock});
  return layout;
}

}  // namespace

copy::ForeignPtr read_layout(SharedMemory& shared, int process, const wire::Place& place) noexcept {
  const std::uint64_t key = place.serial * wire::kMaxProcesses + static_cast<std::uint64_t>(process);
  Tables& all = tables();
  const std::lock_guard lock(all.mutex);
  if (const auto found = all.read.find(key); found != all.read.end()) {
    count_way(WayEvent::kLayoutKnown);
    found->second.last_used = ++all.clock;
    return found->second.layout;
  }
  count_way(WayEvent::kLayoutNew);
  copy::ForeignPtr layout;
  for (bool tries = true; tries;) {
    tries = false;
    try {
      layout = read_anew(shared, all, process, place, key);
    } catch (const std::bad_alloc&) {
      tries = shared.spare.give_up();
    } catch (...) {  // it is no layout
    }
  }
  shared.spare.keep();
  return layout;
}

}  // namespace gapless::preload
