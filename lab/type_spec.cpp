#include "type_spec.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace gapless::lab {
namespace {

// The items of a list as the notation has them: numbers, "first..last:step", and "number*times".
template <class Value>
std::vector<std::string> items_of(const std::vector<Value>& values) {
  constexpr std::size_t kFewest = 4;  // fewer are numbers
  std::vector<std::string> items;
  for (std::size_t i = 0; i < values.size();) {
    std::size_t end = i + 1;
    const Value step = end < values.size() ? values[end] - values[i] : 0;
    while (end < values.size() && values[end] - values[end - 1] == step) ++end;
    const std::string first = std::to_string(values[i]);
    if (end - i < kFewest) {
      items.push_back(first);
      ++i;
      continue;
    }
    items.push_back(step == 0 ? first + "*" + std::to_string(end - i)
                              : first + ".." + std::to_string(values[end - 1]) + ":" + std::to_string(step));
    i = end;
  }
  return items;
}

template <class Value>
std::string list_text(const std::vector<Value>& values, std::size_t shown) {
  const std::vector<std::string> items = items_of(values);
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const bool cut = items.size() > 2 * shown && i == shown;
    text += (i == 0 ? "" : ", ") + (cut ? "..., " + items.back() : items[i]);
    if (cut) break;
  }
  return "[" + text + "]";
}

}  // namespace

TypeSpec TypeSpec::base(const Named& named) {
  Node node;
  node.named = named;
  node.ub_bytes = named.bytes;
  return TypeSpec(std::make_shared<const Node>(std::move(node)));
}

TypeSpec TypeSpec::int32() {
  return base({MPI_INT, "int32", 4});
}

TypeSpec TypeSpec::character() {
  return base({MPI_CHAR, "char", 1});
}

TypeSpec TypeSpec::int16() {
  return base({MPI_SHORT, "int16", 2});
}

TypeSpec TypeSpec::float32() {
  return base({MPI_FLOAT, "float", 4});
}

TypeSpec TypeSpec::float64() {
  return base({MPI_DOUBLE, "double", 8});
}

std::string TypeSpec::written(const Node& node, std::size_t shown) {
  const auto number = [](std::int64_t value) { return std::to_string(value) + ", "; };
  const auto list = [&](const auto& values) { return list_text(values, shown) + ", "; };
  if (node.constructor == Constructor::kNamed) return node.named.name;
  if (node.constructor == Constructor::kStruct) {
    std::string text;
    for (std::size_t i = 0; i < node.olds.size(); ++i)
      text += (i == 0 ? "(" : ", (") + number(node.lengths[i]) + number(node.displacements_bytes[i]) +
              written(*node.olds[i], shown) + ")";
    return "struct([" + text + "])";
  }
  const std::string old = written(node.old(), shown) + ")";
  switch (node.constructor) {
    case Constructor::kNamed:
    case Constructor::kStruct:
      break;
    case Constructor::kContiguous:
      return "contiguous(" + number(node.count) + old;
    case Constructor::kVector:
      return "vector(" + number(node.count) + number(node.block_length) + number(node.stride) + old;
    case Constructor::kHvector:
      return "hvector(" + number(node.count) + number(node.block_length) + number(node.stride) + old;
    case Constructor::kIndexedBlock:
      return "indexed_block(" + number(node.block_length) + list(node.displacements) + old;
    case Constructor::kIndexed:
      return "indexed(" + list(node.lengths) + list(node.displacements) + old;
    case Constructor::kResized:
      return "resized(" + number(node.lb_bytes) + number(extent_of(node)) + old;
    case Constructor::kSubarray:
      return "subarray(" + list(node.sizes) + list(node.lengths) + list(node.displacements) + "C, " + old;
  }
  return old;
}

// The rows of a subarray from dimension `d` on, in which `element` elements of the array come before.
template <class Block>
void TypeSpec::each_row(const Node& node, std::size_t d, std::int64_t element, const Block& block) {
  element = element * node.sizes[d] + node.displacements[d];
  if (d + 1 == node.sizes.size()) {
    block(element * extent_of(node.old()), node.lengths[d], node.old());
    return;
  }
  for (int i = 0; i < node.lengths[d]; ++i) each_row(node, d + 1, element + i, block);
}

