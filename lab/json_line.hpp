// What the lines that measuring programs print have in common.
#pragma once

#include <nlohmann/json.hpp>

#include <cmath>
#include <vector>

namespace gapless::lab {

// Keeps the order of the keys: the lines are read by people too.
using Json = nlohmann::ordered_json;

inline constexpr int kSchema = 1;

// A tenth of a nanosecond is below what the clock resolves.
inline double tenth(double ns) {
  return std::round(ns * 10) / 10;
}

inline Json tenths(const std::vector<double>& ns) {
  Json rounded = Json::array();
  for (const double one : ns) rounded.push_back(tenth(one));
  return rounded;
}

}  // namespace gapless::lab
