#include "notation/grammar.hpp"

namespace gapless::notation {
namespace {

using layout::Combiner;
using layout::Layout;

constexpr Argument kCount = {"count", &Layout::count};
constexpr Argument kBlocklength = {"blocklength", &Layout::blocklength};
constexpr Argument kStride = {"stride", &Layout::stride};
constexpr Argument kStrideBytes = {"stride_bytes", &Layout::stride};
constexpr Argument kBound = {"bound", &Layout::bound};
constexpr Argument kBlocklengths = {"blocklengths", &Layout::blocklengths};
constexpr Argument kDisplacements = {"displacements", &Layout::displacements};
constexpr Argument kDisplacementsBytes = {"displacements_bytes", &Layout::displacements};
constexpr Argument kSizes = {"sizes", &Layout::sizes};
constexpr Argument kOrder = {"order", &Layout::order};
constexpr Argument kType = {"type", OldType{}};

constexpr Argument kContiguous[] = {kCount, kType};
constexpr Argument kVector[] = {kCount, kBlocklength, kStride, kType};
constexpr Argument kHvector[] = {kCount, kBlocklength, kStrideBytes, kType};
constexpr Argument kIndexed[] = {kBlocklengths, kDisplacements, kType};
constexpr Argument kHindexed[] = {kBlocklengths, kDisplacementsBytes, kType};
constexpr Argument kIndexedBlock[] = {kBlocklength, kDisplacements, kType};
constexpr Argument kHindexedBlock[] = {kBlocklength, kDisplacementsBytes, kType};
constexpr Argument kStruct[] = {{"members", StructMembers{}}};
constexpr Argument kSubarray[] = {kSizes, {"subsizes", &Layout::subsizes}, {"starts", &Layout::starts}, kOrder, kType};
constexpr Argument kResized[] = {{"lb", &Layout::lb}, {"extent", &Layout::extent}, kType};
constexpr Argument kDup[] = {kType};
constexpr Argument kDarray[] = {{"process_count", &Layout::process_count},
                                {"rank", &Layout::rank},
                                kSizes,
                                {"distributions", Distributions{}},
                                {"process_grid", &Layout::process_grid},
                                kOrder,
                                kType};
constexpr Argument kBoundedVector[] = {kBound, kBlocklength, kStride, kType};
constexpr Argument kCircularVector[] = {
    {"total", &Layout::total}, {"start", &Layout::start}, kBound, kBlocklength, kStride, kType};
constexpr Argument kBucket[] = {kStride, {"counts", &Layout::blocklengths}, kType};

}  // namespace

std::span<const Argument> arguments(Combiner combiner) noexcept {
  switch (combiner) {
    case Combiner::kNamed:
      return {};
    case Combiner::kContiguous:
      return kContiguous;
    case Combiner::kVector:
      return kVector;
    case Combiner::kHvector:
      return kHvector;
    case Combiner::kIndexed:
      return kIndexed;
    case Combiner::kHindexed:
      return kHindexed;
    case Combiner::kIndexedBlock:
      return kIndexedBlock;
    case Combiner::kHindexedBlock:
      return kHindexedBlock;
    case Combiner::kStruct:
      return kStruct;
    case Combiner::kSubarray:
      return kSubarray;
    case Combiner::kResized:
      return kResized;
    case Combiner::kDup:
      return kDup;
    case Combiner::kDarray:
      return kDarray;
    case Combiner::kBoundedVector:
      return kBoundedVector;
    case Combiner::kCircularVector:
      return kCircularVector;
    case Combiner::kBucket:
      return kBucket;
  }
  return {};
}

std::string usage(Combiner combiner) {
  struct Show {
    const char* name;
    std::string operator()(std::int64_t Layout::*) const { return name; }
    std::string operator()(base::Numbers Layout::*) const { return std::string("[") + name + "]"; }
    std::string operator()(std::vector<std::int64_t> Layout::*) const { return std::string("[") + name + "]"; }
    std::string operator()(layout::Order Layout::*) const { return "C or Fortran"; }
    std::string operator()(Distributions) const { return "[block, cyclic or none, ...]"; }
    std::string operator()(StructMembers) const { return "[(blocklength, displacement_bytes, type), ...]"; }
    std::string operator()(OldType) const { return name; }
  };
  std::string text = std::string(layout::combiner_name(combiner)) + "(";
  const char* separator = "";
  for (const Argument& argument : arguments(combiner)) {
    text += separator + std::visit(Show{argument.name}, argument.field);
    separator = ", ";
  }
  return text + ")";
}

const char* order_name(layout::Order order) noexcept {
  return order == layout::Order::kC ? "C" : "Fortran";
}

const char* distribution_name(layout::Distribution distribution) noexcept {
  switch (distribution) {
    case layout::Distribution::kBlock:
      return "block";
    case layout::Distribution::kCyclic:
      return "cyclic";
    case layout::Distribution::kNone:
      break;
  }
  return "none";
}

}  // namespace gapless::notation
