#include "preload/watch/watch.hpp"

#include <cstring>
#include <iterator>
#include <tuple>
#include <type_traits>

#include "base/settings.hpp"
#include "base/ticks.hpp"
#include "preload/paired/callers.hpp"
#include "preload/watch/arguments.hpp"
#include "preload/watch/notes.hpp"
#include "preload/watch/shares.hpp"
#include "preload/watch/started.hpp"
#include "preload/wrappers.hpp"

namespace gapless::preload {

namespace {

bool accelerated = false;
Started started;

// Ends the thread's notes also where an error handler of the program throws through the library.
class Watch {
 public:
  explicit Watch(Notes* notes) noexcept : notes_(notes) {}
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch() {
    notes_->clear();
    notes_->end();
  }

 private:
  Notes* notes_;
};

template <int position, class Given>
decltype(auto) get(const Given& given) noexcept {
  return std::get<static_cast<std::size_t>(position)>(given);
}

// The sum of a list of counts.
template <class Count>
std::int64_t sum(const Count* counts, int n) noexcept {
  std::int64_t total = 0;
  for (int k = 0; k < n; ++k) total += counts[k];
  return total;
}

struct Call {
  Notes& notes;
  Procedure procedure;
  const void* caller;
};

template <Arguments at, class Given>
void add_one(const Call& call, const Given& given) {
  const auto count = static_cast<MPI_Count>(get<at.count>(given));
  const MPI_Datatype type = get<at.type>(given);
  std::int64_t blocks = 1;
  if constexpr (at.partitions >= 0) blocks = get<at.partitions>(given);
  const auto add = [&](Role role, std::int32_t peer) {
    call.notes.add(call.procedure, role, count, type, blocks, peer, call.caller);
  };
  if constexpr (at.dest >= 0) add(Role::kSend, call.notes.peer(get<at.dest>(given), get<at.comm>(given)));
  if constexpr (at.source >= 0) add(Role::kReceive, call.notes.peer(get<at.source>(given), get<at.comm>(given)));
  if constexpr (at.kind == Kind::kReceive && at.source < 0) add(Role::kReceive, kAnyPeer);
  if constexpr (at.kind == Kind::kPack) add(Role::kPack, kNoPeer);
  if constexpr (at.kind == Kind::kUnpack) add(Role::kUnpack, kNoPeer);
  if constexpr (at.kind == Kind::kFile) add(Role::kFile, kNoPeer);
  if constexpr (at.kind == Kind::kBroadcast) {
    const MPI_Comm comm = get<at.comm>(given);
    const int root = get<at.root>(given);
    if (root == MPI_PROC_NULL || !call.notes.may_ask_of(comm)) return;
    int rank = -1, is_between = 0;
    mpi::library.Comm_rank(comm, &rank);
    // Between two groups the root is a rank in the other one.
    if (rank == root && comm != MPI_COMM_WORLD) mpi::library.Comm_test_inter(comm, &is_between);
    const bool sends = root == MPI_ROOT || (rank == root && is_between == 0);
    add(sends ? Role::kSend : Role::kReceive, kNoPeer);
  }
}

// A buffer of a collective call. A list that is missing is an error, and the library's to raise.
template <class Counts, class Types>
void add_side(const Call& call, Role role, Counts counts, Types types, int blocks, MPI_Comm comm, bool to_members) {
  if constexpr (std::is_pointer_v<Counts>) {
    if (counts == nullptr) return;
  }
  if constexpr (std::is_pointer_v<Counts> && !std::is_same_v<Types, MPI_Datatype>) {
    if (types == nullptr) return;
    for (int k = 0; k < blocks; ++k) {
      if (counts[k] == 0) continue;
      call.notes.add(call.procedure, role, counts[k], types[k], 1, to_members ? call.notes.peer(k, comm) : kNoPeer,
                     call.caller);
    }
  } else if constexpr (std::is_pointer_v<Counts>) {
    if (blocks > 0) call.notes.add(call.procedure, role, sum(counts, blocks), types, 1, kNoPeer, call.caller);
  } else if (blocks > 0) {
    call.notes.add(call.procedure, role, counts, types, blocks, kNoPeer, call.caller);
  }
}

template <Arguments at, class Given>
void add_two(const Call& call, const Given& given) {
  if constexpr (at.kind == Kind::kSendReceive) {
    const MPI_Comm comm = get<at.comm>(given);
    call.notes.add(call.procedure, Role::kSend, get<at.out_count>(given), get<at.out_type>(given), 1,
                   call.notes.peer(get<at.dest>(given), comm), call.caller);
    call.notes.add(call.procedure, Role::kReceive, get<at.in_count>(given), get<at.in_type>(given), 1,
                   call.notes.peer(get<at.source>(given), comm), call.caller);
  } else {
    const MPI_Comm comm = get<at.comm>(given);
    int root = 0;
    if constexpr (at.root >= 0) root = get<at.root>(given);
    if (!call.notes.may_ask_of(comm)) return;
    const Blocks blocks = call.notes.blocks(at.kind, comm, root);
    const bool to_members = at.kind == Kind::kAllToAll;
    // A buffer that is MPI_IN_PLACE has no count and no type.
    if (get<at.out>(given) != MPI_IN_PLACE) {
      constexpr bool is_list = at.lists_counts && at.kind != Kind::kGather && at.kind != Kind::kAllGather &&
                               at.kind != Kind::kNeighbourGather;
      static_assert(is_list == std::is_pointer_v<std::decay_t<decltype(get<at.out_count>(given))>>);
      add_side(call, Role::kSend, get<at.out_count>(given), get<at.out_type>(given), blocks.out, comm, to_members);
    }
    if (static_cast<const void*>(get<at.in>(given)) != MPI_IN_PLACE) {
      add_side(call, Role::kReceive, get<at.in_count>(given), get<at.in_type>(given), blocks.in, comm, to_members);
    }
  }
}

// The requests that a call is given: one by its address or its value, or several.
template <Arguments at, class Given>
const MPI_Request* requests_of(const Given& given, int& n) noexcept {
  if constexpr (at.requests >= 0) {
    n = get<at.count>(given);
    return n > 0 ? get<at.requests>(given) : nullptr;
  } else {
    n = 1;
    if constexpr (std::is_same_v<std::decay_t<decltype(get<at.request>(given))>, MPI_Request>) {
      return &get<at.request>(given);
    } else {
      return get<at.request>(given);
    }
  }
}

template <Arguments at, class Given>
void look_at_requests(Notes& notes, const Given& given) {
  int n = 0;
  const MPI_Request* const requests = requests_of<at>(given, n);
  notes.pending.clear();
  if (requests == nullptr) return;
  notes.pending.reserve(static_cast<std::size_t>(n));
  for (int k = 0; k < n; ++k) notes.pending.push_back({started.find(requests[k]), mpi::key_of(requests[k])});
}

// Of the calls that complete, test, or go on with requests: their time is that of the requests, by their bytes; what
// belongs to none that is known is the call's own.
template <Arguments at, class Given>
void note_later(const Call& call, const Given& given, std::int64_t ticks, std::int64_t now) {
  int n = 0;
  const MPI_Request* const requests = requests_of<at>(given, n);
  Notes& notes = call.notes;
  std::int64_t bytes = 0, known = 0;
  for (const Request& one : notes.pending) {
    if (one.part.entry != nullptr) ++known, bytes += one.part.bytes;
  }
  for (std::size_t k = 0; k < notes.pending.size(); ++k) {
    const Request& one = notes.pending[k];
    if (one.part.entry == nullptr) continue;
    const double share = bytes == 0 ? 1.0 / static_cast<double>(known)
                                    : static_cast<double>(one.part.bytes) / static_cast<double>(bytes);
    add_later(*one.part.entry, static_cast<std::int64_t>(share * static_cast<double>(ticks)));
    if (requests[k] == MPI_REQUEST_NULL) started.drop(one.part.entry, one.key);
  }
  notes.add_call(call.procedure, call.caller);
  notes.write(known == 0 ? ticks : 0, now);
}

template <Arguments at, class Given>
void note_start(const Call& call, const Given& given, std::int64_t ticks, std::int64_t now) {
  int n = 0;
  const MPI_Request* const requests = requests_of<at>(given, n);
  Notes& notes = call.notes;
  for (std::size_t k = 0; k < notes.pending.size(); ++k) {
    const Part& made = notes.pending[k].part;
    if (made.entry == nullptr) continue;
    const Part begun = notes.add_start(call.procedure, *made.entry, made.bytes, call.caller);
    started.put(requests[k], begun);
  }
  if (notes.is_empty()) notes.add_call(call.procedure, call.caller);
  notes.write(ticks, now);
}

template <Procedure procedure, Arguments at, auto native, auto* wrapper, class Signature>
struct Watched;

template <Procedure procedure, Arguments at, auto native, auto* wrapper, class... Given>
struct Watched<procedure, at, native, wrapper, int(Given...)> {
  static constexpr bool kLater = at.kind == Kind::kLater, kStart = at.kind == Kind::kStart;

