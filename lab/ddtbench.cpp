#include "ddtbench.hpp"

#include "places.hpp"

#include <utility>

namespace gapless::lab {
namespace ddtbench {
namespace {

// The same region of the same array at both ends.
Exchange both_ends(std::int64_t origin_bytes, std::vector<Description> descriptions) {
  const End end{origin_bytes, std::move(descriptions)};
  return {end, end};
}

// The same type at both ends, at different places of the array.
Exchange one_type(const std::string& name, TypeSpec type, std::int64_t send_bytes, std::int64_t receive_bytes) {
  const Description description{name, 1, std::move(type), {}};
  return {{send_bytes, {description}}, {receive_bytes, {description}}};
}

// What an application packs by hand, as what.
Exchange by_hand(Exchange exchange, bool doubles, const char* kernel, std::vector<int> sizes,
                 std::vector<std::int32_t> list = {}) {
  exchange.loops = {kernel, std::move(sizes), std::move(list)};
  exchange.element = doubles ? "double" : "float";
  exchange.element_bytes = doubles ? kDoubleBytes : kFloatBytes;
  return exchange;
}

std::vector<int> times(int factor, const std::vector<std::int32_t>& list) {
  std::vector<int> multiplied(list.begin(), list.end());
  for (int& entry : multiplied) entry *= factor;
  return multiplied;
}

}  // namespace

Exchange Wrf::exchange() const {
  constexpr int kD2 = kWrfHeight;
  const std::int64_t row_bytes = d1 * kFloatBytes, plane_bytes = row_bytes * d3, cube_bytes = plane_bytes * kD2;
  const TypeSpec box2 = TypeSpec::vector(sj, si, d1, TypeSpec::float32());
  const TypeSpec box3 = TypeSpec::hvector(sj, 1, row_bytes * kD2, TypeSpec::vector(kD2, si, d1, TypeSpec::float32()));
  const TypeSpec box4 = TypeSpec::hvector(1, 1, cube_bytes, box3);
  const TypeSpec sub2 = TypeSpec::subarray({d3, d1}, {sj, si}, {j0, i0}, TypeSpec::float32());
  const TypeSpec sub3 = TypeSpec::subarray({d3, kD2, d1}, {sj, kD2, si}, {j0, 0, i0}, TypeSpec::float32());
  const TypeSpec sub4 = TypeSpec::subarray({2, d3, kD2, d1}, {1, sj, kD2, si}, {1, j0, 0, i0}, TypeSpec::float32());
  const std::int64_t corner2 = j0 * row_bytes + i0 * kFloatBytes;
  const std::int64_t corner3 = j0 * row_bytes * kD2 + i0 * kFloatBytes;
  std::vector<std::int64_t> arrays, corners;
  std::vector<TypeSpec> boxes, subarrays;
  std::int64_t at = 0;
  const auto array = [&](std::int64_t corner, std::int64_t bytes, const TypeSpec& box, const TypeSpec& subarray) {
    arrays.push_back(at);
    corners.push_back(at + corner);
    boxes.push_back(box);
    subarrays.push_back(subarray);
    at += bytes;
  };
  for (int m = 0; m < 4; ++m) array(corner2, plane_bytes, box2, sub2);
  for (int m = 0; m < 3; ++m) array(corner3, cube_bytes, box3, sub3);
  for (int m = 0; m < 2; ++m) array(corner3 + cube_bytes, 2 * cube_bytes, box4, sub4);
  const std::vector<int> once(arrays.size(), 1);
  return by_hand(both_ends(0, {{"vec", 1, TypeSpec::structure(once, corners, boxes), {}},
                               {"sa", 1, TypeSpec::structure(once, arrays, subarrays), {}}}),
                 false, "wrf", {d1, kD2, d3, i0, j0, si, sj});
}

std::string Milc::name() const {
  return "MILC_su3_zd/" + std::to_string(lx) + "x" + std::to_string(ly) + "x" + std::to_string(lz) + "x" +
         std::to_string(lt);
}

Exchange Milc::exchange() const {
  const TypeSpec su3 = TypeSpec::contiguous(6, TypeSpec::float32());
  const TypeSpec face = TypeSpec::vector(lt, lx * ly / 2, lx * ly * lz / 2, su3);
  return by_hand(
      both_ends(0, {{"hvector", 1, TypeSpec::hvector(2, 1, std::int64_t{12} * lx * ly * lz * lt, face), {}}}), false,
      "milc", {lx, ly, lz, lt});
}

std::string Lu::name() const {
  return std::string("NAS_LU_") + face + "/N=" + std::to_string(n);
}

Exchange Lu::exchange() const {
  const std::int64_t point_bytes = 5 * kDoubleBytes, column_bytes = point_bytes * (n + 2);
  if (face == 'x')
    return by_hand(one_type("contiguous", TypeSpec::contiguous(5 * n, TypeSpec::float64()),
                            n * column_bytes + point_bytes, point_bytes),
                   true, "lu_x", {n});
  const TypeSpec point = TypeSpec::contiguous(5, TypeSpec::float64());
  return by_hand(one_type("vector", TypeSpec::vector(n, 1, n + 2, point), column_bytes + n * point_bytes, column_bytes),
                 true, "lu_y", {n});
}

std::string Mg::name() const {
  return std::string("NAS_MG_") + face + "/" + std::to_string(d1);
}

Exchange Mg::exchange() const {
  const TypeSpec number = TypeSpec::float64();
  const auto place = [this](std::int64_t i, std::int64_t j, std::int64_t k) {
    return kDoubleBytes * (i + d1 * (j + d2 * k));
  };
  if (face == 'x') {
    const TypeSpec line = TypeSpec::vector(d2 - 2, 1, d1, number);
    return by_hand(one_type("hvector", TypeSpec::hvector(d3 - 2, 1, kDoubleBytes * d1 * d2, line), place(d1 - 2, 1, 1),
                            place(d1 - 1, 1, 1)),
                   true, "mg_x", {d1, d2, d3});
  }
  if (face == 'y')
    return by_hand(
        one_type("vector", TypeSpec::vector(d3 - 2, d1 - 2, d1 * d2, number), place(1, d2 - 2, 1), place(1, d2 - 1, 1)),
        true, "mg_y", {d1, d2, d3});
  return by_hand(one_type("vector", TypeSpec::vector(d2 - 2, d1 - 2, d1, number), place(1, 1, 1), place(1, 1, 0)), true,
                 "mg_z", {d1, d2, d3});
}

Exchange Fft::exchange() const {
  const int half = n / 2;
  const TypeSpec number = TypeSpec::contiguous(2, TypeSpec::float64());
  const TypeSpec rows = TypeSpec::resized(0, 16 * half, TypeSpec::vector(half, half, n, number));
  const TypeSpec column = TypeSpec::resized(0, 16, TypeSpec::vector(half, 1, n, number));
  Exchange exchange =
      by_hand({{0, {{"transpose", 1, rows, {}}}}, {0, {{"transpose", 1, TypeSpec::contiguous(half, column), {}}}}},
              true, "fft", {n, 2});
  exchange.blocks = 2;
  return exchange;
}

std::string SpecfemMt::name() const {
  return "SPECFEM3D_mt/" + (d1 == 3 ? "" : std::to_string(d1) + "x") + std::to_string(d3);
}

Exchange SpecfemMt::exchange() const {
  const TypeSpec point = TypeSpec::contiguous(d1, TypeSpec::float32());
  return by_hand({{0, {{"vector", 1, TypeSpec::vector(d3, 1, 2, point), {}}}},
                  {0, {{"vector", 1, TypeSpec::contiguous(d1 * d3, TypeSpec::float32()), {}}}}},
                 false, "specfem_mt", {d1, 2, d3});
}

std::vector<std::int32_t> SpecfemOc::list() const {
  return random_places(listed, length);
}

Exchange SpecfemOc::exchange() const {
  return by_hand(both_ends(0, {{"indexed_block", 1, TypeSpec::indexed_block(1, list(), TypeSpec::float32()), {}}}),
                 false, "specfem_oc", {listed}, list());
}

std::vector<std::int32_t> SpecfemCm::list() const {
  std::vector<std::int32_t> both = random_places(first_listed, first_length);
  const std::vector<std::int32_t> second = random_places(second_listed, second_length);
  both.insert(both.end(), second.begin(), second.end());
  return both;
}

Exchange SpecfemCm::exchange() const {
  const std::vector<int> places = times(3, list());
  const auto second = places.begin() + first_listed;
  const TypeSpec of_first = TypeSpec::indexed_block(3, {places.begin(), second}, TypeSpec::float32());
  const TypeSpec of_second = TypeSpec::indexed_block(3, {second, places.end()}, TypeSpec::float32());
  const TypeSpec both = TypeSpec::structure({1, 1}, {0, 3 * kFloatBytes * first_length}, {of_first, of_second});
  return by_hand(both_ends(0, {{"struct", 1, both, {}}}), false, "specfem_cm",
                 {first_listed, second_listed, first_length}, list());
}

std::vector<std::int32_t> Lammps::list() const {
  return random_places(listed, particles);
}

Exchange Lammps::exchange() const {
  const std::vector<std::int32_t> places = list();
  std::vector<TypeSpec> sent{TypeSpec::indexed_block(3, times(3, places), TypeSpec::float64())};
  std::vector<TypeSpec> received{TypeSpec::contiguous(3 * listed, TypeSpec::float64())};
  std::vector<std::int64_t> arrays{0}, tails{3 * particles * kDoubleBytes};
  for (int p = 0; p < properties; ++p) {
    sent.push_back(TypeSpec::indexed_block(1, places, TypeSpec::float64()));
    received.push_back(TypeSpec::contiguous(listed, TypeSpec::float64()));
    arrays.push_back((3 + p) * length() * kDoubleBytes);
    tails.push_back(arrays.back() + particles * kDoubleBytes);
  }
  const std::vector<int> once(sent.size(), 1);
  return by_hand({{0, {{"struct", 1, TypeSpec::structure(once, arrays, sent), {}}}},
                  {0, {{"struct", 1, TypeSpec::structure(once, tails, received), {}}}}},
                 true, properties == 5 ? "lammps_full" : "lammps_atomic", {listed, particles}, places);
}

}  // namespace ddtbench

std::vector<NamedExchange> ddtbench_exchanges() {
  using namespace ddtbench;
  std::vector<NamedExchange> all;
  const auto add = [&all](const auto& of) { all.push_back({of.name(), [of] { return of.exchange(); }}); };
  for (const Wrf& of : kWrf) add(of);
  for (const Milc& of : kMilc) add(of);
  for (char face : {'x', 'y'})
    for (int n : kLuSizes) add(Lu{face, n});
  for (char face : {'x', 'y', 'z'})
    for (const auto& [d1, d2, d3] : kMgSizes) add(Mg{face, d1, d2, d3});
  for (const Fft& of : kFft) add(of);
  for (const SpecfemMt& of : kSpecfemMt) add(of);
  for (const SpecfemOc& of : kSpecfemOc) add(of);
  for (const SpecfemCm& of : kSpecfemCm) add(of);
  for (const Lammps& of : kLammps) add(of);
  return all;
}

std::vector<NamedExchange> larger_exchanges() {
  using namespace ddtbench;
  std::vector<NamedExchange> all;
  const auto add = [&all](const auto& of) { all.push_back({of.name(), [of] { return of.exchange(); }}); };
  for (const Wrf& of : kLongWrf) add(of);
  for (const Milc& of : kLargeMilc) add(of);
  for (char face : {'x', 'y', 'z'})
    for (const auto& [d1, d2, d3] : kFlatMgSizes) add(Mg{face, d1, d2, d3});
  for (const SpecfemMt& of : kWideSpecfemMt) add(of);
  return all;
}

}  // namespace gapless::lab
