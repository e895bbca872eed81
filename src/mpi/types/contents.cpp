#include "mpi/types/contents.hpp"

#include <utility>

#include "mpi/abi/library.hpp"

namespace gapless::mpi {

namespace {

// How many numbers of each kind describe the type. The _c procedure is asked wherever there is one: the other raises an
// error for a type that a _c constructor built.
struct Envelope : Contents::Counts {
  int combiner = MPI_COMBINER_NAMED;
};

bool get_envelope(MPI_Datatype type, Envelope& envelope) {
  if (library.Type_get_envelope_c != nullptr) {
    return library.Type_get_envelope_c(type, &envelope.integers, &envelope.addresses, &envelope.large_counts,
                                       &envelope.datatypes, &envelope.combiner) == MPI_SUCCESS;
  }
  int integers = 0, addresses = 0, datatypes = 0;
  const int code = library.Type_get_envelope(type, &integers, &addresses, &datatypes, &envelope.combiner);
  envelope.integers = integers;
  envelope.addresses = addresses;
  envelope.datatypes = datatypes;
  return code == MPI_SUCCESS;
}

}  // namespace

void Contents::reserve(const Counts& counts) {
  counts_ = counts;
  // The handles first, for they are not compared; then what has eight bytes, then what has four.
  std::size_t bytes = 0;
  const auto bytes_of = [&bytes](MPI_Count count, std::size_t each) {
    return std::exchange(bytes, bytes + (static_cast<std::size_t>(count) * each + 7) / 8 * 8);
  };
  static_assert(sizeof(MPI_Count) == 8 && sizeof(MPI_Aint) == 8 && 8 % sizeof(MPI_Datatype) == 0);
  const std::size_t of_datatypes = bytes_of(counts.datatypes, sizeof(MPI_Datatype));
  const std::size_t of_large = bytes_of(counts.large_counts, sizeof(MPI_Count));
  const std::size_t of_addresses = bytes_of(counts.addresses, sizeof(MPI_Aint));
  const std::size_t of_parts = bytes_of(counts.datatypes, sizeof(std::uint64_t));
  const std::size_t of_integers = bytes_of(counts.integers, sizeof(int));
  if (bytes > few_.size()) many_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
  std::byte* const block = many_ != nullptr ? many_.get() : few_.data();
  const auto list = [block]<class T>(std::span<T>& of, std::size_t at, MPI_Count count) {
    of = {reinterpret_cast<T*>(block + at), static_cast<std::size_t>(count)};
  };
  list(datatypes, of_datatypes, counts.datatypes);
  list(large_counts, of_large, counts.large_counts);
  list(addresses, of_addresses, counts.addresses);
  list(parts, of_parts, counts.datatypes);
  list(integers, of_integers, counts.integers);
  arguments_ = {block + of_large, of_integers + integers.size_bytes() - of_large};
}

bool is_named(int combiner) noexcept {
  return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL || combiner == MPI_COMBINER_F90_COMPLEX ||
         combiner == MPI_COMBINER_F90_INTEGER;
}

bool get_contents(MPI_Datatype type, Contents& contents) {
  Envelope envelope;
  if (!get_envelope(type, envelope)) return false;
  contents.combiner = envelope.combiner;
  // Asking for the contents of a named type is an error; the F90 types' say nothing that their size does not.
  if (is_named(contents.combiner)) return true;
  contents.reserve(envelope);
  if (library.Type_get_contents_c != nullptr) {
    return library.Type_get_contents_c(type, envelope.integers, envelope.addresses, envelope.large_counts,
                                       envelope.datatypes, contents.integers.data(), contents.addresses.data(),
                                       contents.large_counts.data(), contents.datatypes.data()) == MPI_SUCCESS;
  }
  return library.Type_get_contents(type, static_cast<int>(envelope.integers), static_cast<int>(envelope.addresses),
                                   static_cast<int>(envelope.datatypes), contents.integers.data(),
                                   contents.addresses.data(), contents.datatypes.data()) == MPI_SUCCESS;
}

bool must_free(MPI_Datatype type) {
  if (is_contiguous_builtin(type)) return false;
  Envelope envelope;
  return get_envelope(type, envelope) && !is_named(envelope.combiner);
}

bool get_bounds(MPI_Datatype type, ReportedBounds& bounds) {
  return library.Type_size_x(type, &bounds.size) == MPI_SUCCESS &&
         library.Type_get_extent_x(type, &bounds.lb, &bounds.extent) == MPI_SUCCESS &&
         library.Type_get_true_extent_x(type, &bounds.true_lb, &bounds.true_extent) == MPI_SUCCESS;
}

template <class List>
std::int64_t Arguments::take(const List& list, std::size_t& position) {
  if (position >= list.size()) {
    missing_ = true;
    return 0;
  }
  return static_cast<std::int64_t>(list[position++]);
}

std::int64_t Arguments::small() {
  return take(contents_.integers, integer_);
}

std::int64_t Arguments::integer() {
  return contents_.is_large() ? take(contents_.large_counts, large_) : take(contents_.integers, integer_);
}

std::int64_t Arguments::address() {
  return contents_.is_large() ? take(contents_.large_counts, large_) : take(contents_.addresses, address_);
}

std::vector<std::int64_t> Arguments::integers(std::int64_t n) {
  std::vector<std::int64_t> list;
  for (std::int64_t k = 0; k < n && complete(); ++k) list.push_back(integer());
  return list;
}

std::vector<std::int64_t> Arguments::smalls(std::int64_t n) {
  std::vector<std::int64_t> list;
  for (std::int64_t k = 0; k < n && complete(); ++k) list.push_back(small());
  return list;
}

std::vector<std::int64_t> Arguments::addresses(std::int64_t n) {
  std::vector<std::int64_t> list;
  for (std::int64_t k = 0; k < n && complete(); ++k) list.push_back(address());
  return list;
}

}  // namespace gapless::mpi
