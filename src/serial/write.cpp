// Normal form -> bytes.
#include <algorithm>
#include <numeric>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/status.hpp"
#include "serial/checksum.hpp"
#include "serial/format.hpp"
#include "serial/serial.hpp"

namespace gapless::serial {
namespace {

using normal::Kind;
using normal::Node;

void put(std::string& to, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) to.push_back(static_cast<char>(value | 0x80));
  to.push_back(static_cast<char>(value));
}

void put_signed(std::string& to, std::int64_t value) {
  put(to, (static_cast<std::uint64_t>(value) << 1) ^ (value < 0 ? ~std::uint64_t{0} : 0));
}

void put_tag(std::string& to, Tag tag) {
  to.push_back(static_cast<char>(tag));
}

std::uint64_t magnitude(std::int64_t value) {
  return value < 0 ? ~static_cast<std::uint64_t>(value) + 1 : static_cast<std::uint64_t>(value);
}

// The greatest common divisor of all values; 1 if all are 0. Below 2^63, because a step is a distance within a type.
template <class Values>
std::int64_t common_unit(std::size_t count, Values value) {
  std::uint64_t unit = 0;
  for (std::size_t i = 0; i < count && unit != 1; ++i) unit = std::gcd(unit, magnitude(value(i)));
  return unit == 0 ? 1 : static_cast<std::int64_t>(unit);
}

// The steps from each offset to the next, in units of their greatest common divisor.
void put_steps(std::string& to, const base::Numbers& offsets) {
  const auto step = [&](std::size_t i) { return offsets[i + 1] - offsets[i]; };
  const std::size_t steps = offsets.size() - 1;
  const std::int64_t unit = common_unit(steps, step);
  put(to, static_cast<std::uint64_t>(unit));
  for (std::size_t i = 0; i < steps; ++i) put_signed(to, step(i) / unit);
}

void put_lengths(std::string& to, const base::Numbers& lengths) {
  const std::int64_t unit = common_unit(lengths.size(), [&](std::size_t i) { return lengths[i]; });
  put(to, static_cast<std::uint64_t>(unit));
  for (const std::int64_t length : lengths) put(to, static_cast<std::uint64_t>(length / unit));
}

[[noreturn]] void refuse(const std::string& reason) {
  throw base::Error(base::Status::kInvalidArgument, "the type cannot be serialised: its normal form " + reason);
}

// Distinct nodes in the order in which they are finished, from left to right. A node refers to others by their numbers,
// so nodes are equal if and only if their bytes are.
class NodeTable {
 public:
  std::uint64_t number_of(const Node& node) {
    if (const auto known = known_.find(&node); known != known_.end()) return known->second;
    std::string bytes = bytes_of(node);  // numbers what the node refers to
    const auto [place, is_new] = numbers_.try_emplace(std::move(bytes), numbers_.size());
    if (is_new) in_order_.push_back(&place->first);
    if (in_order_.size() > kMaxNodes)
      refuse("has more than " + std::to_string(kMaxNodes) + " different nodes, the most that a reader takes");
    known_.emplace(&node, place->second);
    return place->second;
  }
  const std::vector<const std::string*>& in_order() const { return in_order_; }

 private:
  std::string bytes_of(const Node& node) {
    std::string bytes;
    switch (node.kind) {
      case Kind::kRun:
        put_tag(bytes, Tag::kRun);
        put(bytes, static_cast<std::uint64_t>(node.bytes));
        break;
      case Kind::kLoop: {
        const std::uint64_t body = number_of(*node.body);
        put_tag(bytes, Tag::kLoop);
        put(bytes, static_cast<std::uint64_t>(node.count));
        put_signed(bytes, node.stride);
        put(bytes, body);
        break;
      }
      case Kind::kTable: {
        const std::uint64_t body = number_of(*node.body);
        bytes.reserve(2 * node.offsets.size());
        put_tag(bytes, Tag::kTable);
        put(bytes, node.offsets.size());
        put(bytes, body);
        put_steps(bytes, node.offsets);
        break;
      }
      case Kind::kBlocks:
        bytes.reserve(3 * node.offsets.size());
        put_tag(bytes, Tag::kBlocks);
        put(bytes, node.offsets.size());
        put_lengths(bytes, node.lengths);
        put_steps(bytes, node.offsets);
        break;
      case Kind::kSequence: {
        std::vector<std::uint64_t> parts;
        parts.reserve(node.parts.size());
        for (const normal::Part& part : node.parts) parts.push_back(number_of(*part.node));
        put_tag(bytes, Tag::kSequence);
        put(bytes, node.parts.size());
        put(bytes, parts[0]);
        for (std::size_t i = 1; i < parts.size(); ++i) {
          put_signed(bytes, node.parts[i].offset - node.parts[i - 1].offset);
          put(bytes, parts[i]);
        }
        break;
      }
    }
    return bytes;
  }

  std::unordered_map<const Node*, std::uint64_t> known_;
  std::unordered_map<std::string, std::uint64_t> numbers_;
  std::vector<const std::string*> in_order_;
};

}  // namespace

std::vector<std::uint8_t> serialise(const normal::Form& form, std::int64_t lb, std::int64_t extent) {
  std::string bytes(kMagic.begin(), kMagic.end());
  bytes.push_back(static_cast<char>(kVersion));
  put(bytes, form.node ? static_cast<std::uint64_t>(form.node->bytes) : 0);
  put_signed(bytes, lb);
  put_signed(bytes, extent);
  if (form.node) {
    if (form.node->depth > kMaxDepth)
      refuse("is " + std::to_string(form.node->depth) + " levels deep; a reader takes " + std::to_string(kMaxDepth));
    NodeTable nodes;
    nodes.number_of(*form.node);
    put_signed(bytes, form.offset);
    put(bytes, nodes.in_order().size());
    for (const std::string* node : nodes.in_order()) bytes += *node;
  }
  std::vector<std::uint8_t> out(bytes.begin(), bytes.end());
  const std::uint32_t sum = checksum(out);
  for (std::size_t i = 0; i < kChecksumBytes; ++i) out.push_back(static_cast<std::uint8_t>(sum >> (8 * i)));
  return out;
}

}  // namespace gapless::serial
