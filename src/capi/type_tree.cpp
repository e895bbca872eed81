#include "capi/type_tree.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "notation/grammar.hpp"

namespace gapless::capi {
namespace {

using layout::Layout;

constexpr std::size_t kMaxEntries = 64;
constexpr int kMaxNodes = 1000;
constexpr int kMaxDepth = 64;

class Tree {
 public:
  Json node(const Layout& type, int depth) {
    Json json = Json::object();
    json["combiner"] = layout::combiner_name(type.combiner);
    if (depth > kMaxDepth || nodes_++ >= kMaxNodes) {
      json["cut"] = true;
      return json;
    }
    if (type.named) json["name"] = type.named->name;
    Json arguments = Json::object(), omitted = Json::object();
    for (const notation::Argument& argument : notation::arguments(type.combiner))
      std::visit([&](auto field) { add(type, field, argument.name, arguments, omitted); }, argument.field);
    if (!arguments.empty()) json["arguments"] = std::move(arguments);
    Json children = Json::list();
    for (std::size_t i = 0; i < std::min(type.children.size(), kMaxEntries); ++i)
      children.push_back(node(*type.children[i], depth + 1));
    if (type.children.size() > kMaxEntries) omitted["children"] = type.children.size() - kMaxEntries;
    if (!omitted.empty()) json["omitted"] = std::move(omitted);
    json["size"] = type.size;
    json["lb"] = type.lb;
    json["extent"] = type.extent;
    json["children"] = std::move(children);
    return json;
  }

 private:
  void add(const Layout& type, std::int64_t Layout::* field, const char* name, Json& arguments, Json&) {
    arguments[name] = type.*field;
  }
  void add(const Layout& type, base::Numbers Layout::* field, const char* name, Json& arguments, Json& omitted) {
    numbers(type.*field, name, arguments, omitted);
  }
  void add(const Layout& type, std::vector<std::int64_t> Layout::* field, const char* name, Json& arguments,
           Json& omitted) {
    numbers(type.*field, name, arguments, omitted);
  }
  void add(const Layout& type, layout::Order Layout::* field, const char* name, Json& arguments, Json&) {
    arguments[name] = notation::order_name(type.*field);
  }
  void add(const Layout& type, notation::Distributions, const char* name, Json& arguments, Json& omitted) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < type.distributions.size(); ++i) {
      names.emplace_back(notation::distribution_name(type.distributions[i]));
      if (const std::int64_t of = type.distribution_arguments[i]; of != layout::kDefaultDistribution)
        names.back() += "(" + std::to_string(of) + ")";
    }
    numbers(names, name, arguments, omitted);
  }
  void add(const Layout& type, notation::StructMembers, const char*, Json& arguments, Json& omitted) {
    numbers(type.blocklengths, "blocklengths", arguments, omitted);
    numbers(type.displacements, "displacements_bytes", arguments, omitted);
  }
  void add(const Layout&, notation::OldType, const char*, Json&, Json&) {}  // a child

  template <class List>
  static void numbers(const List& list, const char* name, Json& arguments, Json& omitted) {
    Json& values = arguments[name] = Json::list();
    for (std::size_t i = 0; i < std::min(list.size(), kMaxEntries); ++i) values.push_back(list[i]);
    if (list.size() > kMaxEntries) omitted[name] = list.size() - kMaxEntries;
  }

  int nodes_ = 0;
};

}  // namespace

Json type_tree(const Layout& type) {
  return Tree().node(type, 1);
}

}  // namespace gapless::capi
