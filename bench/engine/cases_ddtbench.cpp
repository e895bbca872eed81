// The micro-applications of DDTBench (lab/ddtbench.hpp) with their loops by hand, and further descriptions of them.
#include "lab/ddtbench.hpp"

#include <utility>

#include "case.hpp"

namespace gapless::bench {
namespace {

namespace ddtbench = lab::ddtbench;

void add(Cases& into, const std::string& name, bool quick, std::function<Message()> make) {
  into.push_back(
      {"ddtbench/" + name, "ddtbench", false, quick, [make = std::move(make)](std::int64_t) { return make(); }});
}

// What is sent; the further descriptions say the same.
std::vector<Description> sent(const lab::Exchange& exchange, std::vector<Description> further = {}) {
  std::vector<Description> all;
  for (const lab::Description& of : exchange.send.descriptions) all.push_back({of.name, of.count, of.type});
  all.insert(all.end(), further.begin(), further.end());
  return all;
}

Message message(const ddtbench::Wrf& of) {
  return {sent(of.exchange()), hand_wrf(of.si, of.d1, of.d3, of.i0, of.j0), {.count = of.sj}, {}};
}

Message message(const ddtbench::Milc& of) {
  const int block = 3 * of.lx * of.ly, stride = block * of.lz;
  return {sent(of.exchange(), {{"vector", 1, TypeSpec::vector(2 * of.lt, block, stride, TypeSpec::float32())}}),
          hand_blocks(4, block, stride),
          {.count = 2 * of.lt},
          {}};
}

Message message(const ddtbench::Lu& of) {
  if (of.face == 'x') return {sent(of.exchange()), hand_blocks(8, 5, 5), {.count = of.n}, {}};
  const TypeSpec point = TypeSpec::contiguous(5, TypeSpec::float64());
  return {sent(of.exchange(), {{"resized", of.n, TypeSpec::resized(0, 40 * (of.n + 2), point)}}),
          hand_blocks(8, 5, 5 * (of.n + 2)),
          {.count = of.n},
          {}};
}

Message message(const ddtbench::Mg& of) {
  const TypeSpec number = TypeSpec::float64();
  if (of.face == 'x')
    return {sent(of.exchange(),
                 {{"subarray", 1,
                   TypeSpec::subarray({of.d3 - 2, of.d2, of.d1}, {of.d3 - 2, of.d2 - 2, 1}, {0, 0, 0}, number)}}),
            hand_mg_x(of.d1, of.d2),
            {.count = of.d3 - 2},
            {}};
  const int rows = of.face == 'y' ? of.d3 - 2 : of.d2 - 2, stride = of.face == 'y' ? of.d1 * of.d2 : of.d1;
  return {sent(of.exchange(), {{"subarray", 1, TypeSpec::subarray({rows, stride}, {rows, of.d1 - 2}, {0, 0}, number)}}),
          hand_blocks(8, of.d1 - 2, stride),
          {.count = rows},
          {}};
}

// Both blocks of a matrix: what one of two ranks sends to both, or where it puts what it receives.
Message message(const ddtbench::Fft& of, bool scatter) {
  const lab::Exchange exchange = of.exchange();
  const TypeSpec& block = (scatter ? exchange.receive : exchange.send).descriptions.front().type;
  return {{{"count", 2, block}, {"contiguous", 1, TypeSpec::contiguous(2, block)}},
          hand_fft(of.n / 2, of.n, scatter),
          {.count = 2},
          {}};
}

Message message(const ddtbench::SpecfemMt& of) {
  return {sent(of.exchange(), {{"vector of floats", 1, TypeSpec::vector(of.d3, 3, 6, TypeSpec::float32())}}),
          hand_blocks(4, 3, 6),
          {.count = of.d3},
          {}};
}

Message message(const ddtbench::SpecfemOc& of) {
  const auto list = std::make_shared<const std::vector<std::int32_t>>(of.list());
  return {sent(of.exchange()), hand_list(4), {.count = of.listed, .list = list->data()}, list};
}

Message message(const ddtbench::SpecfemCm& of) {
  const auto list = std::make_shared<const std::vector<std::int32_t>>(of.list());
  return {sent(of.exchange()),
          hand_specfem_cm(),
          {.count = of.first_listed,
           .list = list->data(),
           .length = std::int64_t{3} * of.first_length,
           .second_count = of.second_listed},
          list};
}

Message message(const ddtbench::Lammps& of) {
  const auto list = std::make_shared<const std::vector<std::int32_t>>(of.list());
  return {sent(of.exchange()),
          hand_lammps(of.properties),
          {.count = of.listed, .list = list->data(), .length = of.length()},
          list};
}

}  // namespace

void add_ddtbench(Cases& into) {
  const auto each = [&into](const auto& sizes, auto is_quick) {
    for (const auto& of : sizes) add(into, of.name(), is_quick(of), [of] { return message(of); });
  };
  each(ddtbench::kWrf, [](const ddtbench::Wrf& of) { return of.name().ends_with("2x2"); });
  each(ddtbench::kMilc, [](const ddtbench::Milc& of) { return of.lx == 16; });
  for (int n : ddtbench::kLuSizes)
    for (char face : {'x', 'y'})
      each(std::array{ddtbench::Lu{face, n}}, [n, face](const ddtbench::Lu&) { return face == 'y' && n == 162; });
  for (const auto& [d1, d2, d3] : ddtbench::kMgSizes)
    for (char face : {'x', 'y', 'z'})
      each(std::array{ddtbench::Mg{face, d1, d2, d3}}, [](const ddtbench::Mg& of) { return of.d1 == 130; });
  for (const ddtbench::Fft& of : ddtbench::kFft)
    for (bool scatter : {false, true})
      add(into, std::string(scatter ? "FFT2_scatter" : "FFT2_gather") + "/N=" + std::to_string(of.n), of.n == 256,
          [of, scatter] { return message(of, scatter); });
  each(ddtbench::kSpecfemMt, [](const ddtbench::SpecfemMt& of) { return of.d3 == 7600; });
  each(ddtbench::kSpecfemOc, [](const ddtbench::SpecfemOc& of) { return of.listed == 3225; });
  each(ddtbench::kSpecfemCm, [](const ddtbench::SpecfemCm& of) { return of.first_listed == 11797; });
  each(ddtbench::kLammps, [](const ddtbench::Lammps& of) { return of.listed == 3062; });
}

}  // namespace gapless::bench
