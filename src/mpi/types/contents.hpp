// The arguments of a type's constructor, as MPI_Type_get_contents gives them back.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mpi/abi/abi.hpp"

namespace gapless::mpi {

// In one block of memory, and in none of the heap's where they are few: of most types that are made for one message.
class Contents {
 public:
  struct Counts {
    MPI_Count large_counts = 0, addresses = 0, datatypes = 0, integers = 0;
    bool operator==(const Counts&) const noexcept = default;
  };
  Contents() noexcept = default;
  Contents(const Contents&) = delete;
  Contents& operator=(const Contents&) = delete;
  // Makes room for so many; once. Throws std::bad_alloc.
  void reserve(const Counts& counts);

  int combiner = MPI_COMBINER_NAMED;
  std::span<int> integers;
  std::span<MPI_Aint> addresses;
  std::span<MPI_Count> large_counts;
  std::span<MPI_Datatype> datatypes;
  // What stands for each of the components where types are compared: handles differ from call to call.
  std::span<std::uint64_t> parts;

  // A _c constructor has its counts, strides and displacements all in large_counts, in the order of its arguments; any
  // other has integers and addresses. Only subarray and darray keep some integers in either case.
  bool is_large() const noexcept { return !large_counts.empty(); }
  const Counts& counts() const noexcept { return counts_; }
  // All numbers and parts, one behind the other: with the combiner and the counts, what the type is.
  std::span<const std::byte> arguments() const noexcept { return arguments_; }

 private:
  Counts counts_;
  std::span<const std::byte> arguments_;
  alignas(std::uint64_t) std::array<std::byte, 256> few_;
  std::unique_ptr<std::byte[]> many_;
};

// Returns false if the library raised an error. The handles in `datatypes` belong to the caller, unless they are named
// (must_free).
bool get_contents(MPI_Datatype type, Contents& contents);
// True if types of this combiner are predefined: MPI's names, and what MPI_Type_create_f90_real etc. return.
bool is_named(int combiner) noexcept;
// MPI 4.1, 5.1.13: a returned handle is a new reference exactly if it is not of a predefined type.
bool must_free(MPI_Datatype type);

// What the library itself says of a type [bytes].
struct ReportedBounds {
  MPI_Count size = 0, lb = 0, extent = 0, true_lb = 0, true_extent = 0;
};
bool get_bounds(MPI_Datatype type, ReportedBounds& bounds);

// The constructor's arguments in order, from whichever of the lists holds them.
class Arguments {
 public:
  explicit Arguments(const Contents& contents) : contents_(contents) {}
  std::int64_t integer();  // a count, a block length, an index
  std::int64_t address();  // a length in bytes
  std::vector<std::int64_t> integers(std::int64_t n);
  std::vector<std::int64_t> addresses(std::int64_t n);
  std::vector<std::int64_t> smalls(std::int64_t n);
  std::int64_t small();                                 // an argument that is an int in every constructor
  bool complete() const noexcept { return !missing_; }  // all that was asked for was there

 private:
  template <class List>
  std::int64_t take(const List& list, std::size_t& position);
  const Contents& contents_;
  std::size_t integer_ = 0, address_ = 0, large_ = 0;
  bool missing_ = false;
};

}  // namespace gapless::mpi
