// Bytes -> layout, through the ordinary constructors.
#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "base/checked.hpp"
#include "serial/checksum.hpp"
#include "serial/format.hpp"
#include "serial/input.hpp"
#include "serial/serial.hpp"

namespace gapless::serial {
namespace {

using layout::LayoutPtr;

// Runs `make`; reports an error of a constructor as an error at byte `at`.
template <class Make>
LayoutPtr constructed(std::size_t at, const std::string& what, Make make) {
  try {
    return make();
  } catch (const base::Error& error) {
    refuse(at, what + error.what(), error.status());
  }
}

// A node as a layout whose first run is at 0.
struct ReadNode {
  LayoutPtr type;
  int depth = 1;
  bool used = false;  // by a later node
};

class FormReader {
 public:
  explicit FormReader(Input input) : in_(input) { byte_ = layout::named(*layout::find_named("byte")); }

  LayoutPtr type() {
    const std::size_t at = in_.at();
    const std::int64_t size = in_.number("the size", 0), lb = in_.signed_number("the lower bound"),
                       extent = in_.signed_number("the extent");
    const LayoutPtr data = size == 0 ? layout::contiguous(0, byte_) : form();
    if (in_.left() != 0) refuse(in_.at(), std::to_string(in_.left()) + " bytes behind the last node");
    if (data->size != size)
      refuse(at, "the size is said to be " + std::to_string(size) + " bytes, but the nodes have " +
                     std::to_string(data->size));
    return constructed(at, "the bounds: ", [&] { return layout::resized(lb, extent, data); });
  }

 private:
  LayoutPtr form() {
    const std::size_t at = in_.at();
    const std::int64_t origin = in_.signed_number("the place of the first byte");
    const std::size_t counted_at = in_.at(), count = in_.count("the number of nodes", 1, kMinNodeBytes);
    if (count > kMaxNodes)
      refuse(counted_at,
             "the number of nodes is " + std::to_string(count) + ", beyond the limit of " + std::to_string(kMaxNodes));
    nodes_.reserve(count);
    for (std::size_t i = 0; i < count; ++i) node();
    for (std::size_t i = 0; i + 1 < count; ++i)
      if (!nodes_[i].used) refuse(in_.at(), "no node refers to node " + std::to_string(i));
    const LayoutPtr& root = nodes_.back().type;
    if (origin == 0) return root;
    return constructed(
        at, "the place of the first byte: ", [&] { return layout::hindexed_block(1, std::span(&origin, 1), root); });
  }

  void node() {
    const std::size_t at = in_.at();
    const std::string name = "node " + std::to_string(nodes_.size()) + ": ";
    depth_ = 0;
    const std::uint8_t tag = in_.byte("a node");
    LayoutPtr type;
    switch (static_cast<Tag>(tag)) {
      case Tag::kRun: {
        const std::int64_t bytes = in_.number("the length of a run", 1);
        type = bytes == 1 ? byte_ : layout::contiguous(bytes, byte_);
        break;
      }
      case Tag::kLoop: {
        const std::int64_t count = in_.number("the count of a loop", 2), stride = in_.signed_number("a stride");
        const LayoutPtr body = referred();
        type = constructed(at, name, [&] { return layout::hvector(count, 1, stride, body); });
        break;
      }
      case Tag::kTable: {
        const std::size_t count = in_.count("the count of a table", 2, 1);
        const LayoutPtr body = referred();
        const std::vector<std::int64_t> offsets = offset_list(count);
        type = constructed(at, name, [&] { return layout::hindexed_block(1, offsets, body); });
        break;
      }
      case Tag::kBlocks: {
        const std::size_t count = in_.count("the count of blocks", 2, 2);
        const std::vector<std::int64_t> lengths = length_list(count), offsets = offset_list(count);
        depth_ = 1;
        type = constructed(at, name, [&] { return layout::hindexed(lengths, offsets, byte_); });
        break;
      }
      case Tag::kSequence:
        type = sequence(at, name);
        break;
      default:
        refuse(at, name + "there is no kind " + std::to_string(tag));
    }
    ++depth_;
    if (depth_ > kMaxDepth) refuse(at, name + "deeper than the limit of " + std::to_string(kMaxDepth) + " levels");
    nodes_.push_back({std::move(type), depth_});
  }

