#include "preload/watch/notes.hpp"

#include <atomic>
#include <climits>
#include <mutex>
#include <new>
#include <utility>

#include "base/immortal.hpp"
#include "mpi/abi/library.hpp"
#include "mpi/types/unused.hpp"
#include "preload/policy/switches.hpp"
#include "preload/policy/world.hpp"

namespace gapless::preload {

namespace {

std::uint32_t what_of(Procedure procedure, Role role, bool is_first) noexcept {
  return static_cast<std::uint32_t>(procedure) << 8 | static_cast<std::uint32_t>(role) << 1 | (is_first ? 1 : 0);
}

const char undecoded = 0;  // its address stands for every type that the layer does not know

std::atomic<std::uint64_t> communicator_epoch{1};

// Entries are written by one thread; the file's reader, and a thread that sees all entries, may come any time.
void add_own(std::int64_t& number, std::int64_t n) noexcept {
  __atomic_store_n(&number, number + n, __ATOMIC_RELAXED);
}
void add_shared(std::int64_t& number, std::int64_t n) noexcept {
  __atomic_fetch_add(&number, n, __ATOMIC_RELAXED);
}

void write_part(const Part& part, std::int64_t ticks, std::int64_t now) noexcept {
  Entry& entry = *part.entry;
  const auto add = is_shared(&entry) ? add_shared : add_own;
  add(entry.calls, 1);
  add(entry.bytes, part.bytes);
  add(entry.ticks, ticks);
  if (ticks > entry.longest) __atomic_store_n(&entry.longest, ticks, __ATOMIC_RELAXED);
  __atomic_store_n(&entry.last, now, __ATOMIC_RELAXED);
}

}  // namespace

// Open addressing; at most half full.
class Index {
 public:
  struct Key {
    const void* caller;
    const void* type;  // what is known of it; nullptr: contiguous
    std::int64_t count;
    std::uint32_t what;  // procedure, role, and whether it is the first part
    std::int32_t peer;
    bool operator==(const Key&) const = default;
  };

  Entry* find(const Key& key) const noexcept {
    for (std::size_t k = hash_of(key) & mask();; k = (k + 1) & mask()) {
      const Slot& slot = slots_[k];
      if (slot.entry == nullptr || slot.key == key) return slot.entry;
    }
  }
  // One that is not there; does nothing if there is no memory, so that it is looked for again.
  void insert(const Key& key, Entry* entry) noexcept {
    try {
      if (2 * (used_ + 1) > slots_.size()) grow();
    } catch (const std::bad_alloc&) {
      return;
    }
    place(slots_, key, entry);
    ++used_;
  }

  static Index* take() {
    Ended& all = ended();
    const std::lock_guard lock(all.mutex);
    if (all.left.empty()) return new Index;
    Index* const index = all.left.back();
    all.left.pop_back();
    return index;
  }
  static void leave(Index* index) noexcept {
    try {
      Ended& all = ended();
      const std::lock_guard lock(all.mutex);
      all.left.push_back(index);
    } catch (...) {  // no memory: its entries stay as they are, and are nobody's
    }
  }

 private:
  static std::size_t hash_of(const Key& key) noexcept {
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15u;
    std::uint64_t hash = reinterpret_cast<std::uintptr_t>(key.caller) * kOdd;
    hash = (hash ^ reinterpret_cast<std::uintptr_t>(key.type)) * kOdd;
    hash = (hash ^ static_cast<std::uint64_t>(key.count) ^ hash >> 29) * kOdd;
    hash = (hash ^ (std::uint64_t{key.what} << 32 | static_cast<std::uint32_t>(key.peer))) * kOdd;
    return hash >> 32;
  }

  struct Slot {
    Key key;
    Entry* entry = nullptr;
  };
  struct Ended {
    std::mutex mutex;
    std::vector<Index*> left;
  };
  static Ended& ended() noexcept { return base::immortal<Ended>(); }
  std::size_t mask() const noexcept { return slots_.size() - 1; }
  static void place(std::vector<Slot>& slots, const Key& key, Entry* entry) noexcept {
    std::size_t k = hash_of(key) & (slots.size() - 1);
    while (slots[k].entry != nullptr) k = (k + 1) & (slots.size() - 1);
    slots[k] = {key, entry};
  }
  void grow() {
    std::vector<Slot> larger(2 * slots_.size());
    for (const Slot& slot : slots_) {
      if (slot.entry != nullptr) place(larger, slot.key, slot.entry);
    }
    slots_.swap(larger);
  }

