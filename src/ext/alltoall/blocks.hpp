// One side of a regular all-to-all: a block for each process, one after the other, each of `count` elements of a type.
#pragma once

#include <cstdint>
#include <cstring>

#include "ext/library.hpp"
#include "mpi/types/datatype.hpp"

namespace gapless::ext::regular {

class Blocks {
 public:
  // The facts are of the type, and the buffer is one if there are data. Throws base::Error: more than can be counted.
  Blocks(const void* buffer, MPI_Count count, MPI_Datatype type, mpi::DatatypePtr facts, int processes, MPI_Comm comm);

  std::int64_t bytes() const noexcept { return bytes_; }    // of data in a block
  std::int64_t extent() const noexcept { return extent_; }  // [bytes] from a block to the next
  // Blocks that follow one another are so many bytes in memory, without gaps, starting at first_byte().
  bool is_dense() const noexcept { return is_dense_; }
  // So many of them are bytes without gaps, starting at data().
  bool is_run(std::int64_t blocks) const noexcept { return is_dense_ || (is_run_ && blocks == 1); }
  MPI_Datatype type() const noexcept { return type_; }
  MPI_Count count() const noexcept { return count_; }  // of elements in a block
  const mpi::Datatype& facts() const noexcept { return *facts_; }
  const mpi::DatatypePtr& shared_facts() const noexcept { return facts_; }
  // Has a duplicate of the type from now on, as the program may free its own. MPI_SUCCESS or the library's code.
  int keep_type();
  bool is_for_engine() const noexcept { return plan_ != nullptr; }

  // Where the elements of a block begin, as MPI is told.
  char* at(std::int64_t block) const noexcept { return buffer_ + block * extent_; }
  // The first byte of a block's data, if it is a run.
  char* data(std::int64_t block) const noexcept { return first_ + block * extent_; }

  // The packed data of `blocks` blocks from `first` on, which are not empty. MPI_SUCCESS, or the library's code.
  int pack(std::int64_t first, std::int64_t blocks, char* packed) const noexcept;
  int unpack(std::int64_t first, std::int64_t blocks, const char* packed) const noexcept;

 private:
  template <class Visit>
  int in_parts(std::int64_t first, std::int64_t blocks, Visit visit) const noexcept;

  char* buffer_;
  char* first_;
  MPI_Count count_;
  MPI_Datatype type_;
  std::shared_ptr<MPI_Datatype> kept_type_;
  mpi::DatatypePtr facts_;
  const plan::Plan* plan_;  // null: the library packs
  std::int64_t bytes_, extent_;
  bool is_dense_, is_run_;
  MPI_Comm comm_;
};

// Copies a block within the process. MPI_SUCCESS, or the code of an error, not raised yet.
int copy(const Blocks& from, std::int64_t source, const Blocks& to, std::int64_t target, std::int64_t blocks) noexcept;

}  // namespace gapless::ext::regular