  LayoutPtr sequence(std::size_t at, const std::string& name) {
    const std::size_t count = in_.count("the count of a sequence", 2, 1);
    std::vector<LayoutPtr> parts;
    std::vector<std::int64_t> offsets, ones;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t step_at = in_.at();
      offsets.push_back(i == 0 ? 0 : next(step_at, offsets.back(), in_.signed_number("a step"), 1));
      parts.push_back(referred());
    }
    ones.resize(count, 1);
    return constructed(at, name, [&] { return layout::structure(ones, offsets, parts); });
  }

  // Nodes refer to earlier nodes only, so there are no cycles.
  const LayoutPtr& referred() {
    const std::size_t at = in_.at();
    const std::uint64_t number = in_.unsigned_number("the number of a node");
    if (number >= nodes_.size())
      refuse(at, "node " + std::to_string(nodes_.size()) + " refers to node " + std::to_string(number) +
                     ", which does not stand before it");
    ReadNode& node = nodes_[static_cast<std::size_t>(number)];
    node.used = true;
    depth_ = std::max(depth_, node.depth);
    return node.type;
  }

  static std::int64_t next(std::size_t at, std::int64_t offset, std::int64_t step, std::int64_t unit) {
    std::int64_t bytes;
    if (__builtin_mul_overflow(step, unit, &bytes) || __builtin_add_overflow(offset, bytes, &offset))
      refuse(at, "an offset does not fit into 64 bits", base::Status::kOverflow);
    return offset;
  }

  // Input::count() has checked the count against the bytes that are left.
  std::vector<std::int64_t> offset_list(std::size_t count) {
    const std::int64_t unit = in_.number("the unit of the steps", 1);
    std::vector<std::int64_t> offsets{0};
    offsets.reserve(count);
    while (offsets.size() < count) {
      const std::size_t at = in_.at();
      offsets.push_back(next(at, offsets.back(), in_.signed_number("a step"), unit));
    }
    return offsets;
  }

  std::vector<std::int64_t> length_list(std::size_t count) {
    const std::int64_t unit = in_.number("the unit of the lengths", 1);
    std::vector<std::int64_t> lengths;
    lengths.reserve(count);
    while (lengths.size() < count) {
      const std::size_t at = in_.at();
      lengths.push_back(next(at, 0, in_.number("a length", 1), unit));
    }
    return lengths;
  }

  static constexpr std::size_t kMinNodeBytes = 2;
  Input in_;
  LayoutPtr byte_;
  std::vector<ReadNode> nodes_;
  int depth_ = 0;  // of the nodes that the current one refers to
};

}  // namespace

Deserialised deserialise(std::span<const std::uint8_t> bytes) {
  if (bytes.size() < kHeaderBytes + kChecksumBytes)
    refuse(0, std::to_string(bytes.size()) + " bytes are too few for any");
  if (!std::equal(kMagic.begin(), kMagic.end(), bytes.begin())) refuse(0, "it does not begin with 'GAP'");
  if (const std::uint8_t version = bytes[kMagic.size()]; version != kVersion)
    refuse(kMagic.size(), "it has format version " + std::to_string(version) + "; this engine reads version " +
                              std::to_string(kVersion));
  const std::size_t end = bytes.size() - kChecksumBytes;
  std::uint32_t expected = 0;
  for (std::size_t i = 0; i < kChecksumBytes; ++i) expected |= static_cast<std::uint32_t>(bytes[end + i]) << (8 * i);
  if (checksum(bytes.first(end)) != expected)
    refuse(end, "the checksum is that of other bytes: some were changed or lost on the way");
  Deserialised read;
  read.type = FormReader(Input(bytes.first(end), kHeaderBytes)).type();
  try {
    const std::int64_t max_work = kMaxWork + kMaxWorkPerByte * static_cast<std::int64_t>(bytes.size());
    read.message = normal::normalise_message(*read.type, max_work);
  } catch (const base::Error& error) {
    refuse(kHeaderBytes, std::string("the nodes: ") + error.what(), error.status());
  }
  return read;
}

}  // namespace gapless::serial
