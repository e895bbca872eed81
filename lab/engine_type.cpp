// The lab's types in the engine that is linked to it, so that its packing can be timed without MPI and without the
// layer.
#include "type_spec.hpp"

#include <stdexcept>
#include <utility>

namespace gapless::lab {
namespace {

void check(gapless_status status) {
  if (status != GAPLESS_SUCCESS) throw std::runtime_error(std::string("engine: ") + gapless_last_error());
}

std::vector<std::int64_t> wide(const std::vector<int>& values) {
  return {values.begin(), values.end()};
}

}  // namespace

EngineType& EngineType::operator=(EngineType&& other) noexcept {
  std::swap(handle_, other.handle_);
  return *this;
}

EngineType::~EngineType() {
  if (handle_ != nullptr) gapless_type_free(&handle_);
}

EngineType TypeSpec::construct_engine(const Node& node) {
  EngineType type;
  if (node.constructor == Constructor::kNamed) {
    check(gapless_type_named(node.named.name, type.address()));
    return type;
  }
  std::vector<EngineType> old_types;
  std::vector<gapless_type> olds;
  for (const auto& member : node.olds) {
    old_types.push_back(construct_engine(*member));
    olds.push_back(old_types.back().handle());
  }
  const gapless_type old = olds.front();
  const std::vector<std::int64_t> lengths = wide(node.lengths), displacements = wide(node.displacements);
  const auto listed = static_cast<std::int64_t>(displacements.size());
  gapless_type* const into = type.address();
  switch (node.constructor) {
    case Constructor::kNamed:
      break;
    case Constructor::kContiguous:
      check(gapless_type_contiguous(node.count, old, into));
      break;
    case Constructor::kVector:
      check(gapless_type_vector(node.count, node.block_length, node.stride, old, into));
      break;
    case Constructor::kHvector:
      check(gapless_type_hvector(node.count, node.block_length, node.stride, old, into));
      break;
    case Constructor::kIndexedBlock:
      check(gapless_type_indexed_block(listed, node.block_length, displacements.data(), old, into));
      break;
    case Constructor::kIndexed:
      check(gapless_type_indexed(listed, lengths.data(), displacements.data(), old, into));
      break;
    case Constructor::kResized:
      check(gapless_type_resized(node.lb_bytes, extent_of(node), old, into));
      break;
    case Constructor::kStruct:
      check(gapless_type_struct(static_cast<std::int64_t>(olds.size()), lengths.data(), node.displacements_bytes.data(),
                                olds.data(), into));
      break;
    case Constructor::kSubarray:
      check(gapless_type_subarray(static_cast<int>(node.sizes.size()), wide(node.sizes).data(), lengths.data(),
                                  displacements.data(), GAPLESS_ORDER_C, old, into));
      break;
  }
  return type;
}

EngineType TypeSpec::engine() const {
  EngineType type = construct_engine(*node_);
  check(gapless_type_commit(type.handle()));
  return type;
}

}  // namespace gapless::lab
