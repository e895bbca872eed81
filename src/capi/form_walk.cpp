#include "capi/form_walk.hpp"

#include <unordered_map>

namespace gapless::capi {
namespace {

using normal::Kind;
using normal::Node;

// Calls into(offset of the piece [bytes], its node) for each piece of a node, in order, until it returns false; returns
// true if it never did. A run has no pieces, and blocks are runs without nodes of their own.
template <class Into>
bool for_each_piece(const Node& node, Into into) {
  switch (node.kind) {
    case Kind::kRun:
      return true;
    case Kind::kLoop:
      for (std::int64_t i = 0; i < node.count; ++i)
        if (!into(i * node.stride, *node.body)) return false;
      return true;
    case Kind::kTable:
      for (const std::int64_t offset : node.offsets)
        if (!into(offset, *node.body)) return false;
      return true;
    case Kind::kBlocks:
      return true;
    case Kind::kSequence:
      for (const normal::Part& part : node.parts)
        if (!into(part.offset, *part.node)) return false;
      return true;
  }
  return true;
}

class RunWalk {
 public:
  RunWalk(std::int64_t max_pieces, const std::function<void(std::int64_t, std::int64_t)>& visit)
      : left_(max_pieces), visit_(visit) {}

  bool node(std::int64_t origin, const Node& node) {
    if (node.kind == Kind::kRun) return run(origin, node.bytes);
    if (node.kind == Kind::kBlocks) {
      for (std::size_t i = 0; i < node.offsets.size(); ++i)
        if (!run(origin + node.offsets[i], node.lengths[i])) return false;
      return true;
    }
    return for_each_piece(node,
                          [&](std::int64_t offset, const Node& piece) { return this->node(origin + offset, piece); });
  }
  void flush() {
    if (bytes_ > 0) visit_(begin_, bytes_);
  }

 private:
  // Neighbours that the form left apart are one run.
  bool run(std::int64_t begin, std::int64_t bytes) {
    if (left_-- == 0) return false;
    if (bytes_ > 0 && begin_ + bytes_ == begin) {
      bytes_ += bytes;
      return true;
    }
    flush();
    begin_ = begin;
    bytes_ = bytes;
    return true;
  }

  std::int64_t left_;
  const std::function<void(std::int64_t, std::int64_t)>& visit_;
  std::int64_t begin_ = 0, bytes_ = 0;
};

const Written& written_of(const Node& node, std::unordered_map<const Node*, Written>& known) {
  if (const auto found = known.find(&node); found != known.end()) return found->second;
  Written total = {1, static_cast<double>(node.offsets.size() + node.lengths.size() + node.parts.size())};
  const auto add = [&](const Node& inner) {
    const Written of = written_of(inner, known);
    total.nodes += of.nodes;
    total.numbers += of.numbers;
  };
  if (node.body) add(*node.body);
  for (const normal::Part& part : node.parts) add(*part.node);
  return known[&node] = total;
}

}  // namespace

bool for_each_run(const normal::Form& form, std::int64_t max_pieces,
                  const std::function<void(std::int64_t, std::int64_t)>& visit) {
  if (!form.node) return true;
  RunWalk walk(max_pieces, visit);
  const bool complete = walk.node(form.offset, *form.node);
  walk.flush();
  return complete;
}

Written written(const normal::Form& form) {
  if (!form.node) return {};
  std::unordered_map<const Node*, Written> known;
  return written_of(*form.node, known);
}

}  // namespace gapless::capi
