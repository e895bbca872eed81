#include "normal_type.hpp"

#include <span>
#include <vector>

#include "layout/signature.hpp"
#include "normal/normalise.hpp"

namespace gapless::lab::one_sided {
namespace {

using layout::LayoutPtr;
using layout::Named;
using normal::Kind;
using normal::Node;

// The only basic type of a sequence that is no mixture.
const Named* only_basic(const layout::SequencePtr& sequence) {
  const layout::Sequence* at = sequence.get();
  while (at != nullptr && at->kind == layout::Sequence::Kind::kRepeat) at = at->parts.front().get();
  return at != nullptr && at->kind == layout::Sequence::Kind::kBasic ? at->basic : nullptr;
}

class Writer {
 public:
  explicit Writer(const Named& basic) : basic_(layout::named(basic)), bytes_(basic.size) {}

  LayoutPtr write(const Node& node) const {
    switch (node.kind) {
      case Kind::kRun:
        return whole(node.bytes) ? layout::contiguous(node.bytes / bytes_, basic_) : nullptr;
      case Kind::kLoop:
        return loop(node);
      case Kind::kTable:
        return table(node);
      case Kind::kBlocks:
        return blocks(node.lengths.to_vector(), node.offsets.to_vector());
      case Kind::kSequence:
        return sequence(node);
    }
    return nullptr;
  }

 private:
  bool whole(std::int64_t bytes) const { return bytes % bytes_ == 0; }

  // In elements, where all are whole; else empty.
  std::vector<std::int64_t> elements(const std::vector<std::int64_t>& bytes) const {
    std::vector<std::int64_t> all;
    for (const std::int64_t one : bytes) {
      if (!whole(one)) return {};
      all.push_back(one / bytes_);
    }
    return all;
  }

  LayoutPtr loop(const Node& node) const {
    if (node.body->kind == Kind::kRun) {
      const std::int64_t length = node.body->bytes;
      if (!whole(length)) return nullptr;
      return whole(node.stride) ? layout::vector(node.count, length / bytes_, node.stride / bytes_, basic_)
                                : layout::hvector(node.count, length / bytes_, node.stride, basic_);
    }
    const LayoutPtr body = write(*node.body);
    return body ? layout::hvector(node.count, 1, node.stride, body) : nullptr;
  }

  LayoutPtr table(const Node& node) const {
    const std::vector<std::int64_t> offsets = node.offsets.to_vector();
    if (node.body->kind == Kind::kRun) {
      if (!whole(node.body->bytes)) return nullptr;
      const std::vector<std::int64_t> displacements = elements(offsets);
      const std::int64_t length = node.body->bytes / bytes_;
      return displacements.empty() ? layout::hindexed_block(length, offsets, basic_)
                                   : layout::indexed_block(length, displacements, basic_);
    }
    const LayoutPtr body = write(*node.body);
    return body ? layout::hindexed_block(1, offsets, body) : nullptr;
  }

  LayoutPtr blocks(const std::vector<std::int64_t>& lengths, const std::vector<std::int64_t>& offsets) const {
    const std::vector<std::int64_t> counts = elements(lengths), displacements = elements(offsets);
    if (counts.empty()) return nullptr;
    return displacements.empty() ? layout::hindexed(counts, offsets, basic_)
                                 : layout::indexed(counts, displacements, basic_);
  }

  LayoutPtr sequence(const Node& node) const {
    std::vector<std::int64_t> ones, lengths, offsets;
    std::vector<LayoutPtr> members;
    bool only_runs = true;
    for (const normal::Part& part : node.parts) {
      only_runs = only_runs && part.node->kind == Kind::kRun;
      ones.push_back(1);
      lengths.push_back(part.node->bytes);
      offsets.push_back(part.offset);
      members.push_back(write(*part.node));
      if (!members.back()) return nullptr;
    }
    return only_runs ? blocks(lengths, offsets) : layout::structure(ones, offsets, members);
  }

  LayoutPtr basic_;
  std::int64_t bytes_;
};

}  // namespace

LayoutPtr normal_type(const layout::Layout& type) {
  const normal::Form form = normal::normalise(type);
  const Named* basic = only_basic(layout::Signature(type).sequence());
  if (!form.node || basic == nullptr || basic->size != basic->extent) return nullptr;
  LayoutPtr made = Writer(*basic).write(*form.node);
  if (!made) return nullptr;
  if (form.offset != 0) {
    const std::int64_t offset[] = {form.offset};
    made = layout::hindexed_block(1, offset, made);
  }
  if (made->lb != type.lb || made->extent != type.extent) made = layout::resized(type.lb, type.extent, made);
  return made;
}

}  // namespace gapless::lab::one_sided
