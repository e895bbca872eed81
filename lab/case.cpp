#include "case.hpp"

#include <algorithm>

namespace gapless::lab {

std::string Case::name() const {
  return std::string(layout_name(kind)) + "/v" + std::to_string(variant) + "/A=" + std::to_string(a) + "/" +
         std::to_string(bytes);
}

Layout Case::layout() const {
  return make_layout(kind, variant, a, bytes);
}

namespace {

// The block sizes of the paper's tests, those that the user wants, or fewer.
std::vector<int> block_sizes(const Options& options, LayoutKind kind) {
  if (!options.blocks.empty()) return options.blocks;
  if (kind == LayoutKind::kHeterogeneous)
    return options.quick ? std::vector{2, 16, 200} : std::vector{2, 6, 8, 10, 16, 100, 128, 200};
  if (kind == LayoutKind::kRowColumn)
    return options.quick ? std::vector{2, 10} : std::vector{2, 10, 100, 128, 512, 1000, 1024, 5000, 10000};
  if (options.quick) return {2, 10, 1000};
  return options.all_layouts ? std::vector{2, 10, 100, 1000, 1024, 10000} : std::vector{2, 10, 100, 1000};
}

}  // namespace

std::vector<Case> make_cases(const Options& options) {
  std::vector<LayoutKind> kinds(kBasicLayouts.begin(), kBasicLayouts.end());
  if (options.all_layouts) kinds.insert(kinds.end(), kFurtherLayouts.begin(), kFurtherLayouts.end());
  std::vector<Case> cases;
  for (LayoutKind kind : kinds) {
    const bool basic = std::find(kBasicLayouts.begin(), kBasicLayouts.end(), kind) != kBasicLayouts.end();
    for (int variant : basic ? std::vector{1, 2} : std::vector{1})
      for (int a : block_sizes(options, kind))
        for (int bytes : options.sizes) {
          const Case one{kind, variant, a, bytes};
          if (one.name().find(options.filter) != std::string::npos) cases.push_back(one);
        }
  }
  return cases;
}

}  // namespace gapless::lab
