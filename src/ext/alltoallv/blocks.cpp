#include "ext/alltoallv/blocks.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

#include "base/checked.hpp"
#include "ext/datatype.hpp"
#include "ext/memory.hpp"
#include "ext/packed_by_library.hpp"
#include "move/copy.hpp"
#include "move/direction.hpp"
#include "move/move.hpp"
#include "mpi/abi/library.hpp"

namespace gapless::ext::irregular {

namespace {

void copy_bytes(char* to, const char* from, std::int64_t bytes) noexcept {
  std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

// What the layout of a type says, or the library where there is none.
struct Measures {
  std::int64_t size, extent;
};
Measures measures_of(const mpi::Datatype& facts, MPI_Datatype type) {
  if (const plan::Plan* const plan = facts.plan(); plan != nullptr) return {plan->size(), plan->extent()};
  MPI_Count size = -1, low = 0, extent = 0;
  if (const int code = mpi::library.Type_size_x(type, &size); code != MPI_SUCCESS) throw Raised{code};
  if (const int code = mpi::library.Type_get_extent_x(type, &low, &extent); code != MPI_SUCCESS) throw Raised{code};
  if (size < 0) throw Wrong{MPI_ERR_TYPE};  // MPI_UNDEFINED: beyond what the library can count
  return {size, extent};
}

int pack_by_library(const Block& block, char* packed) {
  PackedByLibrary all(block.type, block.count);
  if (const int code = all.make_room(); code != MPI_SUCCESS) return code;
  const int code = all.pack(block.data);
  if (code == MPI_SUCCESS) copy_bytes(packed, all.data(), block.bytes);
  return code;
}

int unpack_by_library(const Block& block, const char* packed, std::int64_t bytes) {
  PackedByLibrary all(block.type, block.count);
  if (const int code = all.make_room(); code != MPI_SUCCESS) return code;
  if (bytes < block.bytes) {  // the rest is unpacked as it was
    if (const int code = all.pack(block.data); code != MPI_SUCCESS) return code;
  }
  copy_bytes(all.data(), packed, bytes);
  return all.unpack(block.data);
}

}  // namespace

int pack(const Block& block, char* packed) noexcept {
  if (block.run != nullptr) {
    copy_bytes(packed, block.run, block.bytes);
    return MPI_SUCCESS;
  }
  if (block.bytes == 0) return MPI_SUCCESS;
  if (block.plan != nullptr) {
    move::pack_all(*block.plan, block.count, block.data, packed);
    return MPI_SUCCESS;
  }
  return code_of([&]() -> int { return pack_by_library(block, packed); });
}

int unpack(const Block& block, const char* packed, std::int64_t bytes) noexcept {
  bytes = std::min(bytes, block.bytes);
  if (bytes == 0) return MPI_SUCCESS;
  if (block.run != nullptr) {
    copy_bytes(block.run, packed, bytes);
    return MPI_SUCCESS;
  }
  if (block.plan != nullptr) {
    if (bytes == block.bytes)
      move::unpack_all(*block.plan, block.count, block.data, packed);
    else
      move::unpack(*block.plan, block.count, block.data, 0, packed, bytes);
    return MPI_SUCCESS;
  }
  return code_of([&]() -> int { return unpack_by_library(block, packed, bytes); });
}

int copy(const Block& from, const Block& to) noexcept {
  const std::int64_t bytes = std::min(from.bytes, to.bytes);
  if (bytes == 0) return MPI_SUCCESS;
  if (from.run != nullptr) return unpack(to, from.run, bytes);
  if (to.run != nullptr && bytes == from.bytes) return pack(from, to.run);
  return code_of([&]() -> int {
    if (from.plan != nullptr && to.plan != nullptr) {
      move::copy({{*from.plan, from.count}, {*to.plan, to.count}, nullptr}, from.data, to.data, 0, bytes);
      return MPI_SUCCESS;
    }
    const auto packed = std::make_unique_for_overwrite<char[]>(static_cast<std::size_t>(from.bytes));
    const int code = pack(from, packed.get());
    return code != MPI_SUCCESS ? code : unpack(to, packed.get(), bytes);
  });
}

Blocks::Blocks(const Half& half, int processes) : blocks_(static_cast<std::size_t>(processes)) {
  if (half.counts == nullptr || half.displacements == nullptr) throw Wrong{MPI_ERR_ARG};
  MPI_Datatype known = MPI_DATATYPE_NULL;
  const mpi::Datatype* facts = nullptr;
  Measures measures{};
  for (int peer = 0; peer < processes; ++peer) {
    Block& block = blocks_[static_cast<std::size_t>(peer)];
    block.count = half.counts[peer];
    block.type = half.type_of(peer);
    if (block.count < 0) throw Wrong{MPI_ERR_COUNT};
    // A type for nobody may be none, as libraries have it; the one type of v must be one.
    if (block.count == 0 && half.types != nullptr) continue;
    if (facts == nullptr || block.type != known) {
      mpi::DatatypePtr found;
      if (const int code = look_up_committed(block.type, found); code != MPI_SUCCESS) throw Wrong{code};
      known = block.type;
      facts = found.get();
      types_.push_back(std::move(found));
      measures = measures_of(*facts, known);
    }
    block.bytes = base::checked_mul(measures.size, block.count, "size * count");
    if (block.bytes == 0) continue;
    const std::int64_t displacement =
        half.types != nullptr ? half.displacements[peer]
                              : base::checked_mul(half.displacements[peer], measures.extent, "displacement * extent");
    block.data = move::at(static_cast<char*>(const_cast<void*>(half.buffer)), displacement);
    if (half.buffer == MPI_IN_PLACE) throw Wrong{MPI_ERR_BUFFER};
    const plan::Plan* const plan = facts->plan();
    if (plan == nullptr) continue;
    if (!is_buffer(block.data, *plan)) throw Wrong{MPI_ERR_BUFFER};
    if (!is_host(block.data, *plan)) continue;
    block.plan = plan;
    plan->prepare(block.count);
    if (plan->is_run(block.count)) block.run = block.data + plan->first_byte();
  }
}

}  // namespace gapless::ext::irregular
