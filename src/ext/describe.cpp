#include "ext/describe.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace gapless::ext {

namespace {

using layout::LayoutPtr;
using normal::Kind;
using normal::Node;

struct Failed : std::exception {};  // a run is not a number of whole units

class Writer {
 public:
  // `flat`: what repeats is written out.
  explicit Writer(const Unit& unit, bool flat = false) : unit_(unit), flat_(flat) {}

  // A node whose origin is `at` [bytes] from that of the type.
  void write(const Node& node, std::int64_t at, Blocks& blocks) const {
    switch (node.kind) {
      case Kind::kRun:
        return blocks.push_back({units(node.bytes), at, unit_.type});
      case Kind::kBlocks:
        for (std::size_t k = 0; k < node.offsets.size(); ++k)
          blocks.push_back({units(node.lengths[k]), at + node.offsets[k], unit_.type});
        return;
      case Kind::kSequence:
        for (const normal::Part& part : node.parts) write(*part.node, at + part.offset, blocks);
        return;
      case Kind::kTable: {
        if (flat_) {
          for (const std::int64_t offset : node.offsets) write(*node.body, at + offset, blocks);
          return;
        }
        const auto [length, type] = repeated(*node.body);
        for (const std::int64_t offset : node.offsets) blocks.push_back({length, at + offset, type});
        return;
      }
      case Kind::kLoop: {
        if (flat_) {
          for (std::int64_t k = 0; k < node.count; ++k) write(*node.body, at + k * node.stride, blocks);
          return;
        }
        const auto [length, type] = repeated(*node.body);
        const std::int64_t extent = type->extent;
        const bool in_extents = extent > 0 && node.stride % extent == 0;
        blocks.push_back({1, at,
                          in_extents ? layout::vector(node.count, length, node.stride / extent, type)
                                     : layout::hvector(node.count, length, node.stride, type)});
        return;
      }
    }
  }

 private:
  std::int64_t units(std::int64_t bytes) const {
    if (bytes % unit_.bytes != 0) throw Failed{};
    return bytes / unit_.bytes;
  }

  // A node that is placed more than once: so many of a type.
  std::pair<std::int64_t, LayoutPtr> repeated(const Node& node) const {
    if (node.kind == Kind::kRun) return {units(node.bytes), unit_.type};
    Blocks blocks;
    write(node, 0, blocks);
    return {1, as_type(blocks)};
  }

  const Unit& unit_;
  const bool flat_;
};

bool are_unlike(const Blocks& blocks) {
  return std::any_of(blocks.begin(), blocks.end(),
                     [&](const Block& block) { return block.type != blocks.front().type; });
}

// A list of this many blocks is less than a struct and what is in it.
constexpr std::int64_t kShortList = 64;

// True if the displacements are multiples of the extent.
bool in_extents(const std::vector<std::int64_t>& displacements, std::int64_t extent) {
  return extent > 0 && std::all_of(displacements.begin(), displacements.end(),
                                   [extent](std::int64_t displacement) { return displacement % extent == 0; });
}

}  // namespace

bool describe(const normal::Form& form, const Unit& unit, Blocks& blocks) {
  if (form.node == nullptr) return true;
  try {
    Writer(unit).write(*form.node, form.offset, blocks);
    if (are_unlike(blocks) && form.node->runs <= kShortList) {
      blocks.clear();
      Writer(unit, true).write(*form.node, form.offset, blocks);
    }
    return true;
  } catch (const Failed&) {
    blocks.clear();
    return false;
  }
}

LayoutPtr as_type(const Blocks& blocks) {
  if (blocks.empty()) return layout::contiguous(0, layout::named(*layout::find_named("byte")));
  const Block& first = blocks.front();
  if (blocks.size() == 1 && first.displacement == 0)
    return first.length == 1 ? first.type : layout::contiguous(first.length, first.type);
  std::vector<std::int64_t> lengths, displacements;
  std::vector<LayoutPtr> types;
  for (const Block& block : blocks) {
    lengths.push_back(block.length);
    displacements.push_back(block.displacement);
    types.push_back(block.type);
  }
  if (are_unlike(blocks)) return layout::structure(lengths, displacements, types);
  const bool are_equal = std::all_of(lengths.begin(), lengths.end(), [&](std::int64_t n) { return n == first.length; });
  if (in_extents(displacements, first.type->extent)) {
    for (std::int64_t& displacement : displacements) displacement /= first.type->extent;
    return are_equal ? layout::indexed_block(first.length, displacements, first.type)
                     : layout::indexed(lengths, displacements, first.type);
  }
  return are_equal ? layout::hindexed_block(first.length, displacements, first.type)
                   : layout::hindexed(lengths, displacements, first.type);
}

}  // namespace gapless::ext
