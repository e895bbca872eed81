#include "mpi/contents.hpp"

#include "mpi/library.hpp"

namespace gapless::mpi {

bool get_contents(MPI_Datatype type, Contents& contents) {
  MPI_Count integers = 0, addresses = 0, large_counts = 0, datatypes = 0;
  if (library.Type_get_envelope_c(type, &integers, &addresses, &large_counts, &datatypes, &contents.combiner) !=
      MPI_SUCCESS) {
    return false;
  }
  // Asking for the contents of a named type is an error. A value-index type may be given as a named one.
  if (contents.combiner == MPI_COMBINER_NAMED) return true;
  contents.integers.resize(static_cast<std::size_t>(integers));
  contents.addresses.resize(static_cast<std::size_t>(addresses));
  contents.large_counts.resize(static_cast<std::size_t>(large_counts));
  contents.datatypes.resize(static_cast<std::size_t>(datatypes));
  return library.Type_get_contents_c(type, integers, addresses, large_counts, datatypes, contents.integers.data(),
                                     contents.addresses.data(), contents.large_counts.data(),
                                     contents.datatypes.data()) == MPI_SUCCESS;
}

bool must_free(MPI_Datatype type) {
  if (is_predefined(type)) return false;
  MPI_Count integers = 0, addresses = 0, large_counts = 0, datatypes = 0;
  int combiner = MPI_COMBINER_NAMED;
  if (library.Type_get_envelope_c(type, &integers, &addresses, &large_counts, &datatypes, &combiner) != MPI_SUCCESS) {
    return false;
  }
  return combiner != MPI_COMBINER_NAMED && combiner != MPI_COMBINER_F90_REAL && combiner != MPI_COMBINER_F90_COMPLEX &&
         combiner != MPI_COMBINER_F90_INTEGER;
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