  static int call(Given... given) {
    const void *const caller = __builtin_return_address(0), *const frame = __builtin_frame_address(0);
    // What the library calls itself stays with it: the layer's own wrappers know it by where it comes from.
    const auto go = accelerated && !is_library_code(caller) ? wrapper : mpi::library.*native;
    Notes* const notes = Notes::begin();
    if (notes == nullptr) return go(given...);
    const Watch watch(notes);
    const std::tuple<Given...> all(given...);
    Call noted{*notes, procedure, caller};
    // Before the call, for while it blocks another thread may free its communicator and its types.
    const bool is_noted = guarded([&] {
      noted.caller = notes->call_sites.of(caller, frame);
      look(noted, all);
    });
    const std::int64_t from = base::ticks();
    const int code = go(given...);
    const std::int64_t now = base::ticks();
    notes->called();
    if (code == MPI_SUCCESS && is_noted) guarded([&] { note(noted, all, now - from, now); });
    return code;
  }

 private:
  template <class Do>
  static bool guarded(Do&& act) noexcept {
    try {
      act();
      return true;
    } catch (...) {  // no memory: this call is not in the book
      return false;
    }
  }

  // What the arguments say, which may be wrong ones.
  static void look(const Call& call, const std::tuple<Given...>& all) {
    if constexpr (kLater || kStart) {
      look_at_requests<at>(call.notes, all);
    } else {
      if constexpr (at.out_type >= 0) {
        add_two<at>(call, all);
      } else {
        add_one<at>(call, all);
      }
      if (call.notes.is_empty()) call.notes.add_call(call.procedure, call.caller);
    }
  }

