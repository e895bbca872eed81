#include "support/oracle.hpp"

#include <algorithm>
#include <ostream>
#include <utility>

namespace gapless::test {
namespace {

using layout::Combiner;
using layout::Layout;

// What a constructor is by definition: copies of other type maps, shifted.
struct Copy {
  std::int64_t displacement;
  std::size_t child;
};

// The type map of one layout, with what its explicit bounds say.
struct TypeMap {
  std::vector<Entry> entries;
  std::vector<const layout::Named*> named;  // of each entry
  Bounds bounds;
};

void add_block(std::vector<Copy>& copies, std::int64_t start, std::int64_t length, std::int64_t extent,
               std::size_t child = 0) {
  for (std::int64_t i = 0; i < length; ++i) copies.push_back({start + i * extent, child});
}

// The elements of a subarray in the order of the array: the last index runs fastest in C, the first in Fortran.
void add_subarray(std::vector<Copy>& copies, const Layout& type, std::int64_t extent) {
  const std::size_t dimensions = type.sizes.size();
  for (const std::int64_t subsize : type.subsizes) {
    if (subsize == 0) return;
  }
  std::vector<std::size_t> fastest_first(dimensions);
  for (std::size_t i = 0; i < dimensions; ++i) {
    fastest_first[i] = type.order == layout::Order::kC ? dimensions - 1 - i : i;
  }
  std::vector<std::int64_t> index(dimensions, 0);
  while (true) {
    std::int64_t element = 0, scale = 1;
    for (const std::size_t d : fastest_first) {
      element += (type.starts[d] + index[d]) * scale;
      scale *= type.sizes[d];
    }
    copies.push_back({element * extent, 0});
    std::size_t turn = 0;
    while (turn < dimensions && ++index[fastest_first[turn]] == type.subsizes[fastest_first[turn]]) {
      index[fastest_first[turn++]] = 0;
    }
    if (turn == dimensions) return;
  }
}

// Whether the process at `coordinate` of one dimension of the grid owns index `index` of that dimension of the array.
bool owns(const Layout& type, std::size_t dimension, std::int64_t coordinate, std::int64_t index) {
  const std::int64_t size = type.sizes[dimension], processes = type.process_grid[dimension];
  const std::int64_t argument = type.distribution_arguments[dimension];
  const bool is_default = argument == layout::kDefaultDistribution;
  switch (type.distributions[dimension]) {
    case layout::Distribution::kNone:
      return true;
    case layout::Distribution::kBlock:
      return index / (is_default ? (size + processes - 1) / processes : argument) == coordinate;
    case layout::Distribution::kCyclic:
      return index / (is_default ? 1 : argument) % processes == coordinate;
  }
  return false;
}

// Every element of the array, in the order of the array, is asked for its owner.
void add_darray(std::vector<Copy>& copies, const Layout& type, std::int64_t extent) {
  const std::size_t dimensions = type.sizes.size();
  std::vector<std::int64_t> coordinates(dimensions);
  std::int64_t elements = 1, rank = type.rank, processes = type.process_count;
  for (std::size_t d = 0; d < dimensions; ++d) {
    processes /= type.process_grid[d];
    coordinates[d] = rank / processes;
    rank %= processes;
    elements *= type.sizes[d];
  }
  for (std::int64_t element = 0; element < elements; ++element) {
    std::int64_t rest = element;
    bool mine = true;
    for (std::size_t i = 0; i < dimensions; ++i) {
      const std::size_t d = type.order == layout::Order::kC ? dimensions - 1 - i : i;
      mine = mine && owns(type, d, coordinates[d], rest % type.sizes[d]);
      rest /= type.sizes[d];
    }
    if (mine) copies.push_back({element * extent, 0});
  }
}

std::vector<Copy> copies_of(const Layout& type, const std::vector<TypeMap>& children) {
  std::vector<Copy> copies;
  const std::int64_t extent = children.empty() ? 0 : children[0].bounds.extent();
  const auto blocks = static_cast<std::size_t>(type.count);
  switch (type.combiner) {
    case Combiner::kNamed:
      break;
    case Combiner::kContiguous:
      add_block(copies, 0, type.count, extent);
      break;
    case Combiner::kVector:
    case Combiner::kHvector: {
      const std::int64_t unit = type.combiner == Combiner::kVector ? extent : 1;
      for (std::int64_t i = 0; i < type.count; ++i) add_block(copies, i * type.stride * unit, type.blocklength, extent);
      break;
    }
    case Combiner::kIndexed:
      for (std::size_t i = 0; i < blocks; ++i) {
        add_block(copies, type.displacements[i] * extent, type.blocklengths[i], extent);
      }
      break;
    case Combiner::kHindexed:
      for (std::size_t i = 0; i < blocks; ++i) add_block(copies, type.displacements[i], type.blocklengths[i], extent);
      break;
    case Combiner::kIndexedBlock:
      for (std::size_t i = 0; i < blocks; ++i) {
        add_block(copies, type.displacements[i] * extent, type.blocklength, extent);
      }
      break;
    case Combiner::kHindexedBlock:
      for (std::size_t i = 0; i < blocks; ++i) add_block(copies, type.displacements[i], type.blocklength, extent);
      break;
    case Combiner::kStruct:
      for (std::size_t i = 0; i < blocks; ++i) {
        add_block(copies, type.displacements[i], type.blocklengths[i], children[i].bounds.extent(), i);
      }
      break;
    case Combiner::kSubarray:
      add_subarray(copies, type, extent);
      break;
    case Combiner::kDarray:
      add_darray(copies, type, extent);
      break;
    case Combiner::kBoundedVector:
      for (std::int64_t t = 0; t < type.bound; ++t) {
        if (t % type.stride < type.blocklength) copies.push_back({t * extent, 0});
      }
      break;
    case Combiner::kCircularVector:
      for (std::int64_t t = 0; t < type.bound; ++t) {
        if (t % type.stride < type.blocklength) copies.push_back({(type.start + t) % type.total * extent, 0});
      }
      break;
    case Combiner::kBucket:
      for (std::size_t i = 0; i < blocks; ++i) {
        add_block(copies, static_cast<std::int64_t>(i) * type.stride * extent, type.blocklengths[i], extent);
      }
      break;
    case Combiner::kResized:
    case Combiner::kDup:
      copies.push_back({0, 0});
      break;
  }
  return copies;
}

// The bounds of a type map that consists of these copies: explicit bounds, if any copy has them, count alone.
Bounds bounds_of(const std::vector<Copy>& copies, const std::vector<TypeMap>& children) {
  Bounds all;
  for (const Copy& copy : copies) all.marked |= children[copy.child].bounds.marked;
  bool first_data = true;
  for (const Copy& copy : copies) {
    const Bounds& part = children[copy.child].bounds;
    all.size += part.size;
    all.alignment = std::max(all.alignment, part.alignment);
    if (part.size > 0) {
      const std::int64_t low = copy.displacement + part.true_lb, high = copy.displacement + part.true_ub;
      all.true_lb = first_data ? low : std::min(all.true_lb, low);
      all.true_ub = first_data ? high : std::max(all.true_ub, high);
      first_data = false;
    }
    if (part.empty || (all.marked && !part.marked)) continue;
    all.lb = all.empty ? copy.displacement + part.lb : std::min(all.lb, copy.displacement + part.lb);
    all.ub = all.empty ? copy.displacement + part.ub : std::max(all.ub, copy.displacement + part.ub);
    all.empty = false;
  }
  return all;
}

void set_bounds(Bounds& bounds, std::int64_t lb, std::int64_t ub) {
  bounds.lb = lb;
  bounds.ub = ub;
  bounds.marked = true;
  bounds.empty = false;
}

TypeMap named_map(const layout::Named& type) {
  TypeMap map;
  map.bounds.alignment = type.alignment;
  map.bounds.ub = type.extent;
  map.bounds.empty = false;
  for (int i = 0; i < type.run_count; ++i) {
    map.entries.push_back({type.runs[i].displacement, type.runs[i].bytes});
    map.named.push_back(&type);
    map.bounds.size += type.runs[i].bytes;
    map.bounds.true_ub = std::max(map.bounds.true_ub, type.runs[i].displacement + type.runs[i].bytes);
  }
  return map;
}

TypeMap map_of(const Layout& type) {
  if (type.combiner == Combiner::kNamed) return named_map(*type.named);
  std::vector<TypeMap> children;
  for (const auto& child : type.children) children.push_back(map_of(*child));
  const std::vector<Copy> copies = copies_of(type, children);
  TypeMap map;
  for (const Copy& copy : copies) {
    const TypeMap& child = children[copy.child];
    for (const Entry& entry : child.entries) {
      map.entries.push_back({copy.displacement + entry.displacement, entry.bytes});
    }
    map.named.insert(map.named.end(), child.named.begin(), child.named.end());
  }
  map.bounds = bounds_of(copies, children);
  if (type.combiner == Combiner::kResized) {
    // The arguments themselves are not kept by name in a Layout: lb and extent *are* the arguments of resized.
    set_bounds(map.bounds, type.lb, type.lb + type.extent);
  } else if (type.combiner == Combiner::kCircularVector) {
    set_bounds(map.bounds, 0, type.total * children[0].bounds.extent());
  } else if (type.combiner == Combiner::kBucket) {
    set_bounds(map.bounds, 0, type.count * type.stride * children[0].bounds.extent());
  } else if (type.combiner == Combiner::kSubarray || type.combiner == Combiner::kDarray) {
    std::int64_t elements = 1;
    for (const std::int64_t size : type.sizes) elements *= size;
    set_bounds(map.bounds, 0, elements * children[0].bounds.extent());
  } else if (type.combiner == Combiner::kStruct && !map.bounds.marked) {
    while (map.bounds.extent() % map.bounds.alignment != 0) ++map.bounds.ub;
  }
  return map;
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Entry& entry) {
  return out << entry.bytes << " bytes at " << entry.displacement;
}

Oracle::Oracle(const layout::Layout& type) {
  TypeMap map = map_of(type);
  bounds_ = map.bounds;
  entries_ = std::move(map.entries);
  named_ = std::move(map.named);
}

std::vector<Entry> Oracle::entries(std::int64_t count) const {
  std::vector<Entry> all;
  for (std::int64_t i = 0; i < count; ++i) {
    for (const Entry& entry : entries_) all.push_back({i * bounds_.extent() + entry.displacement, entry.bytes});
  }
  return all;
}

std::vector<std::int64_t> Oracle::byte_displacements(std::int64_t count) const {
  std::vector<std::int64_t> bytes;
  bytes.reserve(static_cast<std::size_t>(bounds_.size * count));
  for (std::int64_t i = 0; i < count; ++i) {
    for (const Entry& entry : entries_) {
      const std::int64_t start = i * bounds_.extent() + entry.displacement;
      for (std::int64_t b = 0; b < entry.bytes; ++b) bytes.push_back(start + b);
    }
  }
  return bytes;
}

std::vector<Entry> fused(const std::vector<Entry>& entries) {
  std::vector<Entry> runs;
  for (const Entry& entry : entries) {
    if (entry.bytes == 0) continue;
    if (!runs.empty() && runs.back().displacement + runs.back().bytes == entry.displacement) {
      runs.back().bytes += entry.bytes;
    } else {
      runs.push_back(entry);
    }
  }
  return runs;
}

namespace {

std::int64_t available(const std::vector<std::int64_t>& bytes, std::int64_t position, std::int64_t budget) {
  const std::int64_t left = static_cast<std::int64_t>(bytes.size()) - position;
  return std::max<std::int64_t>(0, std::min(budget, left));
}

}  // namespace

std::int64_t oracle_pack(const std::vector<std::int64_t>& bytes, const std::byte* buffer, std::int64_t position,
                         std::byte* packed, std::int64_t budget) {
  const std::int64_t moved = available(bytes, position, budget);
  for (std::int64_t i = 0; i < moved; ++i) packed[i] = buffer[bytes[static_cast<std::size_t>(position + i)]];
  return moved;
}

std::int64_t oracle_unpack(const std::vector<std::int64_t>& bytes, std::byte* buffer, std::int64_t position,
                           const std::byte* packed, std::int64_t budget) {
  const std::int64_t moved = available(bytes, position, budget);
  for (std::int64_t i = 0; i < moved; ++i) buffer[bytes[static_cast<std::size_t>(position + i)]] = packed[i];
  return moved;
}

}  // namespace gapless::test
