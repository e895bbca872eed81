// Memory straight from the kernel, not from malloc: the program's heap stays as it would be without the layer.
#pragma once

#include <cstdint>

#include "base/pages.hpp"
#include "mpi/staging/size_class.hpp"

namespace gapless::mpi {

// How much longer than the buffer a message may be that is written past the end of it: as much address space lies
// behind every isolated block. It is no memory until it is written to.
constexpr std::int64_t kOverrun = std::int64_t{4} << 30;

constexpr std::int64_t window_bytes(std::int64_t block_bytes) noexcept {
  return base::rounded_up(block_bytes, kHugePage) + kOverrun;
}

// The program has only so much, or the system says so: what is taken of it may be missed.
bool is_address_space_limited() noexcept;

// All return nullptr if the kernel refuses, and are given back by unmap(). From 2 MB on memory starts at a huge page.
char* map_pages(std::int64_t bytes) noexcept;
char* map_buffers(std::int64_t bytes) noexcept;
// `count` windows, each for a block at its start. Refused where address space is limited, too: the program may need it.
// A program that had locked its future memory (mlockall) before gets them without pages; one that locks all its present
// memory afterwards would get them with all their pages, and is not protected from that.
char* map_windows(std::int64_t count, std::int64_t block_bytes) noexcept;
void unmap(char* start, std::int64_t bytes) noexcept;

// Gives the memory back, not the addresses: both ends are those of a page.
void discard(char* start, std::int64_t bytes) noexcept;

}  // namespace gapless::mpi
