// Many short parts without much order among them -> one table or one list of blocks.
// Proof: a table, and a list of blocks, is by definition its runs, one after the other, in the order of the list.
// Accidental order (three equal distances in a row, say) would only cut the list into small pieces: short loops stay
// only if a part stands for four or more runs on average.
#include "normal/parts.hpp"
#include "normal/rules.hpp"

namespace gapless::normal::rules {
namespace {

constexpr std::int64_t kMinRunsPerPart = 4;
constexpr std::int64_t kMaxSingleRuns = 32;  // this many unlike runs stay parts of their own

// True for a short list. A list that many types of a description share is copied into each, so forms would outgrow
// their descriptions if long lists were copied.
bool is_list(const Node& node) {
  return ((node.kind == Kind::kTable && node.body->kind == Kind::kRun) || node.kind == Kind::kBlocks) &&
         node.runs <= static_cast<std::int64_t>(kMaxItems);
}

// True for other nodes of few runs: they contain no tables that are worth keeping.
bool is_short(const Node& node) {
  return node.runs < kWorthALoop && node.kind != Kind::kTable && node.kind != Kind::kBlocks;
}

class Runs {
 public:
  void append(const Node& node, std::int64_t origin) {
    switch (node.kind) {
      case Kind::kRun:
        offsets.push_back(origin);
        lengths.push_back(node.bytes);
        return;
      case Kind::kLoop:
        for (std::int64_t i = 0; i < node.count; ++i) append(*node.body, origin + i * node.stride);
        return;
      case Kind::kTable:
        for (const std::int64_t offset : node.offsets) append(*node.body, origin + offset);
        return;
      case Kind::kBlocks:
        for (std::size_t i = 0; i < node.lengths.size(); ++i) {
          offsets.push_back(origin + node.offsets[i]);
          lengths.push_back(node.lengths[i]);
        }
        return;
      case Kind::kSequence:
        for (const Part& part : node.parts) append(*part.node, origin + part.offset);
        return;
    }
  }
  bool are_equal() const {
    for (const std::int64_t length : lengths)
      if (length != lengths[0]) return false;
    return true;
  }
  std::vector<std::int64_t> offsets, lengths;
};

}  // namespace

bool irregular_list(std::vector<Part>& parts, Alphabet& alphabet) {
  std::vector<Part> out;
  bool changed = false;
  for (std::size_t i = 0; i < parts.size();) {
    std::int64_t runs = 0, pieces = 0;
    std::size_t end = i;
    for (; end < parts.size(); ++end) {
      const Node& node = *parts[end].node;
      if (!is_list(node) && !is_short(node)) break;
      runs += node.runs;
      pieces += is_list(node) ? node.runs : 1;
    }
    const auto keep = [&](std::size_t to) {
      for (; i < to; ++i) out.push_back(parts[i]);
    };
    if (end - i < 2 || runs < 3 || runs >= kMinRunsPerPart * pieces) {
      keep(end > i ? end : i + 1);
      continue;
    }
    Runs list;
    for (std::size_t j = i; j < end; ++j) list.append(*parts[j].node, parts[j].offset);
    if (list.are_equal())
      out.push_back(copies_at(list.offsets, alphabet.unique(make_run(list.lengths[0])), alphabet));
    else if (runs > kMaxSingleRuns)
      out.push_back(blocks_at(list.offsets, list.lengths, alphabet));
    else {
      keep(end);
      continue;
    }
    i = end;
    changed = true;
  }
  if (changed) parts = std::move(out);
  return changed;
}

}  // namespace gapless::normal::rules
