#include "normal/form.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <sstream>
#include <utility>

namespace gapless::normal {
namespace {

void write(std::ostream& out, const base::Numbers& numbers) {
  const char* separator = "";
  out << '[';
  for (const std::int64_t number : numbers) {
    out << separator << number;
    separator = ", ";
  }
  out << ']';
}

void write(std::ostream& out, const Node& node) {
  switch (node.kind) {
    case Kind::kRun:
      out << "run(" << node.bytes << ')';
      break;
    case Kind::kLoop:
      out << "loop(" << node.count << ", " << node.stride << ", ";
      write(out, *node.body);
      out << ')';
      break;
    case Kind::kTable:
      out << "table(";
      write(out, node.offsets);
      out << ", ";
      write(out, *node.body);
      out << ')';
      break;
    case Kind::kBlocks:
      out << "blocks(";
      write(out, node.lengths);
      out << ", ";
      write(out, node.offsets);
      out << ')';
      break;
    case Kind::kSequence: {
      out << "sequence(";
      const char* separator = "";
      for (const Part& part : node.parts) {
        out << separator << part.offset << ": ";
        write(out, *part.node);
        separator = ", ";
      }
      out << ')';
      break;
    }
  }
}

using Pairs = std::set<std::pair<const Node*, const Node*>>;

// `proved`: pairs found equal. Descriptions that share parts have nodes that do; each pair is compared once.
bool equal(const Node& a, const Node& b, Pairs& proved) {
  if (&a == &b) return true;
  if (a.hash != b.hash || a.kind != b.kind || a.bytes != b.bytes || a.runs != b.runs) return false;
  if (a.kind == Kind::kRun) return true;
  if (proved.count({&a, &b}) != 0) return true;
  bool same = false;
  switch (a.kind) {
    case Kind::kRun:
      break;
    case Kind::kLoop:
      same = a.count == b.count && a.stride == b.stride && equal(*a.body, *b.body, proved);
      break;
    case Kind::kTable:
      same = a.offsets == b.offsets && equal(*a.body, *b.body, proved);
      break;
    case Kind::kBlocks:
      same = a.offsets == b.offsets && a.lengths == b.lengths;
      break;
    case Kind::kSequence:
      same = std::equal(
          a.parts.begin(), a.parts.end(), b.parts.begin(), b.parts.end(),
          [&](const Part& x, const Part& y) { return x.offset == y.offset && equal(*x.node, *y.node, proved); });
      break;
  }
  if (same) proved.insert({&a, &b});
  return same;
}

}  // namespace

bool equal(const Node& a, const Node& b) {
  Pairs proved;
  return equal(a, b, proved);
}

bool equal(const Form& a, const Form& b) {
  if (!a.node || !b.node) return !a.node && !b.node;
  return a.offset == b.offset && equal(*a.node, *b.node);
}

std::string text(const Form& form) {
  if (!form.node) return "empty";
  std::ostringstream out;
  if (form.offset != 0) out << "at " << form.offset << ": ";
  write(out, *form.node);
  return out.str();
}

}  // namespace gapless::normal
