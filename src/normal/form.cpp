#include "normal/form.hpp"

#include <sstream>

namespace gapless::normal {
namespace {

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
    case Kind::kTable: {
      out << "table([";
      const char* separator = "";
      for (const std::int64_t offset : node.offsets) {
        out << separator << offset;
        separator = ", ";
      }
      out << "], ";
      write(out, *node.body);
      out << ')';
      break;
    }
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

}  // namespace

bool equal(const Node& a, const Node& b) noexcept {
  if (&a == &b) return true;
  if (a.kind != b.kind || a.bytes != b.bytes || a.runs != b.runs) return false;
  switch (a.kind) {
    case Kind::kRun:
      return true;
    case Kind::kLoop:
      return a.count == b.count && a.stride == b.stride && equal(*a.body, *b.body);
    case Kind::kTable:
      return a.offsets == b.offsets && equal(*a.body, *b.body);
    case Kind::kSequence:
      if (a.parts.size() != b.parts.size()) return false;
      for (std::size_t i = 0; i < a.parts.size(); ++i)
        if (a.parts[i].offset != b.parts[i].offset || !equal(*a.parts[i].node, *b.parts[i].node)) return false;
      return true;
  }
  return false;
}

std::string text(const Form& form) {
  if (!form.node) return "empty";
  std::ostringstream out;
  if (form.offset != 0) out << "at " << form.offset << ": ";
  write(out, *form.node);
  return out.str();
}

}  // namespace gapless::normal
