#include "mpi_type.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "gapless/gapless_mpi.h"

namespace test {

namespace {

using gapless::layout::Combiner;
using gapless::layout::Layout;

template <class To, class From>
std::vector<To> as(const From& numbers) {
  std::vector<To> list(1);  // never without an address
  list.clear();
  for (const std::int64_t number : numbers) list.push_back(static_cast<To>(number));
  return list;
}

MPI_Datatype construct(const Layout& type, const std::vector<MPI_Datatype>& children) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  const MPI_Datatype old = children.empty() ? MPI_DATATYPE_NULL : children[0];
  const int count = static_cast<int>(type.count), length = static_cast<int>(type.blocklength);
  const auto lengths = as<int>(type.blocklengths), places = as<int>(type.displacements);
  const auto addresses = as<MPI_Aint>(type.displacements);
  const int order = type.order == gapless::layout::Order::kC ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
  const auto sizes = as<int>(type.sizes), subsizes = as<int>(type.subsizes), starts = as<int>(type.starts);
  switch (type.combiner) {
    case Combiner::kContiguous:
      MPI_Type_contiguous(count, old, &made);
      break;
    case Combiner::kVector:
      MPI_Type_vector(count, length, static_cast<int>(type.stride), old, &made);
      break;
    case Combiner::kHvector:
      MPI_Type_create_hvector(count, length, type.stride, old, &made);
      break;
    case Combiner::kIndexed:
      MPI_Type_indexed(count, lengths.data(), places.data(), old, &made);
      break;
    case Combiner::kHindexed:
      MPI_Type_create_hindexed(count, lengths.data(), addresses.data(), old, &made);
      break;
    case Combiner::kIndexedBlock:
      MPI_Type_create_indexed_block(count, length, places.data(), old, &made);
      break;
    case Combiner::kHindexedBlock:
      MPI_Type_create_hindexed_block(count, length, addresses.data(), old, &made);
      break;
    case Combiner::kStruct:
      MPI_Type_create_struct(count, lengths.data(), addresses.data(), children.data(), &made);
      break;
    case Combiner::kSubarray:
      MPI_Type_create_subarray(static_cast<int>(sizes.size()), sizes.data(), subsizes.data(), starts.data(), order, old,
                               &made);
      break;
    case Combiner::kResized:
      MPI_Type_create_resized(old, type.lb, type.extent, &made);
      break;
    case Combiner::kDup:
      MPI_Type_dup(old, &made);
      break;
    case Combiner::kDarray: {
      std::vector<int> kinds;
      for (const auto kind : type.distributions)
        kinds.push_back(kind == gapless::layout::Distribution::kNone    ? MPI_DISTRIBUTE_NONE
                        : kind == gapless::layout::Distribution::kBlock ? MPI_DISTRIBUTE_BLOCK
                                                                        : MPI_DISTRIBUTE_CYCLIC);
      auto arguments = as<int>(type.distribution_arguments);
      for (int& argument : arguments)
        if (argument == gapless::layout::kDefaultDistribution) argument = MPI_DISTRIBUTE_DFLT_DARG;
      const auto grid = as<int>(type.process_grid);
      MPI_Type_create_darray(static_cast<int>(type.process_count), static_cast<int>(type.rank),
                             static_cast<int>(sizes.size()), sizes.data(), kinds.data(), arguments.data(), grid.data(),
                             order, old, &made);
      break;
    }
    case Combiner::kBoundedVector:
      GAPLESS_Type_create_vector_bounded(type.bound, type.blocklength, type.stride, old, &made);
      break;
    case Combiner::kCircularVector:
      GAPLESS_Type_create_vector_circular(type.total, type.start, type.bound, type.blocklength, type.stride, old,
                                          &made);
      break;
    case Combiner::kBucket:
      GAPLESS_Type_create_bucket(type.count, type.stride, as<MPI_Count>(type.blocklengths).data(), old, &made);
      break;
    case Combiner::kNamed:
      break;
  }
  return made;
}

// Some libraries round the upper bound of more than structs, or let a bound that was set count no more than others.
bool has_bounds(MPI_Datatype made, const Layout& type) {
  MPI_Count lb = 0, extent = 0;
  MPI_Type_get_extent_x(made, &lb, &extent);
  return lb == type.lb && extent == type.extent;
}

// Each of `seen` counts once. They are kept, so that no two have one handle.
int count_constructors(MPI_Datatype type, std::vector<MPI_Datatype>& seen) {
  int integers = 0, addresses = 0, types = 0, combiner = 0;
  MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  if (combiner == MPI_COMBINER_NAMED) return 0;
  std::vector<int> numbers(static_cast<std::size_t>(integers) + 1);
  std::vector<MPI_Aint> places(static_cast<std::size_t>(addresses) + 1);
  std::vector<MPI_Datatype> parts(static_cast<std::size_t>(types));
  MPI_Type_get_contents(type, integers, addresses, types, numbers.data(), places.data(), parts.data());
  int count = 1;
  for (const MPI_Datatype part : parts) {
    const bool is_new = std::find(seen.begin(), seen.end(), part) == seen.end();
    MPI_Type_get_envelope(part, &integers, &addresses, &types, &combiner);
    if (combiner == MPI_COMBINER_NAMED) continue;
    seen.push_back(part);
    if (is_new) count += count_constructors(part, seen);
  }
  return count;
}

}  // namespace

