// The normal form: the sequence of maximally fused byte runs of a type, kept as small as its description.
//
// A Node's first run starts at its origin (displacement 0), so equal sequences at different places have equal nodes;
// the place is kept beside it (Form, Part). Order is type-map order, always: no rule may change it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

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
  kSequence,  // unlike parts, one after the other
};

struct Node {
  Kind kind = Kind::kRun;
  std::int64_t count = 1;             // loop
  std::int64_t stride = 0;            // loop [bytes]
  std::vector<std::int64_t> offsets;  // table [bytes]; the first is 0
  NodePtr body;                       // loop, table
  std::vector<Part> parts;            // sequence; the first offset is 0

  std::int64_t bytes = 0;  // of data
  std::int64_t low = 0;    // [bytes] smallest displacement touched; negative where the order goes backwards
  std::int64_t high = 0;   // [bytes] behind the largest displacement touched
  std::int64_t runs = 1;   // number of maximally fused runs
  bool disjoint = true;    // proved: no byte is touched twice. false: not proved
  int depth = 1;
};

struct Form {
  std::int64_t offset = 0;  // [bytes] of the node's origin from the buffer's address
  NodePtr node;             // null: no data at all
};

// Structural equality, exact. Cost: linear in the smaller form as written out; where both share their nodes, a shared
// node costs nothing, and where each was built on its own, it is compared once for each place it stands in.
bool equal(const Node& a, const Node& b) noexcept;
std::string text(const Form& form);

}  // namespace gapless::normal
