// The normal form: the sequence of maximally fused byte runs of a type, kept as small as its description.
//
// A Node's first run starts at its origin (displacement 0), so equal sequences at different places have equal nodes;
// the place is kept beside it (Form, Part). Order is type-map order, always: no rule may change it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/numbers.hpp"

namespace gapless::normal {

struct Node;
using NodePtr = std::shared_ptr<const Node>;

struct Part {
  std::int64_t offset;  // [bytes] of the part's origin from its parent's
  NodePtr node;
};

enum class Kind {
  kRun,       // `bytes` consecutive bytes
  kLoop,      // `count` copies of the body, `stride` apart
  kTable,     // one copy of the body at each of `offsets`
  kBlocks,    // runs of unlike lengths: lengths[i] bytes at offsets[i]
  kSequence,  // unlike parts, one after the other
};

struct Node {
  Kind kind = Kind::kRun;
  std::int64_t count = 1;   // loop
  std::int64_t stride = 0;  // loop [bytes]
  base::Numbers offsets;    // table, blocks [bytes]; the first is 0; 4 or 8 bytes each, as kernels read them
  base::Numbers lengths;    // blocks [bytes]
  NodePtr body;             // loop, table
  std::vector<Part> parts;  // sequence; the first offset is 0

  std::int64_t bytes = 0;  // of data
  std::int64_t low = 0;    // [bytes] smallest displacement touched; negative if the order goes backwards
  std::int64_t high = 0;   // [bytes] end of the byte with the largest displacement
  std::int64_t runs = 1;   // number of runs, maximally fused up to the bounds stated in normal/rules.hpp
  bool disjoint = true;    // proved: no byte is touched twice. false: not proved
  int depth = 1;
  std::uint64_t hash = 0;  // of the structure, the same in every process. It finds candidates; equal() decides
};

struct Form {
  std::int64_t offset = 0;  // [bytes] of the node's origin from the buffer's address
  NodePtr node;             // null: no data at all
};

// What the caller already knows of a long list, so that finish() need not compute it.
struct ListFacts {
  std::int64_t bytes;      // of data
  std::int64_t low, high;  // [bytes] as in Node
  bool ascending;          // each entry begins at or after the end of the one before
};

// Computes the derived fields.
NodePtr finish(Node node, const ListFacts* facts = nullptr);
NodePtr make_run(std::int64_t bytes);
NodePtr make_loop(std::int64_t count, std::int64_t stride, NodePtr body);
NodePtr make_table(base::Numbers offsets, NodePtr body);

// Structural equality, exact. Cost: linear in the number of distinct nodes, and in the tables that do not share
// storage.
bool equal(const Node& a, const Node& b);
bool equal(const Form& a, const Form& b);
std::string text(const Form& form);

}  // namespace gapless::normal
