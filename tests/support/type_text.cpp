#include "support/type_text.hpp"

#include <vector>

namespace gapless::test {
namespace {

using layout::Combiner;

template <class List>
std::string list(const List& values) {
  std::string text = "[";
  for (std::size_t i = 0; i < values.size(); ++i) text += (i ? ", " : "") + std::to_string(values[i]);
  return text + "]";
}

std::string arguments(const layout::Layout& type) {
  const std::string count = std::to_string(type.count) + ", ";
  const std::string blocklength = std::to_string(type.blocklength) + ", ";
  switch (type.combiner) {
    case Combiner::kNamed:
    case Combiner::kDup:
      return "";
    case Combiner::kContiguous:
      return count;
    case Combiner::kVector:
    case Combiner::kHvector:
      return count + blocklength + std::to_string(type.stride) + ", ";
    case Combiner::kIndexed:
    case Combiner::kHindexed:
    case Combiner::kStruct:
      return list(type.blocklengths) + ", " + list(type.displacements) + ", ";
    case Combiner::kIndexedBlock:
    case Combiner::kHindexedBlock:
      return blocklength + list(type.displacements) + ", ";
    case Combiner::kSubarray:
      return list(type.sizes) + ", " + list(type.subsizes) + ", " + list(type.starts) +
             (type.order == layout::Order::kC ? ", C, " : ", Fortran, ");
    case Combiner::kResized:
      return std::to_string(type.lb) + ", " + std::to_string(type.extent) + ", ";
    case Combiner::kBoundedVector:
      return std::to_string(type.bound) + ", " + blocklength + std::to_string(type.stride) + ", ";
    case Combiner::kCircularVector:
      return std::to_string(type.total) + ", " + std::to_string(type.start) + ", " + std::to_string(type.bound) + ", " +
             blocklength + std::to_string(type.stride) + ", ";
    case Combiner::kBucket:
      return std::to_string(type.stride) + ", " + list(type.blocklengths) + ", ";
    case Combiner::kDarray:
      return "...";
  }
  return "?";
}

}  // namespace

std::string type_text(const layout::Layout& type) {
  if (type.combiner == Combiner::kNamed) return type.named->name;
  std::string text = std::string(layout::combiner_name(type.combiner)) + "(" + arguments(type);
  if (type.combiner != Combiner::kStruct) return text + type_text(*type.children[0]) + ")";
  text += "[";
  for (std::size_t i = 0; i < type.children.size(); ++i) text += (i ? ", " : "") + type_text(*type.children[i]);
  return text + "])";
}

}  // namespace gapless::test
