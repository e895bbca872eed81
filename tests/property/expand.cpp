#include "property/expand.hpp"

namespace gapless::test {
namespace {

void append(const normal::Node& node, std::int64_t origin, std::vector<Entry>& runs) {
  switch (node.kind) {
    case normal::Kind::kRun:
      runs.push_back({origin, node.bytes});
      return;
    case normal::Kind::kLoop:
      for (std::int64_t i = 0; i < node.count; ++i) append(*node.body, origin + i * node.stride, runs);
      return;
    case normal::Kind::kTable:
      for (const std::int64_t offset : node.offsets) append(*node.body, origin + offset, runs);
      return;
    case normal::Kind::kBlocks:
      for (std::size_t i = 0; i < node.offsets.size(); ++i) runs.push_back({origin + node.offsets[i], node.lengths[i]});
      return;
    case normal::Kind::kSequence:
      for (const normal::Part& part : node.parts) append(*part.node, origin + part.offset, runs);
      return;
  }
}

}  // namespace

std::vector<Entry> expand(const normal::Form& form) {
  std::vector<Entry> runs;
  if (form.node) append(*form.node, form.offset, runs);
  return runs;
}

}  // namespace gapless::test
