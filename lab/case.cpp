#include "case.hpp"

namespace gapless::lab {

std::string Case::name() const {
  return std::string(layout_name(kind)) + "/v" + std::to_string(variant) + "/A=" + std::to_string(a) + "/" +
         std::to_string(bytes);
}

Layout Case::layout() const {
  const Unit unit = make_unit(kind, variant, a);
  return {unit, bytes / static_cast<int>(unit.elements() * kBaseBytes)};
}

std::vector<Case> make_cases(const Options& options) {
  const std::vector<int> sizes_bytes{3200, 2'560'000};
  const std::vector<int> block_sizes =
      options.quick ? std::vector<int>{2, 10, 1000} : std::vector<int>{2, 10, 100, 1000};
  std::vector<Case> cases;
  for (LayoutKind kind : kLayoutKinds)
    for (int variant : {1, 2})
      for (int a : block_sizes)
        for (int bytes : sizes_bytes) {
          const Case one{kind, variant, a, bytes};
          if (one.name().find(options.filter) != std::string::npos) cases.push_back(one);
        }
  return cases;
}

}  // namespace gapless::lab
