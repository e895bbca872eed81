// MPI_Init, MPI_Init_thread, MPI_Finalize, MPI_Session_init, MPI_Session_finalize.
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>

#include "base/immortal.hpp"
#include "base/settings.hpp"
#include "ext/private_comm.hpp"
#include "kernel/caches.hpp"
#include "kernel/isa.hpp"
#include "mpi/abi/at_finalize.hpp"
#include "mpi/staging/pool.hpp"
#include "mpi/types/datatype.hpp"
#include "preload/paired/acceptance.hpp"
#include "preload/paired/claims.hpp"
#include "preload/paired/mapped.hpp"
#include "preload/policy/agreement.hpp"
#include "preload/policy/distance.hpp"
#include "preload/policy/members.hpp"
#include "preload/policy/own_comm.hpp"
#include "preload/policy/rules_file.hpp"
#include "preload/policy/shared_memory.hpp"
#include "preload/policy/world.hpp"
#include "preload/requests/orphans.hpp"
#include "preload/stats/counters.hpp"
#include "preload/stats/log.hpp"
#include "preload/stats/run_file.hpp"
#include "preload/wrappers.hpp"

namespace gapless::preload {

namespace {

std::mutex reporting;

RunFile& own_file() {
  return base::immortal<RunFile>();
}

std::string library_name() {
  static char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  return mpi::library.Get_library_version(version, &length) == MPI_SUCCESS ? first_line(version) : "";
}

// Those that are otherwise read at the first message: so that whoever reports knows what was refused.
void read_all_settings() noexcept {
  kernel::isa_name();
  kernel::far_bytes();
  mpi::pool::cap();
}

void join_world(int size) noexcept {
  // Later a thread of the program may be in a collective call on MPI_COMM_SELF, of which it is split off; and it would
  // get the handle of a communicator that the program has freed, of which errors would no longer be told.
  own_comm();
  learn_distance(size);
  world_began();
  learn_world();
  begin_acceptance();
  if (logging()) log_world(world_agreed(), reason_of_world());
}

// Reports that this process was reached: all that `gapless run` needs, even if the program never finalises.
void began(bool world) noexcept {
  mpi::epoch_began();
  int rank = -1, size = 0;
  if (world) {
    mpi::library.Comm_rank(MPI_COMM_WORLD, &rank);
    mpi::library.Comm_size(MPI_COMM_WORLD, &size);
    set_world_up(rank);
    if (!native_only) join_world(size);
  }
  if (base::setting_text("GAPLESS_RUN_DIR") == nullptr && !counting() && !logging()) return;
  read_all_settings();
  if (logging()) log_refused();
  try {
    if (world && logging() && !native_only) log_shared_memory(reason_without_shared_memory(), messages_in_words());
    const std::lock_guard lock(reporting);
    RunFile& file = own_file();
    file.abi = mpi::kAbiName;
    file.library = library_name();
    file.rules = rules_report().file;
    file.rules_refused = rules_report().refused;
    file.refused = base::refused_settings();
    if (world) {
      file.world_rank = rank;
      file.world_size = size;
    }
    if (world && !native_only) {
      file.agreed = world_agreed();
      file.agreement = reason_of_world();
      file.unshared = reason_without_shared_memory();
    }
    write_run_file(file);
  } catch (...) {  // a report less
  }
}

void ending() noexcept {
  if (mpi::is_last_epoch()) {
    end_claims();
    epoch_of_communicators_ends();
    abandon_orphans();
  } else {
    progress_orphans();
  }
  mpi::epoch_ending();
}

bool has_callback = false;
bool is_world_ending = false;

// Once, while all of MPI may still be used.
void world_ending() noexcept {
  if (std::exchange(is_world_ending, true)) return;
  if (!native_only) {
    end_acceptance();
    forget_world();
    world_ends();
    ext::end_private_comms();
    free_own_comm();
  }
  ending();
}

int world_ending_callback(MPI_Comm, int, void*, void*) {
  world_ending();
  return MPI_SUCCESS;
}

template <class Init>
int begin_world(Init&& init) {
  if (world_is_up()) return init();  // an error, which is the library's to raise
  if (!native_only) before_world();
  const int code = init();
  if (code == MPI_SUCCESS) {
    began(true);
    // Called last, for nothing was set before: the program's own callbacks find the layer as it was.
    has_callback = mpi::call_at_finalize(world_ending_callback);
  } else if (!native_only) {
    world_ends();
  }
  return code;
}

void ended() noexcept {
  if (mpi::epoch_ended()) {
    // Not before: what was sent through shared memory on a session's communicator is received after MPI_Finalize, too.
    if (!native_only) forget_acceptance();
    forget_communicators();
    forget_mapped();
    forget_orphans();
    requests.forget_all();
  }
  if (!counting()) return;
  try {
    const std::lock_guard lock(reporting);
    RunFile& file = own_file();
    file.stats = counters_json();
    file.refused = base::refused_settings();
    const char* const wanted = base::setting_text("GAPLESS_STATS");
    if (base::setting_text("GAPLESS_RUN_DIR") != nullptr) {
      write_run_file(file);
    } else if (std::strncmp(wanted, "json:", 5) == 0) {
      append_run_line(file, wanted + 5);
    } else {
      std::string text = "gapless: rank " + std::to_string(file.world_rank) + "\n" + counters_table();
      if (!file.refused.empty()) text += "  " + file.refused + '\n';
      std::fputs(text.c_str(), stderr);
    }
  } catch (...) {
  }
}

}  // namespace

int wrap_Init(int* argc, char*** argv) {
  return begin_world([=] { return mpi::library.Init(argc, argv); });
}

int wrap_Init_thread(int* argc, char*** argv, int required, int* provided) {
  return begin_world([=] { return mpi::library.Init_thread(argc, argv, required, provided); });
}

int wrap_Finalize(void) {
  // With a session open, MPICH deletes the attributes of MPI_COMM_SELF in the last MPI_Session_finalize: too late.
  if (!has_callback || (mpi::kCallbacksWaitForSessions && !mpi::is_last_epoch())) world_ending();
  const int code = mpi::library.Finalize();
  set_world_down();
  ended();
  return code;
}

int wrap_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session* session) {
  if (session == nullptr) return mpi::library.Session_init(info, errhandler, session);
  // Where the error handler returns, the code does not say whether there is a session now.
  const MPI_Session given = *session;
  *session = MPI_SESSION_NULL;
  const int code = mpi::library.Session_init(info, errhandler, session);
  if (*session != MPI_SESSION_NULL) {
    began(false);
  } else {
    *session = given;
  }
  return code;
}

int wrap_Session_finalize(MPI_Session* session) {
  // A session that is none stays what it is, whatever is returned.
  const bool is_one = session != nullptr && *session != MPI_SESSION_NULL;
  if (is_one) ending();
  const int code = mpi::library.Session_finalize(session);
  if (is_one && *session == MPI_SESSION_NULL) ended();
  return code;
}

}  // namespace gapless::preload
