// What a run over many types really exercised.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "layout/layout.hpp"
#include "property/type_check.hpp"

namespace gapless::test {

class Histogram {
 public:
  void add(const layout::Layout& type, const Observed& observed);
  void merge(const Histogram& other);
  void print() const;
  // What was hit in fewer than `least` types, of all that must be hit: depth 4, constructors, rules, kernels.
  std::vector<std::string> missing(std::int64_t least) const;

 private:
  // Number of types in which each occurred, by name.
  using Counts = std::map<std::string, std::int64_t>;
  Counts depths_, combiners_, rules_, kernels_;
  std::int64_t types_ = 0, bytes_ = 0, not_maximal_ = 0;
};

}  // namespace gapless::test
