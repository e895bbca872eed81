#include "mpi/decode.hpp"

#include <unordered_map>
#include <vector>

#include "base/status.hpp"
#include "mpi/contents.hpp"
#include "mpi/library.hpp"
#include "mpi/named.hpp"

namespace gapless::mpi {

namespace {

using layout::LayoutPtr;

// A program's types are a few constructors deep; the limit only keeps a pathological one from exhausting the stack.
constexpr int kDeepest = 200;

class Decoder {
 public:
  ~Decoder() {
    // Only now: while a handle is held it cannot be given to another type, so seen_ stays true.
    for (MPI_Datatype type : owned_) library.Type_free(&type);
  }
  LayoutPtr decode(MPI_Datatype type, int depth);

 private:
  LayoutPtr build(const Contents& contents, const std::vector<LayoutPtr>& children);
  std::vector<MPI_Datatype> owned_;
  std::unordered_map<std::uint64_t, LayoutPtr> seen_;
};

LayoutPtr subarray(Arguments& arguments, const LayoutPtr& child) {
  const std::int64_t dimensions = arguments.small();
  // The small form has sizes, subsizes, starts between the number of dimensions and the order, the large one elsewhere.
  const auto sizes = arguments.integers(dimensions);
  const auto subsizes = arguments.integers(dimensions);
  const auto starts = arguments.integers(dimensions);
  const std::int64_t order = arguments.small();
  if (!arguments.complete()) return nullptr;
  return layout::subarray(sizes, subsizes, starts, order == MPI_ORDER_C ? layout::Order::kC : layout::Order::kFortran,
                          child);
}

LayoutPtr darray(Arguments& arguments, const LayoutPtr& child) {
  const auto process_count = arguments.small(), rank = arguments.small(), dimensions = arguments.small();
  // The large form has only the sizes elsewhere.
  const auto sizes = arguments.integers(dimensions);
  const auto distribution_codes = arguments.smalls(dimensions), codes = arguments.smalls(dimensions);
  const auto grid = arguments.smalls(dimensions);
  const auto order = arguments.small();
  if (!arguments.complete()) return nullptr;
  std::vector<layout::Distribution> distributions;
  for (const std::int64_t code : distribution_codes) {
    if (code != MPI_DISTRIBUTE_NONE && code != MPI_DISTRIBUTE_BLOCK && code != MPI_DISTRIBUTE_CYCLIC) return nullptr;
    distributions.push_back(code == MPI_DISTRIBUTE_NONE    ? layout::Distribution::kNone
                            : code == MPI_DISTRIBUTE_BLOCK ? layout::Distribution::kBlock
                                                           : layout::Distribution::kCyclic);
  }
  std::vector<std::int64_t> distribution_arguments;
  for (const std::int64_t code : codes)
    distribution_arguments.push_back(code == MPI_DISTRIBUTE_DFLT_DARG ? layout::kDefaultDistribution : code);
  return layout::darray(process_count, rank, sizes, distributions, distribution_arguments, grid,
                        order == MPI_ORDER_C ? layout::Order::kC : layout::Order::kFortran, child);
}

// The library is the judge: where it counts a bound otherwise (epsilon rules, markers), its word is put in place.
LayoutPtr agree(LayoutPtr type, const Bounds& said) {
  if (type == nullptr || type->size != said.size) return nullptr;
  // Nor may the data lie elsewhere than MPI says: Open MPI takes vector(3, 1, -1, byte) for three bytes from 0 on. A
  // program under it has come to terms with that, alone or with its peers, so such a type stays native. (MPICH counts
  // the padding of some pair types as data; it ends late, but begins where they begin.)
  if (type->size > 0 && (type->true_lb != said.true_lb ||
                         type->true_lb + type->true_extent > said.true_lb + said.true_extent)) {
    return nullptr;
  }
  if (type->lb == said.lb && type->extent == said.extent) return type;
  return layout::resized(said.lb, said.extent, std::move(type));
}

LayoutPtr Decoder::build(const Contents& contents, const std::vector<LayoutPtr>& children) {
  Arguments arguments(contents);
  const LayoutPtr child = children.empty() ? nullptr : children.front();
  if (child == nullptr && contents.combiner != MPI_COMBINER_STRUCT) return nullptr;
  switch (contents.combiner) {
    case MPI_COMBINER_DUP:
      return layout::dup(child);
    case MPI_COMBINER_CONTIGUOUS: {
      const auto count = arguments.integer();
      return arguments.complete() ? layout::contiguous(count, child) : nullptr;
    }
    case MPI_COMBINER_VECTOR: {
      const auto count = arguments.integer(), length = arguments.integer(), stride = arguments.integer();
      return arguments.complete() ? layout::vector(count, length, stride, child) : nullptr;
    }
    case MPI_COMBINER_HVECTOR: {
      const auto count = arguments.integer(), length = arguments.integer(), stride = arguments.address();
      return arguments.complete() ? layout::hvector(count, length, stride, child) : nullptr;
    }
    case MPI_COMBINER_INDEXED: {
      const auto count = arguments.integer();
      const auto lengths = arguments.integers(count), places = arguments.integers(count);
      return arguments.complete() ? layout::indexed(lengths, places, child) : nullptr;
    }
    case MPI_COMBINER_HINDEXED: {
      const auto count = arguments.integer();
      const auto lengths = arguments.integers(count), places = arguments.addresses(count);
      return arguments.complete() ? layout::hindexed(lengths, places, child) : nullptr;
    }
    case MPI_COMBINER_INDEXED_BLOCK: {
      const auto count = arguments.integer(), length = arguments.integer();
      const auto places = arguments.integers(count);
      return arguments.complete() ? layout::indexed_block(length, places, child) : nullptr;
    }
    case MPI_COMBINER_HINDEXED_BLOCK: {
      const auto count = arguments.integer(), length = arguments.integer();
      const auto places = arguments.addresses(count);
      return arguments.complete() ? layout::hindexed_block(length, places, child) : nullptr;
    }
    case MPI_COMBINER_STRUCT: {
      const auto count = arguments.integer();
      const auto lengths = arguments.integers(count), places = arguments.addresses(count);
      const bool whole = arguments.complete() && children.size() == static_cast<std::size_t>(count);
      return whole ? layout::structure(lengths, places, children) : nullptr;
    }
    case MPI_COMBINER_SUBARRAY:
      return subarray(arguments, child);
    case MPI_COMBINER_DARRAY:
      return darray(arguments, child);
    case MPI_COMBINER_RESIZED: {
      const auto lb = arguments.address(), extent = arguments.address();
      return arguments.complete() ? layout::resized(lb, extent, child) : nullptr;
    }
    default:
      return nullptr;
  }
}

LayoutPtr Decoder::decode(MPI_Datatype type, int depth) {
  if (depth > kDeepest) return nullptr;
  if (const auto found = seen_.find(key_of(type)); found != seen_.end()) return found->second;

  Contents contents;
  Bounds bounds;
  if (!get_contents(type, contents)) return nullptr;
  // Before anything can throw: these references are ours to give back.
  owned_.reserve(owned_.size() + contents.datatypes.size());
  for (MPI_Datatype part : contents.datatypes) {
    if (must_free(part)) owned_.push_back(part);
  }
  if (!get_bounds(type, bounds)) return nullptr;
  LayoutPtr made;
  if (is_named(contents.combiner)) {
    made = named_layout(type, bounds.size, bounds.extent);
  } else {
    std::vector<LayoutPtr> children;
    for (MPI_Datatype part : contents.datatypes) {
      children.push_back(decode(part, depth + 1));
      if (children.back() == nullptr) return nullptr;
    }
    made = build(contents, children);
  }
  made = agree(std::move(made), bounds);
  if (made != nullptr) seen_.emplace(key_of(type), made);
  return made;
}

}  // namespace

LayoutPtr decode(MPI_Datatype type) {
  return Decoder().decode(type, 1);
}

}  // namespace gapless::mpi
