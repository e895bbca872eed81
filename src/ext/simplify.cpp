#include "ext/simplify.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "ext/describe.hpp"
#include "ext/with_child.hpp"
#include "layout/signature.hpp"
#include "normal/normalise.hpp"

namespace gapless::ext {

namespace {

using layout::Combiner;
using layout::Layout;
using layout::LayoutPtr;

class Simplifier {
 public:
  explicit Simplifier(bool (*is_leaf)(const Layout&)) : is_leaf_(is_leaf) {}

  // A layout with the type map of `type`. Its bounds may be others.
  Blocks data_of(const LayoutPtr& type) {
    if (type->size == 0) return {};
    if (is_leaf_(*type)) return {{1, 0, type}};
    if (const layout::Named* const only = layout::only_basic(*type); only != nullptr) {
      Blocks blocks;
      if (describe(normal::normalise(*type), {layout::named(*only), only->size}, blocks)) return blocks;
    }
    const LayoutPtr atom = atom_of(type);
    if (atom == type) return members_of(type);
    // The atom's copies, each as many bytes as it has if they have no gap, so that neighbours fuse; else as one byte.
    const bool is_dense = atom->size == atom->extent && atom->lb == 0 && atom->true_lb == 0 &&
                          atom->true_extent == atom->size && is_one_run(*atom);
    const std::int64_t bytes = is_dense ? atom->size : 1;
    const LayoutPtr byte = layout::named(*layout::find_named("byte"));
    const LayoutPtr token = layout::resized(atom->lb, atom->extent, layout::contiguous(bytes, byte));
    Blocks blocks;
    describe(normal::normalise(*with_atom(type, atom, token)), {whole(as_type(data_of(atom)), *atom), bytes}, blocks);
    return blocks;
  }

  static LayoutPtr whole(LayoutPtr data, const Layout& bounds) {
    if (data->lb == bounds.lb && data->extent == bounds.extent) return data;
    return layout::resized(bounds.lb, bounds.extent, std::move(data));
  }

 private:
  static bool is_one_run(const Layout& type) {
    const normal::Form form = normal::normalise(type);
    return form.node != nullptr && form.node->kind == normal::Kind::kRun;
  }

  bool is_atom(const Layout& type) const {
    if (type.combiner == Combiner::kNamed || is_leaf_(type)) return true;
    return type.combiner == Combiner::kStruct && std::any_of(type.children.begin(), type.children.end(),
                                                             [&](const LayoutPtr& c) { return c != type.children[0]; });
  }

  // Of which all data of a type are copies.
  LayoutPtr atom_of(LayoutPtr type) const {
    while (!is_atom(*type)) type = type->children.front();
    return type;
  }

  // With the bounds that each part has now: those of a struct depend on what is in it.
  static LayoutPtr with_atom(const LayoutPtr& type, const LayoutPtr& atom, const LayoutPtr& token) {
    return type == atom ? token : whole(with_child(*type, with_atom(type->children.front(), atom, token)), *type);
  }

  // Of a struct: stretches of members of one basic type, and the other members.
  Blocks members_of(const LayoutPtr& type) {
    Blocks blocks;
    for (std::size_t k = 0; k < type->children.size();) {
      std::vector<std::int64_t> lengths, displacements;
      std::vector<LayoutPtr> members;
      const layout::Named* const only = is_leaf_(*type->children[k]) ? nullptr : layout::only_basic(*type->children[k]);
      do {
        if (type->blocklengths[k] > 0 && type->children[k]->size > 0) {
          lengths.push_back(type->blocklengths[k]);
          displacements.push_back(type->displacements[k]);
          members.push_back(type->children[k]);
        }
        ++k;
      } while (only != nullptr && k < type->children.size() && !is_leaf_(*type->children[k]) &&
               layout::only_basic(*type->children[k]) == only);
      if (members.empty()) continue;
      const bool is_alone = only == nullptr;
      LayoutPtr stretch = members[0];
      if (!is_alone) stretch = layout::structure(lengths, displacements, members);
      if (is_alone && lengths[0] > 1) stretch = layout::contiguous(lengths[0], members[0]);
      for (Block block : data_of(stretch)) {
        if (is_alone) block.displacement += displacements[0];
        blocks.push_back(std::move(block));
      }
    }
    return blocks;
  }

  bool (*const is_leaf_)(const Layout&);
};

std::int64_t count_constructors(const Layout& type, bool (*is_leaf)(const Layout&), std::set<const Layout*>& seen) {
  if (type.combiner == Combiner::kNamed || is_leaf(type) || !seen.insert(&type).second) return 0;
  std::int64_t count = 1;
  for (const LayoutPtr& child : type.children) count += count_constructors(*child, is_leaf, seen);
  return count;
}

}  // namespace

LayoutPtr simplify(const LayoutPtr& type, bool (*is_leaf)(const Layout&)) {
  return Simplifier::whole(as_type(Simplifier(is_leaf).data_of(type)), *type);
}

std::int64_t constructor_count(const Layout& type, bool (*is_leaf)(const Layout&)) {
  std::set<const Layout*> seen;
  return count_constructors(type, is_leaf, seen);
}

}  // namespace gapless::ext
