#include "normal/compare.hpp"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "base/checked.hpp"

namespace gapless::normal {
namespace {

// A loop with a copy that begins at a position: its period, and the bytes of the loop from there to its end.
struct Periodic {
  std::int64_t period, left;  // [bytes]
};

// What is at a byte of a sequence.
struct Location {
  std::vector<Periodic> loops;     // outermost first
  std::vector<const Node*> nodes;  // that begin there, outermost first
  std::int64_t displacement = 0;   // [bytes] of that byte
  std::int64_t run_left = 0;       // [bytes] of its run
};

class RunSequence {
 public:
  explicit RunSequence(const RepeatedForm& of) : of_(of) {
    if (!of.form.node || of.count <= 0) return;
    bytes_ = base::checked_mul(of.form.node->bytes, of.count, "size of the message");
    const std::int64_t reach = base::checked_mul(of.count - 1, of.extent, "extent of the message");
    (void)base::checked_add(reach, of.form.offset + of.form.node->low, "lower bound of the message");
    (void)base::checked_add(reach, of.form.offset + of.form.node->high, "upper bound of the message");
  }
  std::int64_t bytes() const { return bytes_; }

  void locate(std::int64_t position, Location& location) {
    location.loops.clear();
    location.nodes.clear();
    const Node* node = of_.form.node.get();
    std::int64_t in = position, origin = of_.form.offset;  // the byte in the node, and where the node stands
    const auto enter_copy = [&](const Node& body, std::int64_t left) {
      const std::int64_t copy = in / body.bytes;
      in %= body.bytes;
      if (in == 0) location.loops.push_back({body.bytes, left});
      return copy;
    };
    origin += enter_copy(*node, bytes_ - position) * of_.extent;
    while (true) {
      if (in == 0) location.nodes.push_back(node);
      switch (node->kind) {
        case Kind::kRun:
          location.displacement = origin + in;
          location.run_left = node->bytes - in;
          return;
        case Kind::kLoop:
          origin += enter_copy(*node->body, node->bytes - in) * node->stride;
          node = node->body.get();
          break;
        case Kind::kTable: {
          const auto copy = static_cast<std::size_t>(in / node->body->bytes);
          in %= node->body->bytes;
          origin += node->offsets[copy];
          node = node->body.get();
          break;
        }
        case Kind::kBlocks: {
          const std::size_t i = find(*node, in);
          location.displacement = origin + node->offsets[i] + in;
          location.run_left = node->lengths[i] - in;
          return;
        }
        case Kind::kSequence: {
          const std::size_t i = find(*node, in);
          origin += node->parts[i].offset;
          node = node->parts[i].node.get();
          break;
        }
      }
    }
  }

 private:
  // The part or block that holds byte `in` of the node, which becomes the byte in that part.
  std::size_t find(const Node& node, std::int64_t& in) {
    std::vector<std::int64_t>& starts = starts_[&node];
    if (starts.empty()) {
      std::int64_t start = 0;
      for (const Part& part : node.parts) {
        starts.push_back(start);
        start += part.node->bytes;
      }
      for (const std::int64_t length : node.lengths) {
        starts.push_back(start);
        start += length;
      }
    }
    const auto behind = std::upper_bound(starts.begin(), starts.end(), in);
    const auto i = static_cast<std::size_t>(behind - starts.begin() - 1);
    in -= starts[i];
    return i;
  }

  const RepeatedForm& of_;
  std::int64_t bytes_ = 0;
  std::unordered_map<const Node*, std::vector<std::int64_t>> starts_;
};

class Comparison {
 public:
  Comparison(const RepeatedForm& a, const RepeatedForm& b) : a_(a), b_(b) {}
  bool same() { return a_.bytes() == b_.bytes() && agree(0, a_.bytes()); }

 private:
  // Bytes [from, to) of both.
  //
  // Proof of the long step. Let v and w be the displacements of the two sequences, v(i + p) = v(i) + s and
  // w(i + q) = w(i) + t over a stretch, and v = w on its first p + q bytes. The differences v(i + 1) - v(i) are a word
  // of period p, those of w one of period q, and their common prefix of p + q - 1 letters has both periods, hence
  // (Fine and Wilf) the period g = gcd(p, q). As g divides p and q, both words have period g all along, and agree on
  // their first g letters: they are one word.
  bool agree(std::int64_t from, std::int64_t to) {
    Location a, b;
    while (from < to) {
      a_.locate(from, a);
      b_.locate(from, b);
      if (a.displacement != b.displacement) return false;
      const std::int64_t equal = equal_nodes(a, b);
      Periodic both{0, 0};
      for (const Periodic& x : a.loops)
        for (const Periodic& y : b.loops)
          if (const std::int64_t left = std::min({x.left, y.left, to - from});
              left - x.period > y.period && left > both.left)
            both = {x.period + y.period, left};
      if (equal > 0 && equal >= both.left) {
        from += equal;
        continue;
      }
      if (both.left > 0) {
        if (!agree(from, from + both.period)) return false;
        from += both.left;
        continue;
      }
      from += std::min(a.run_left, b.run_left);
    }
    return true;
  }

  // The bytes of the largest equal nodes that begin here.
  static std::int64_t equal_nodes(const Location& a, const Location& b) {
    for (const Node* x : a.nodes)
      for (const Node* y : b.nodes)
        if (x->hash == y->hash && equal(*x, *y)) return x->bytes;
    return 0;
  }

  RunSequence a_, b_;
};

}  // namespace

bool same_sequence(const RepeatedForm& a, const RepeatedForm& b) {
  return Comparison(a, b).same();
}

}  // namespace gapless::normal