  std::vector<Slot> slots_ = std::vector<Slot>(64);
  std::size_t used_ = 0;
};

Notes::Notes() {
  try {
    index_ = Index::take();
  } catch (...) {  // no memory: this thread is not watched
  }
}

Notes::~Notes() {
  if (index_ != nullptr) Index::leave(index_);
}

Entry* Notes::find(Procedure procedure, Role role, const void* type, std::int64_t count, std::int32_t peer,
                   const void* caller, MPI_Datatype handle, bool is_decoded, mpi::DatatypePtr facts) noexcept {
  const bool is_first = parts_.empty();
  const Index::Key key{caller, type, count, what_of(procedure, role, is_first), peer};
  if (Entry* const known = index_->find(key); known != nullptr) [[likely]]
    return known;
  bool is_lasting = true;
  if (type != nullptr && is_decoded && facts == nullptr) {
    facts = mpi::find_type(handle, true);
    if (facts.get() != type) is_decoded = is_lasting = false;  // no memory, and the address becomes another one's
  }
  Entry* const made = new_entry(procedure, role, is_first, facts, is_decoded, count, peer, caller);
  // One that is shared is found by the next call again: the entries are used up, so the index would grow without them.
  if (is_lasting && !is_shared(made)) index_->insert(key, made);
  return made;
}

namespace {

bool has_handler_of_program(MPI_Comm comm) noexcept {
  MPI_Errhandler handler{};
  if (mpi::library.Comm_get_errhandler(comm, &handler) != MPI_SUCCESS) return true;
  const bool is_own = handler != MPI_ERRORS_RETURN && handler != MPI_ERRORS_ARE_FATAL;
  mpi::library.Errhandler_free(&handler);
  return is_own;
}

// Before a call its communicator may be none, and to ask of it an error, which goes to the handler of one of these two:
// a handler of the program would see one more. Without any the program ends, a call earlier, or nobody sees it.
bool may_ask() noexcept {
  return !has_handler_of_program(MPI_COMM_WORLD) && !has_handler_of_program(MPI_COMM_SELF);
}

// kForeignPeer if it has none.
std::int32_t rank_in_world(int rank, MPI_Comm comm) noexcept {
  int is_between = 0, size = 0, in_world = MPI_UNDEFINED;
  // The group of an intercommunicator is the own one; and without a world (sessions) there is nothing to translate to.
  if (comm == MPI_COMM_NULL || !world_is_up() || !may_ask()) return kForeignPeer;
  if (mpi::library.Comm_test_inter(comm, &is_between) != MPI_SUCCESS || is_between != 0) return kForeignPeer;
  if (mpi::library.Comm_size(comm, &size) != MPI_SUCCESS || rank < 0 || rank >= size) return kForeignPeer;
  MPI_Group own, world;
  if (mpi::library.Comm_group(comm, &own) != MPI_SUCCESS) return kForeignPeer;
  mpi::library.Comm_group(MPI_COMM_WORLD, &world);
  mpi::library.Group_translate_ranks(own, 1, &rank, world, &in_world);
  mpi::library.Group_free(&world);
  mpi::library.Group_free(&own);
  return in_world == MPI_UNDEFINED ? kForeignPeer : in_world;
}

}  // namespace

// `keeps` keeps alive what is not kept otherwise.
const mpi::Datatype* Notes::facts_of(MPI_Datatype type, mpi::DatatypePtr& keeps) {
  const std::uint64_t key = mpi::key_of(type), generation = mpi::generation_of(type);
  // Handles that are addresses meet often: of 200 each fifth would find another one in its only place.
  Seen* const set = &seen_[(key * 0x9e3779b97f4a7c15u >> 32) % (seen_.size() / kPlaces) * kPlaces];
  Seen* free = &set[key / sizeof(void*) % kPlaces];
  for (Seen* seen = set; seen != set + kPlaces; ++seen) {
    if (seen->key == key && seen->generation == generation) [[likely]]
      return seen->facts;
    if (seen->key == key || seen->facts == nullptr) free = seen;
  }
  const mpi::Datatype* facts = mpi::remembered_type(type);
  if (facts == nullptr) {
    // The layer's own wrapper, which comes next, decides by its first use.
    if (mpi::is_unused(type)) {
      first_uses_.push_back(type);
      keeps = mpi::look_at_unused(type);
      return keeps.get();
    }
    keeps = mpi::find_type(type, true);
    facts = keeps.get();
  }
  if (facts != nullptr && mpi::remembered_type(type) == facts) *free = {key, generation, facts};
  return facts;
}

void Notes::add(Procedure procedure, Role role, MPI_Count count, MPI_Datatype type, std::int64_t blocks,
                std::int32_t peer, const void* caller) {
  mpi::DatatypePtr keeps;
  const mpi::Datatype* const facts = facts_of(type, keeps);
  const bool is_decoded = facts != nullptr && facts->plan() != nullptr;
  MPI_Count size = 0;
  if (is_decoded) {
    size = facts->plan()->size();
  } else if (facts != nullptr) {  // one that was committed; of another handle nothing is known before the call
    mpi::library.Type_size_x(type, &size);
  }
  const std::int64_t bytes = peer == kNullPeer || count < 0 ? 0 : size * count * blocks;
  // Contiguous basic types are summed up: of other messages it matters who sends what where.
  const bool is_basic = mpi::is_contiguous_builtin(type);
  Entry* const entry = is_basic     ? find(procedure, role, nullptr, 0, kNoPeer, caller, type, true)
                       : is_decoded ? find(procedure, role, facts, count, peer, caller, type, true, std::move(keeps))
                                    : find(procedure, role, &undecoded, count, peer, caller, type, false);
  parts_.push_back({entry, bytes});
}

Part Notes::add_start(Procedure procedure, const Entry& made, std::int64_t bytes, const void* caller) {
  // The layout's number stands for the type, of which nothing else is known any more.
  const bool is_first = parts_.empty();
  const auto role = static_cast<Role>(made.role);
  const auto type = reinterpret_cast<const void*>(static_cast<std::intptr_t>(made.layout));
  const Index::Key key{caller, type, made.count, what_of(procedure, role, is_first), made.peer};
  Entry* entry = index_->find(key);
  if (entry == nullptr) {
    entry = new_entry(procedure, role, is_first, nullptr, true, made.count, made.peer, caller);
    if (!is_shared(entry)) {
      entry->layout = made.layout;
      index_->insert(key, entry);
    }
  }
  parts_.push_back({entry, bytes});
  return parts_.back();
}

void Notes::add_call(Procedure procedure, const void* caller) {
  parts_.push_back({find(procedure, Role::kNone, nullptr, 0, kNoPeer, caller, MPI_DATATYPE_NULL, true), 0});
}

void Notes::called() noexcept {
  if (first_uses_.empty()) [[likely]]
    return;
  for (const MPI_Datatype type : first_uses_) mpi::use_unused(type);
  first_uses_.clear();
}

void Notes::write(std::int64_t ticks, std::int64_t now) noexcept {
  if (parts_.size() == 1) [[likely]]
    return write_part(parts_.front(), ticks, now);
  std::int64_t bytes = 0;
  for (const Part& part : parts_) bytes += part.bytes;
  std::int64_t left = ticks;
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const double share = bytes == 0 ? 1.0 / static_cast<double>(parts_.size())
                                    : static_cast<double>(parts_[k].bytes) / static_cast<double>(bytes);
    const bool is_last = k + 1 == parts_.size();
    const auto mine = is_last ? left : static_cast<std::int64_t>(share * static_cast<double>(ticks));
    write_part(parts_[k], mine, now);
    left -= mine;
  }
}

