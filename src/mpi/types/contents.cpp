#include "mpi/types/contents.hpp"

#include "mpi/abi/library.hpp"

namespace gapless::mpi {

namespace {

// How many numbers of each kind describe the type. The _c procedure is asked wherever there is one: the other raises an
// error for a type that a _c constructor built.
struct Envelope {
  MPI_Count integers = 0, addresses = 0, large_counts = 0, datatypes = 0;
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
  contents.integers.resize(static_cast<std::size_t>(envelope.integers));
  contents.addresses.resize(static_cast<std::size_t>(envelope.addresses));
  contents.large_counts.resize(static_cast<std::size_t>(envelope.large_counts));
  contents.datatypes.resize(static_cast<std::size_t>(envelope.datatypes));
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
