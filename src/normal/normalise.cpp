#include "normal/normalise.hpp"

#include <unordered_map>
#include <utility>

#include "normal/build.hpp"

namespace gapless::normal {
namespace {

using layout::Combiner;
using layout::Layout;

// One run over a description. Types are shared between descriptions (a tree of handles is really a graph), so each is
// normalised once.
class Normaliser {
 public:
  explicit Normaliser(Trace* trace) : trace_(trace) {}

  Form form_of(const Layout& type) {
    if (type.size == 0) return {};
    const auto known = known_.find(&type);
    if (known != known_.end()) return known->second;
    Form form = build(type);
    known_.emplace(&type, form);
    return form;
  }

 private:
  Form build(const Layout& type) {
    const auto displacement = [&](std::int64_t i) { return type.displacements[static_cast<std::size_t>(i)]; };
    const auto blocklength = [&](std::int64_t i) { return type.blocklengths[static_cast<std::size_t>(i)]; };
    const auto constant = [&](std::int64_t) { return type.blocklength; };
    const std::int64_t extent = type.children.empty() ? 0 : type.children[0]->extent;
    const auto in_extents = [&](std::int64_t i) { return displacement(i) * extent; };
    switch (type.combiner) {
      case Combiner::kNamed:
        return named(*type.named);
      case Combiner::kContiguous:
        return loop(type.count, extent, old_form(type), trace_);
      case Combiner::kVector:
      case Combiner::kHvector: {
        // A stride that no second block uses was not checked, and must not be multiplied.
        const std::int64_t unit = type.combiner == Combiner::kVector && type.count > 1 ? extent : 1;
        return loop(type.count, type.stride * unit, loop(type.blocklength, extent, old_form(type), trace_), trace_);
      }
      case Combiner::kIndexed:
        return list(type, in_extents, blocklength);
      case Combiner::kHindexed:
        return list(type, displacement, blocklength);
      case Combiner::kIndexedBlock:
        return list(type, in_extents, constant);
      case Combiner::kHindexedBlock:
        return list(type, displacement, constant);
      case Combiner::kStruct:
        return structure(type);
      case Combiner::kSubarray:
        return subarray(type);
      case Combiner::kResized:
      case Combiner::kDup:
        return old_form(type);
      case Combiner::kDarray:
      case Combiner::kBoundedVector:
      case Combiner::kCircularVector:
      case Combiner::kBucket:
        return form_of(*type.expansion);
    }
    return {};
  }

  Form old_form(const Layout& type) { return form_of(*type.children[0]); }

  // Displacements in bytes; blocks of equal length share one node.
  template <class DisplacementOf, class BlocklengthOf>
  Form list(const Layout& type, DisplacementOf displacement_of, BlocklengthOf blocklength_of) {
    const Form old = old_form(type);
    std::vector<Part> parts;
    parts.reserve(static_cast<std::size_t>(type.count));
    std::unordered_map<std::int64_t, Form> blocks;
    for (std::int64_t i = 0; i < type.count; ++i) {
      const std::int64_t length = blocklength_of(i);
      auto known = blocks.find(length);
      if (known == blocks.end())
        known = blocks.emplace(length, loop(length, type.children[0]->extent, old, trace_)).first;
      const Form& block = known->second;
      if (block.node) parts.push_back({displacement_of(i) + block.offset, block.node});
    }
    return sequence(std::move(parts), trace_);
  }

  Form structure(const Layout& type) {
    std::vector<Part> parts;
    for (std::size_t i = 0; i < type.children.size(); ++i) {
      const Layout& old = *type.children[i];
      const Form block = loop(type.blocklengths[i], old.extent, form_of(old), trace_);
      if (block.node) parts.push_back({type.displacements[i] + block.offset, block.node});
    }
    return sequence(std::move(parts), trace_);
  }

  Form subarray(const Layout& type) {
    Form form = old_form(type);
    std::int64_t step = type.children[0]->extent, start = 0;
    const std::size_t dimensions = type.sizes.size();
    for (std::size_t i = 0; i < dimensions; ++i) {
      const std::size_t d = type.order == layout::Order::kC ? dimensions - 1 - i : i;
      form = loop(type.subsizes[d], step, form, trace_);
      start += type.starts[d] * step;
      step *= type.sizes[d];
    }
    form.offset += start;
    return form;
  }

  Form named(const layout::Named& type) {
    std::vector<Part> parts;
    for (int i = 0; i < type.run_count; ++i) parts.push_back({type.runs[i].displacement, make_run(type.runs[i].bytes)});
    return sequence(std::move(parts), trace_);
  }

  Trace* trace_;
  std::unordered_map<const Layout*, Form> known_;
};

}  // namespace

Form normalise(const Layout& type, Trace* trace) {
  return Normaliser(trace).form_of(type);
}

}  // namespace gapless::normal
