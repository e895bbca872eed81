#include "property/histogram.hpp"

#include <cstdio>
#include <set>

#include "kernel/kernel.hpp"
#include "support/random_type.hpp"

namespace gapless::test {
namespace {

void collect(const layout::Layout& type, std::set<std::string>& names) {
  names.insert(layout::combiner_name(type.combiner));
  for (const auto& child : type.children) collect(*child, names);
}

void print_counts(const char* title, const std::map<std::string, std::int64_t>& counts) {
  std::printf("%s\n", title);
  for (const auto& [name, count] : counts) std::printf("  %-24s %9lld\n", name.c_str(), static_cast<long long>(count));
}

}  // namespace

void Histogram::add(const layout::Layout& type, const Observed& observed) {
  ++types_;
  bytes_ += observed.bytes;
  not_maximal_ += observed.runs_are_maximal ? 0 : 1;
  ++depths_["depth " + std::to_string(depth_of(type))];
  std::set<std::string> names;
  collect(type, names);
  for (const auto& name : names) ++combiners_[name];
  for (std::size_t i = 0; i < observed.trace.hits.size(); ++i) {
    if (observed.trace.hits[i] > 0) ++rules_[normal::rule_names()[i]];
  }
  for (const auto& name : std::set<std::string>(observed.kernels.begin(), observed.kernels.end())) ++kernels_[name];
}

void Histogram::merge(const Histogram& other) {
  types_ += other.types_;
  bytes_ += other.bytes_;
  not_maximal_ += other.not_maximal_;
  for (const auto& [name, count] : other.depths_) depths_[name] += count;
  for (const auto& [name, count] : other.combiners_) combiners_[name] += count;
  for (const auto& [name, count] : other.rules_) rules_[name] += count;
  for (const auto& [name, count] : other.kernels_) kernels_[name] += count;
}

void Histogram::print() const {
  std::printf("histogram: number of types in which each occurred, of %lld types with %lld bytes on average\n",
              static_cast<long long>(types_), static_cast<long long>(types_ ? bytes_ / types_ : 0));
  print_counts("depth", depths_);
  print_counts("constructors", combiners_);
  print_counts("rules", rules_);
  print_counts("kernels", kernels_);
  std::printf("types whose normal form has more runs than necessary: %lld\n", static_cast<long long>(not_maximal_));
}

std::vector<std::string> Histogram::missing(std::int64_t least) const {
  std::vector<std::string> rare;
  const auto require = [&](const Counts& counts, const std::string& name) {
    const auto found = counts.find(name);
    const std::int64_t count = found == counts.end() ? 0 : found->second;
    if (count < least) rare.push_back(name + " (" + std::to_string(count) + ")");
  };
  require(depths_, "depth 4");
  for (int i = 0; i < layout::kCombinerCount; ++i) {
    require(combiners_, layout::combiner_name(static_cast<layout::Combiner>(i)));
  }
  for (const char* rule : normal::rule_names()) require(rules_, rule);
  for (const char* kernel : kernel::kernel_names()) require(kernels_, kernel);
  return rare;
}

}  // namespace gapless::test
