// What something costs by its size: a fixed part and one for each unit, by what it cost so far. Later costs count more,
// as a machine changes; 50 of them are about half of what counts. Each counts the less the greater it is: what was
// interrupted says nothing of the next one.
#pragma once

#include <algorithm>

namespace gapless::wire::fabric {

class CostLine {
 public:
  void add(double size, double cost) noexcept {
    const double weight = 1 / std::max(cost, 1e-9);
    for (double* sum : {&n_, &x_, &y_, &xx_, &xy_}) *sum *= kKept;
    n_ += weight;
    x_ += weight * size;
    y_ += weight * cost;
    xx_ += weight * size * size;
    xy_ += weight * size * cost;
  }
  // The line of least squares, neither part of it below 0; 0 if nothing was added.
  double at(double size) const noexcept {
    if (n_ == 0) return 0;
    // Sizes that hardly differ do not tell the parts apart: then whichever says more.
    const double spread = xx_ - x_ * x_ / n_;
    if (spread <= 0.01 * xx_) return y_ / n_ * std::max(1.0, size * n_ / x_);
    const double slope = std::clamp((xy_ - x_ * y_ / n_) / spread, 0.0, y_ / x_);
    return (y_ - slope * x_) / n_ + slope * size;
  }

 private:
  static constexpr double kKept = 0.986;
  double n_ = 0, x_ = 0, y_ = 0, xx_ = 0, xy_ = 0;
};

}  // namespace gapless::wire::fabric
