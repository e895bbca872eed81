// Memory of other processes of this node that this one has mapped too: the windows of MPI_Win_allocate_shared, and what
// MPI_Alloc_mem hands out (wire/heap.hpp). Messages between layouts in it are copied by loads and stores.
//
// A window's memory is known from the call that made it to the one that frees it. In between no other memory can have
// its addresses, in neither process; and while a message is under way the program may not free what it is in.
#pragma once

#include <cstdint>

#include "mpi/abi/abi.hpp"
#include "plan/plan.hpp"
#include "preload/policy/shared_memory.hpp"

namespace gapless::preload {

// On all members of `comm` alike, which has made the window: each has so many bytes of it at `base`.
void map_window(MPI_Win window, MPI_Comm comm, void* base, MPI_Aint bytes) noexcept;
// It is about to be freed.
void unmap_window(MPI_Win window) noexcept;
// What MPI_Alloc_mem has handed out in process `number` of the node. Cost where nothing is new: three loads.
void map_heap(SharedMemory& shared, int number) noexcept;
// After the end of MPI: all of it.
void forget_mapped() noexcept;

// The buffer of a message that process `number` of the node has at `address`, as this one has it; nullptr: it is not
// mapped here as a whole.
void* mapped_here(int number, const plan::Message& message, std::uint64_t address) noexcept;
// True of a message in memory that others may have mapped, but not as it is here (wire::Heap::is_private).
bool is_private_here(const plan::Message& message, const void* buffer) noexcept;
// True if that process has mapped, as a whole, the message that this one has at `buffer`.
bool is_mapped_there(int number, const plan::Message& message, const void* buffer) noexcept;

}  // namespace gapless::preload