MPI_Datatype named_type(const gapless::layout::Named& named) {
  static const auto& all = *new std::map<std::string, MPI_Datatype>{
      {"byte", MPI_BYTE},
      {"int8", MPI_INT8_T},
      {"int16", MPI_INT16_T},
      {"int32", MPI_INT32_T},
      {"int64", MPI_INT64_T},
      {"uint8", MPI_UINT8_T},
      {"uint16", MPI_UINT16_T},
      {"uint32", MPI_UINT32_T},
      {"uint64", MPI_UINT64_T},
      {"char", MPI_CHAR},
      {"wchar", MPI_WCHAR},
      {"bool", MPI_C_BOOL},
      {"float", MPI_FLOAT},
      {"double", MPI_DOUBLE},
      {"long_double", MPI_LONG_DOUBLE},
      {"float_complex", MPI_C_FLOAT_COMPLEX},
      {"double_complex", MPI_C_DOUBLE_COMPLEX},
      {"long_double_complex", MPI_C_LONG_DOUBLE_COMPLEX},
      {"aint", MPI_AINT},
      {"packed", MPI_PACKED},
      {"float_int", MPI_FLOAT_INT},
      {"double_int", MPI_DOUBLE_INT},
      {"long_int", MPI_LONG_INT},
      {"short_int", MPI_SHORT_INT},
      {"2int", MPI_2INT},
      {"long_double_int", MPI_LONG_DOUBLE_INT},
  };
  return all.at(named.name);
}

MPI_Datatype mpi_type(const Layout& type) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  if (type.combiner == Combiner::kNamed) {
    MPI_Type_dup(named_type(*type.named), &made);
    return made;
  }
  std::vector<MPI_Datatype> children;
  bool is_whole = true;
  for (const auto& child : type.children) {
    children.push_back(mpi_type(*child));
    is_whole = is_whole && children.back() != MPI_DATATYPE_NULL;
  }
  if (is_whole) made = construct(type, children);
  for (MPI_Datatype& child : children) {
    if (child != MPI_DATATYPE_NULL) MPI_Type_free(&child);
  }
  if (made != MPI_DATATYPE_NULL && !has_bounds(made, type)) MPI_Type_free(&made);
  return made;
}

int constructors_of(MPI_Datatype type) {
  std::vector<MPI_Datatype> seen;
  const int count = count_constructors(type, seen);
  for (MPI_Datatype& part : seen) MPI_Type_free(&part);
  return count;
}

}  // namespace test