  // Of a call that has succeeded.
  static void note(const Call& call, const std::tuple<Given...>& all, std::int64_t ticks, std::int64_t now) {
    if constexpr (kLater) {
      note_later<at>(call, all, ticks, now);
    } else if constexpr (kStart) {
      note_start<at>(call, all, ticks, now);
    } else {
      if constexpr (at.makes_request) {
        if (get<at.request>(all) != nullptr) started.put(*get<at.request>(all), call.notes.main_part());
      }
      // The requests of persistent calls move data when they are started.
      if constexpr (at.is_persistent) call.notes.forget_bytes();
      call.notes.write(ticks, now);
    }
  }
};

template <class Wrapper, class... Given>
int between_worlds(Wrapper* wrapper, bool begins, Given... given) noexcept {
  if (!begins) note_world_ends();
  const int code = wrapper(given...);
  if (begins && code == MPI_SUCCESS) note_world_begins();
  return code;
}

int watch_init(int* argc, char*** argv) {
  return between_worlds(wrap_Init, true, argc, argv);
}

int watch_init_thread(int* argc, char*** argv, int required, int* provided) {
  return between_worlds(wrap_Init_thread, true, argc, argv, required, provided);
}

int watch_session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session* session) {
  return between_worlds(wrap_Session_init, true, info, errhandler, session);
}

int watch_finalize(void) {
  return between_worlds(wrap_Finalize, false);
}

int watch_session_finalize(MPI_Session* session) {
  return between_worlds(wrap_Session_finalize, false, session);
}

int watch_comm_free(MPI_Comm* comm) {
  forget_translations();
  return (accelerated ? wrap_Comm_free : mpi::library.Comm_free)(comm);
}

int watch_comm_disconnect(MPI_Comm* comm) {
  forget_translations();
  return (accelerated ? wrap_Comm_disconnect : mpi::library.Comm_disconnect)(comm);
}

}  // namespace

Watching watching_asked_for() noexcept {
  static constexpr const char* kKnown[] = {"native", "accelerated"};
  const char* const asked = base::setting_text("GAPLESS_PROFILE");
  if (asked == nullptr || base::setting_text("GAPLESS_RUN_DIR") == nullptr) return Watching::kNot;
  if (std::strcmp(asked, kKnown[0]) == 0) return Watching::kNative;
  if (std::strcmp(asked, kKnown[1]) == 0) return Watching::kAccelerated;
  base::refuse_setting("GAPLESS_PROFILE", kKnown);
  return Watching::kNot;
}

bool watch(Backend& backend, Watching how) noexcept {
  if (!open_book()) return false;
  accelerated = how == Watching::kAccelerated;
  find_library_code();
  const auto put = [&](Procedure procedure, auto* wrapper) {
    backend.wrappers[static_cast<int>(procedure)] = reinterpret_cast<void*>(wrapper);
  };
#define GAPLESS_WATCHED(full, name, arguments, count)                                                       \
  put(Procedure::k##full, Watched<Procedure::k##full, arguments_of(#name, #arguments), &mpi::Library::full, \
                                  &wrap_##full, mpi::Signatures<count>::name>::call);
#define GAPLESS_PLAIN(name, arguments) GAPLESS_WATCHED(name, name, arguments, int)
#define GAPLESS_COUNTED(name, arguments)      \
  GAPLESS_WATCHED(name, name, arguments, int) \
  GAPLESS_WATCHED(name##_c, name, arguments, MPI_Count)
  // Natively, the layer must know datatypes, and when the world begins and ends; nothing else.
#define GAPLESS_SERVICE(name, arguments) \
  if (!accelerated) backend.wrappers[static_cast<int>(Procedure::k##name)] = nullptr;
#include "mpi/abi/procedures.def"
#undef GAPLESS_PLAIN
#undef GAPLESS_COUNTED
#undef GAPLESS_SERVICE
#undef GAPLESS_WATCHED
  put(Procedure::kType_commit, wrap_Type_commit);
  put(Procedure::kType_free, wrap_Type_free);
  put(Procedure::kType_dup, wrap_Type_dup);
  put(Procedure::kComm_free, watch_comm_free);
  put(Procedure::kComm_disconnect, watch_comm_disconnect);
  put(Procedure::kInit, watch_init);
  put(Procedure::kInit_thread, watch_init_thread);
  put(Procedure::kFinalize, watch_finalize);
  put(Procedure::kSession_init, watch_session_init);
  put(Procedure::kSession_finalize, watch_session_finalize);
  return true;
}

}  // namespace gapless::preload
