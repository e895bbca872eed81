// What was watched of this process (GAPLESS_PROFILE): a book of entries in a file of the run folder, mapped into
// memory, so that the kernel writes it whatever ends the process; and beside it the words for their numbers, line by
// line.
//
//   <host>.<pid>.profile   a line of JSON that names the numbers, the clock, and the entries
//   <host>.<pid>.words     a line of JSON for each layout and each call site, appended when it is first seen
#pragma once

#include <cstddef>
#include <cstdint>

#include "mpi/types/datatype.hpp"
#include "preload/procedures.hpp"

namespace gapless::preload {

enum class Role : std::int32_t { kNone, kSend, kReceive, kPack, kUnpack, kFile };

// Nothing but numbers, for the file. One thread writes an entry, except of `later` and of entries that are shared.
struct Entry {
  std::int32_t procedure = 0, role = 0;
  std::int32_t layout = 0;  // kContiguous, kUndecoded, kOthers, or its number
  std::int32_t site = 0;    // 0: several
  std::int32_t peer = 0;    // in MPI_COMM_WORLD, or one of Peer
  std::int32_t first = 0;   // 1: of the first buffer of its call, so that calls are counted once
  std::int64_t count = 0;   // as the program gave it
  std::int64_t calls = 0, bytes = 0;
  std::int64_t ticks = 0;    // in the call
  std::int64_t later = 0;    // [ticks] in calls on the requests that it made
  std::int64_t longest = 0;  // [ticks]
  std::int64_t last = 0;     // [ticks] when the last one ended
};

inline constexpr std::int32_t kContiguous = 0, kUndecoded = -1, kOthers = -2;
enum Peer : std::int32_t { kNoPeer = -1, kAnyPeer = -2, kNullPeer = -3, kForeignPeer = -4 };

inline constexpr std::size_t kMaxEntries = std::size_t{1} << 14;  // a MiB and a bit in each process
inline constexpr std::size_t kMaxLayouts = std::size_t{1} << 12;

// Makes the files. Returns false if there is no room for them: then nothing is watched.
bool open_book() noexcept;

// What the program calls its whole time.
void note_world_begins() noexcept;
void note_world_ends() noexcept;

// A new entry; when all are used, or there is no room to keep the type (kMaxLayouts, and a limit of bytes), the one
// that all such calls of its procedure share. `type`: nullptr for a contiguous basic type. Takes a lock, writes into
// files; allocates.
Entry* new_entry(Procedure procedure, Role role, bool is_first, const mpi::DatatypePtr& type, bool is_decoded,
                 std::int64_t count, std::int32_t peer, const void* caller) noexcept;
bool is_shared(const Entry* entry) noexcept;
std::uint32_t number_of(const Entry* entry) noexcept;
Entry* entry_with(std::uint32_t number) noexcept;

}  // namespace gapless::preload