template <class Block>
void TypeSpec::each_block(const Node& node, const Block& block) {
  const auto stride_bytes = [&] {
    return node.constructor == Constructor::kVector ? node.stride * extent_of(node.old()) : node.stride;
  };
  switch (node.constructor) {
    case Constructor::kNamed:
      break;
    case Constructor::kContiguous:
      block(0, node.count, node.old());
      break;
    case Constructor::kVector:
    case Constructor::kHvector:
      for (std::int64_t i = 0; i < node.count; ++i) block(i * stride_bytes(), node.block_length, node.old());
      break;
    case Constructor::kIndexedBlock:
      for (int at : node.displacements) block(at * extent_of(node.old()), node.block_length, node.old());
      break;
    case Constructor::kIndexed:
      for (std::size_t i = 0; i < node.lengths.size(); ++i)
        block(node.displacements[i] * extent_of(node.old()), node.lengths[i], node.old());
      break;
    case Constructor::kResized:
      block(0, 1, node.old());
      break;
    case Constructor::kStruct:
      for (std::size_t i = 0; i < node.lengths.size(); ++i)
        block(node.displacements_bytes[i], node.lengths[i], *node.olds[i]);
      break;
    case Constructor::kSubarray:
      each_row(node, 0, 0, block);
      break;
  }
}

// Bounds of a type made of blocks: the least lower bound and the greatest upper bound of its old types.
TypeSpec TypeSpec::finish(Node node) {
  node.lb_bytes = std::numeric_limits<std::int64_t>::max();
  node.ub_bytes = std::numeric_limits<std::int64_t>::min();
  each_block(node, [&](std::int64_t displacement_bytes, int length, const Node& old) {
    const std::int64_t last = displacement_bytes + (length - 1) * extent_of(old);
    node.lb_bytes = std::min(node.lb_bytes, displacement_bytes + old.lb_bytes);
    node.ub_bytes = std::max(node.ub_bytes, last + old.ub_bytes);
  });
  return TypeSpec(std::make_shared<const Node>(std::move(node)));
}

TypeSpec TypeSpec::contiguous(int count, TypeSpec old) {
  Node node;
  node.constructor = Constructor::kContiguous;
  node.count = count;
  node.olds = {old.node_};
  return finish(std::move(node));
}

TypeSpec TypeSpec::vector(int count, int block_length, int stride, TypeSpec old) {
  Node node;
  node.constructor = Constructor::kVector;
  node.count = count;
  node.block_length = block_length;
  node.stride = stride;
  node.olds = {old.node_};
  return finish(std::move(node));
}

TypeSpec TypeSpec::hvector(int count, int block_length, std::int64_t stride_bytes, TypeSpec old) {
  Node node;
  node.constructor = Constructor::kHvector;
  node.count = count;
  node.block_length = block_length;
  node.stride = stride_bytes;
  node.olds = {old.node_};
  return finish(std::move(node));
}

TypeSpec TypeSpec::indexed_block(int block_length, std::vector<int> displacements, TypeSpec old) {
  Node node;
  node.constructor = Constructor::kIndexedBlock;
  node.block_length = block_length;
  node.olds = {old.node_};
  node.displacements = std::move(displacements);
  return finish(std::move(node));
}

TypeSpec TypeSpec::indexed(std::vector<int> block_lengths, std::vector<int> displacements, TypeSpec old) {
  Node node;
  node.constructor = Constructor::kIndexed;
  node.olds = {old.node_};
  node.lengths = std::move(block_lengths);
  node.displacements = std::move(displacements);
  return finish(std::move(node));
}

TypeSpec TypeSpec::resized(std::int64_t lb_bytes, std::int64_t extent_bytes, TypeSpec old) {
  Node node;
  node.constructor = Constructor::kResized;
  node.olds = {old.node_};
  node.lb_bytes = lb_bytes;
  node.ub_bytes = lb_bytes + extent_bytes;
  return TypeSpec(std::make_shared<const Node>(std::move(node)));
}

