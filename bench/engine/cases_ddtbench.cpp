// The micro-applications of DDTBench 1.2 (Schneider, Gerstenberger, Hoefler: "Application-oriented ping-pong
// benchmarking", 2013), each with the sizes that it has there. All arrays of one are in one allocation.
#include <array>

#include "case.hpp"
#include "places.hpp"

namespace gapless::bench {
namespace {

constexpr std::int64_t kFloatBytes = 4, kDoubleBytes = 8;

void add(Cases& into, const std::string& name, bool quick, std::function<Message()> make) {
  into.push_back(
      {"ddtbench/" + name, "ddtbench", false, quick, [make = std::move(make)](std::int64_t) { return make(); }});
}

// Boxes of si x 65 x sj, of si x sj in the first four arrays, that begin at (i0, 0, j0).
struct Wrf {
  const char* name;
  int d1, d3, i0, j0, si, sj;
};

Message wrf(const Wrf& of) {
  constexpr int kD2 = 65;
  const std::int64_t row_bytes = of.d1 * kFloatBytes, plane_bytes = row_bytes * of.d3, cube_bytes = plane_bytes * kD2;
  const TypeSpec box2 = TypeSpec::vector(of.sj, of.si, of.d1, TypeSpec::float32());
  const TypeSpec box3 =
      TypeSpec::hvector(of.sj, 1, row_bytes * kD2, TypeSpec::vector(kD2, of.si, of.d1, TypeSpec::float32()));
  const TypeSpec box4 = TypeSpec::hvector(1, 1, cube_bytes, box3);
  const TypeSpec sub2 = TypeSpec::subarray({of.d3, of.d1}, {of.sj, of.si}, {of.j0, of.i0}, TypeSpec::float32());
  const TypeSpec sub3 =
      TypeSpec::subarray({of.d3, kD2, of.d1}, {of.sj, kD2, of.si}, {of.j0, 0, of.i0}, TypeSpec::float32());
  const TypeSpec sub4 =
      TypeSpec::subarray({2, of.d3, kD2, of.d1}, {1, of.sj, kD2, of.si}, {1, of.j0, 0, of.i0}, TypeSpec::float32());
  const std::int64_t corner2 = of.j0 * row_bytes + of.i0 * kFloatBytes;
  const std::int64_t corner3 = of.j0 * row_bytes * kD2 + of.i0 * kFloatBytes;
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
  return {
      {{"vec", 1, TypeSpec::structure(once, corners, boxes)}, {"sa", 1, TypeSpec::structure(once, arrays, subarrays)}},
      hand_wrf(of.si, of.d1, of.d3, of.i0, of.j0),
      {.count = of.sj},
      {}};
}

Message milc(int lx, int ly, int lz, int lt) {
  const TypeSpec su3 = TypeSpec::contiguous(6, TypeSpec::float32());
  const TypeSpec face = TypeSpec::vector(lt, lx * ly / 2, lx * ly * lz / 2, su3);
  return {{{"hvector", 1, TypeSpec::hvector(2, 1, std::int64_t{12} * lx * ly * lz * lt, face)},
           {"vector", 1, TypeSpec::vector(2 * lt, 3 * lx * ly, 3 * lx * ly * lz, TypeSpec::float32())}},
          hand_blocks(4, 3 * lx * ly, 3 * lx * ly * lz),
          {.count = 2 * lt},
          {}};
}

Message lu_x(int n) {
  return {
      {{"contiguous", 1, TypeSpec::contiguous(5 * n, TypeSpec::float64())}}, hand_blocks(8, 5, 5), {.count = n}, {}};
}

Message lu_y(int n) {
  const TypeSpec point = TypeSpec::contiguous(5, TypeSpec::float64());
  return {
      {{"vector", 1, TypeSpec::vector(n, 1, n + 2, point)}, {"resized", n, TypeSpec::resized(0, 40 * (n + 2), point)}},
      hand_blocks(8, 5, 5 * (n + 2)),
      {.count = n},
      {}};
}

Message mg(char face, int d1, int d2, int d3) {
  const TypeSpec number = TypeSpec::float64();
  if (face == 'x') {
    const std::int64_t plane_bytes = kDoubleBytes * d1 * d2;
    const TypeSpec line = TypeSpec::vector(d2 - 2, 1, d1, number);
    return {{{"hvector", 1, TypeSpec::hvector(d3 - 2, 1, plane_bytes, line)},
             {"subarray", 1, TypeSpec::subarray({d3 - 2, d2, d1}, {d3 - 2, d2 - 2, 1}, {0, 0, 0}, number)}},
            hand_mg_x(d1, d2),
            {.count = d3 - 2},
            {}};
  }
  const int rows = face == 'y' ? d3 - 2 : d2 - 2, stride = face == 'y' ? d1 * d2 : d1;
  return {{{"vector", 1, TypeSpec::vector(rows, d1 - 2, stride, number)},
           {"subarray", 1, TypeSpec::subarray({rows, stride}, {rows, d1 - 2}, {0, 0}, number)}},
          hand_blocks(8, d1 - 2, stride),
          {.count = rows},
          {}};
}

// Two ranks: what one sends to both, and where it puts what it receives.
Message fft(int n, bool scatter) {
  const int half = n / 2;
  const TypeSpec number = TypeSpec::contiguous(2, TypeSpec::float64());
  const TypeSpec rows = TypeSpec::resized(0, 16 * half, TypeSpec::vector(half, half, n, number));
  const TypeSpec column = TypeSpec::resized(0, 16, TypeSpec::vector(half, 1, n, number));
  const TypeSpec columns = TypeSpec::contiguous(half, column);
  return {
      {{"count", 2, scatter ? columns : rows}, {"contiguous", 1, TypeSpec::contiguous(2, scatter ? columns : rows)}},
      hand_fft(half, n, scatter),
      {.count = 2},
      {}};
}

Message specfem_mt(int d3) {
  return {{{"vector", 1, TypeSpec::vector(d3, 1, 2, TypeSpec::contiguous(3, TypeSpec::float32()))},
           {"vector of floats", 1, TypeSpec::vector(d3, 3, 6, TypeSpec::float32())}},
          hand_blocks(4, 3, 6),
          {.count = d3},
          {}};
}

std::vector<int> times(int factor, const std::vector<std::int32_t>& list) {
  std::vector<int> multiplied(list.begin(), list.end());
  for (int& entry : multiplied) entry *= factor;
  return multiplied;
}

Message specfem_oc(int listed, int length) {
  const auto list = std::make_shared<const std::vector<std::int32_t>>(random_places(listed, length));
  return {{{"indexed_block", 1, TypeSpec::indexed_block(1, times(1, *list), TypeSpec::float32())}},
          hand_list(4),
          {.count = listed, .list = list->data()},
          list};
}

Message specfem_cm(int first_listed, int second_listed, int first_length, int second_length) {
  std::vector<std::int32_t> list = random_places(first_listed, first_length);
  const std::vector<std::int32_t> second = random_places(second_listed, second_length);
  const TypeSpec of_first = TypeSpec::indexed_block(3, times(3, list), TypeSpec::float32());
  const TypeSpec of_second = TypeSpec::indexed_block(3, times(3, second), TypeSpec::float32());
  list.insert(list.end(), second.begin(), second.end());
  const auto kept = std::make_shared<const std::vector<std::int32_t>>(std::move(list));
  return {{{"struct", 1, TypeSpec::structure({1, 1}, {0, 3 * kFloatBytes * first_length}, {of_first, of_second})}},
          hand_specfem_cm(),
          {.count = first_listed,
           .list = kept->data(),
           .length = std::int64_t{3} * first_length,
           .second_count = second_listed},
          kept};
}

// `properties` of each particle, after its three coordinates; what is behind `particles` is where it receives.
Message lammps(int properties, int listed, int particles) {
  const auto list = std::make_shared<const std::vector<std::int32_t>>(random_places(listed, particles));
  const std::int64_t length = particles + listed;
  std::vector<TypeSpec> members{TypeSpec::indexed_block(3, times(3, *list), TypeSpec::float64())};
  std::vector<std::int64_t> arrays{0};
  for (int p = 0; p < properties; ++p) {
    members.push_back(TypeSpec::indexed_block(1, times(1, *list), TypeSpec::float64()));
    arrays.push_back((3 + p) * length * kDoubleBytes);
  }
  return {{{"struct", 1, TypeSpec::structure(std::vector<int>(members.size(), 1), arrays, members)}},
          hand_lammps(properties),
          {.count = listed, .list = list->data(), .length = length},
          list};
}

void add_structured(Cases& into) {
  static constexpr Wrf kWrf[]{{"WRF_y/2x2", 32, 52, 5, 7, 23, 3},  {"WRF_y/3x3", 27, 41, 4, 7, 19, 3},
                              {"WRF_y/4x4", 24, 34, 4, 7, 16, 3},  {"WRF_y/5x5", 22, 30, 4, 7, 14, 3},
                              {"WRF_y/8x8", 19, 24, 4, 7, 11, 3},  {"WRF_x/2x2", 32, 52, 22, 4, 3, 44},
                              {"WRF_x/4x4", 24, 34, 14, 4, 3, 26}, {"WRF_x/8x8", 19, 24, 9, 4, 3, 16}};
  for (const Wrf& of : kWrf) add(into, of.name, std::string(of.name).ends_with("2x2"), [&of] { return wrf(of); });
  for (const auto& [x, y, z, t] : {std::array{16, 16, 16, 16}, {8, 16, 16, 16}, {8, 8, 8, 16}, {8, 8, 8, 8}})
    add(into,
        "MILC_su3_zd/" + std::to_string(x) + "x" + std::to_string(y) + "x" + std::to_string(z) + "x" +
            std::to_string(t),
        x == 16, [x, y, z, t] { return milc(x, y, z, t); });
  for (int n : {12, 33, 64, 102, 162, 408, 1020}) {
    add(into, "NAS_LU_x/N=" + std::to_string(n), false, [n] { return lu_x(n); });
    add(into, "NAS_LU_y/N=" + std::to_string(n), n == 162, [n] { return lu_y(n); });
  }
  for (const auto& [d1, d2, d3] : {std::array{34, 18, 18}, {130, 66, 66}, {258, 130, 130}, {514, 258, 258}})
    for (char face : {'x', 'y', 'z'})
      add(into, std::string("NAS_MG_") + face + "/" + std::to_string(d1), d1 == 130,
          [face, d1, d2, d3] { return mg(face, d1, d2, d3); });
  for (int n : {256, 512, 768, 1024, 1536})
    for (bool scatter : {false, true})
      add(into, std::string(scatter ? "FFT2_scatter" : "FFT2_gather") + "/N=" + std::to_string(n), n == 256,
          [n, scatter] { return fft(n, scatter); });
  for (int d3 : {7600, 6400, 5600, 6200})
    add(into, "SPECFEM3D_mt/" + std::to_string(d3), d3 == 7600, [d3] { return specfem_mt(d3); });
}

void add_unstructured(Cases& into) {
  for (const auto& [listed, length] : {std::pair{3225, 88881}, {1897, 38585}, {877, 12857}, {493, 3697}})
    add(into, "SPECFEM3D_oc/" + std::to_string(listed), listed == 3225,
        [listed, length] { return specfem_oc(listed, length); });
  for (const auto& [icc, ici, gc, gi] : {std::array{11797, 3009, 834917, 51153},
                                         {7125, 1729, 396849, 22477},
                                         {3801, 801, 152001, 7209},
                                         {1957, 245, 39929, 1225}})
    add(into, "SPECFEM3D_cm/" + std::to_string(icc), icc == 11797,
        [icc, ici, gc, gi] { return specfem_cm(icc, ici, gc, gi); });
  for (const auto& [listed, particles] : {std::pair{3062, 3534}, {2243, 2597}, {1662, 1907}})
    add(into, "LAMMPS_full/" + std::to_string(listed), listed == 3062,
        [listed, particles] { return lammps(5, listed, particles); });
  for (const auto& [listed, particles] : {std::pair{243, 4084}, {145, 2157}, {114, 1217}})
    add(into, "LAMMPS_atomic/" + std::to_string(listed), false,
        [listed, particles] { return lammps(3, listed, particles); });
}

}  // namespace

void add_ddtbench(Cases& into) {
  add_structured(into);
  add_unstructured(into);
}

}  // namespace gapless::bench