Part Notes::main_part() const noexcept {
  for (const Part& part : parts_) {
    if (part.entry->layout > kContiguous) return part;
  }
  return parts_.front();
}

std::int32_t Notes::peer(int rank, MPI_Comm comm) noexcept {
  if (rank == MPI_PROC_NULL) return kNullPeer;
  if (rank == MPI_ANY_SOURCE) return kAnyPeer;
  if (comm == MPI_COMM_WORLD) return rank;
  const std::uint64_t key = mpi::key_of(comm);
  const std::uint64_t epoch = communicator_epoch.load(std::memory_order_relaxed);
  Translated& slot = translated_[(key * 0x9e3779b97f4a7c15u >> 32 ^ static_cast<unsigned>(rank)) % translated_.size()];
  if (slot.comm != key || slot.epoch != epoch || slot.rank != rank) [[unlikely]] {
    slot = {key, epoch, rank, rank_in_world(rank, comm)};
  }
  return slot.peer;
}

bool Notes::may_ask_of(MPI_Comm comm) noexcept {
  constexpr int kNoRank = INT_MIN;
  if (comm == MPI_COMM_WORLD || comm == MPI_COMM_SELF) return world_is_up();
  const std::uint64_t key = mpi::key_of(comm);
  const std::uint64_t epoch = communicator_epoch.load(std::memory_order_relaxed);
  Translated& slot = translated_[(key * 0x9e3779b97f4a7c15u >> 32) % translated_.size()];
  if (slot.comm == key && slot.epoch == epoch && slot.rank == kNoRank) [[likely]]
    return true;
  if (comm == MPI_COMM_NULL || !world_is_up() || !may_ask()) return false;
  slot = {key, epoch, kNoRank, kNoPeer};
  return true;
}

Blocks Notes::blocks(Kind kind, MPI_Comm comm, int root) noexcept {
  const std::uint64_t key = mpi::key_of(comm);
  const std::uint64_t epoch = communicator_epoch.load(std::memory_order_relaxed);
  const std::uint64_t what = key ^ static_cast<std::uint64_t>(kind) << 32 ^ static_cast<unsigned>(root);
  KnownBlocks& slot = known_blocks_[(what * 0x9e3779b97f4a7c15u >> 32) % known_blocks_.size()];
  if (slot.comm != key || slot.epoch != epoch || slot.kind != kind || slot.root != root) [[unlikely]] {
    slot = {key, epoch, kind, root, blocks_of(kind, comm, root)};
  }
  return slot.blocks;
}

void forget_translations() noexcept {
  communicator_epoch.fetch_add(1, std::memory_order_relaxed);
}

void add_later(Entry& entry, std::int64_t ticks) noexcept {
  add_shared(entry.later, ticks);
}

}  // namespace gapless::preload