TypeSpec TypeSpec::structure(std::vector<int> lengths, std::vector<std::int64_t> displacements_bytes,
                             const std::vector<TypeSpec>& members) {
  Node node;
  node.constructor = Constructor::kStruct;
  for (const TypeSpec& member : members) node.olds.push_back(member.node_);
  node.lengths = std::move(lengths);
  node.displacements_bytes = std::move(displacements_bytes);
  return finish(std::move(node));
}

TypeSpec TypeSpec::subarray(std::vector<int> sizes, std::vector<int> subsizes, std::vector<int> starts, TypeSpec old) {
  Node node;
  node.constructor = Constructor::kSubarray;
  node.olds = {old.node_};
  // Its bounds are those of the whole array.
  node.ub_bytes = old.extent_bytes();
  for (int size : sizes) node.ub_bytes *= size;
  node.sizes = std::move(sizes);
  node.lengths = std::move(subsizes);
  node.displacements = std::move(starts);
  return TypeSpec(std::make_shared<const Node>(std::move(node)));
}

// Named types of one node follow each other without a gap: they are one run.
void TypeSpec::expand(const Node& node, std::int64_t origin_bytes, const Visit& visit) {
  if (node.constructor == Constructor::kNamed) {
    visit(origin_bytes, node.named.bytes);
    return;
  }
  each_block(node, [&](std::int64_t displacement_bytes, int length, const Node& old) {
    const std::int64_t first = origin_bytes + displacement_bytes;
    if (old.constructor == Constructor::kNamed) {
      visit(first, length * old.named.bytes);
      return;
    }
    for (int i = 0; i < length; ++i) expand(old, first + i * extent_of(old), visit);
  });
}

void TypeSpec::each_run(int count, const Visit& visit) const {
  for (int i = 0; i < count; ++i) expand(*node_, i * extent_bytes(), visit);
}

TypeMap TypeSpec::type_map(int count, std::int64_t element_bytes) const {
  TypeMap map;
  each_run(count, [&](std::int64_t displacement_bytes, std::int64_t bytes) {
    for (std::int64_t at = 0; at < bytes; at += element_bytes) map.push_back(displacement_bytes + at);
  });
  return map;
}

MpiType TypeSpec::construct(const Node& node) {
  if (node.constructor == Constructor::kNamed) return MpiType(node.named.type, false);
  std::vector<MpiType> old_types;
  std::vector<MPI_Datatype> olds;
  for (const auto& member : node.olds) {
    old_types.push_back(construct(*member));
    olds.push_back(old_types.back().handle());
  }
  const MPI_Datatype old = olds.front();
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  const int listed = static_cast<int>(node.displacements.size());
  switch (node.constructor) {
    case Constructor::kNamed:
      break;
    case Constructor::kContiguous:
      MPI_Type_contiguous(node.count, old, &handle);
      break;
    case Constructor::kVector:
      MPI_Type_vector(node.count, node.block_length, static_cast<int>(node.stride), old, &handle);
      break;
    case Constructor::kHvector:
      MPI_Type_create_hvector(node.count, node.block_length, node.stride, old, &handle);
      break;
    case Constructor::kIndexedBlock:
      MPI_Type_create_indexed_block(listed, node.block_length, node.displacements.data(), old, &handle);
      break;
    case Constructor::kIndexed:
      MPI_Type_indexed(listed, node.lengths.data(), node.displacements.data(), old, &handle);
      break;
    case Constructor::kResized:
      MPI_Type_create_resized(old, node.lb_bytes, extent_of(node), &handle);
      break;
    case Constructor::kStruct: {
      const std::vector<MPI_Aint> addresses(node.displacements_bytes.begin(), node.displacements_bytes.end());
      MPI_Type_create_struct(static_cast<int>(olds.size()), node.lengths.data(), addresses.data(), olds.data(),
                             &handle);
      break;
    }
    case Constructor::kSubarray:
      MPI_Type_create_subarray(static_cast<int>(node.sizes.size()), node.sizes.data(), node.lengths.data(),
                               node.displacements.data(), MPI_ORDER_C, old, &handle);
      break;
  }
  return MpiType(handle, true);
}

MpiType TypeSpec::commit() const {
  MpiType type = construct(*node_);
  MPI_Datatype handle = type.handle();
  MPI_Type_commit(&handle);
  return type;
}

}  // namespace gapless::lab
