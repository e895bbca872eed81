// The layouts of DDTBench against its tables, and against the loops of its programs, written out here element by
// element in the order in which they pack.
#include "lab/ddtbench.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "gtest/gtest.h"
#include "lab/case.hpp"
#include "lab/ghost_faces.hpp"

namespace gapless::lab {
namespace {

using Elements = std::vector<std::int64_t>;  // displacements [bytes] in packing order, from the array's beginning

std::map<std::string, Exchange> all_exchanges() {
  std::map<std::string, Exchange> all;
  for (const NamedExchange& of : ddtbench_exchanges()) all.emplace(of.name, of.make());
  return all;
}

Elements elements_of(const End& end, std::size_t description, std::int64_t element_bytes) {
  Elements found;
  const Description& of = end.descriptions.at(description);
  for (std::int64_t at : of.type.type_map(of.count, element_bytes)) found.push_back(end.origin_bytes + at);
  return found;
}

std::int64_t payload_bytes(const Description& of) {
  std::int64_t bytes = 0;
  of.type.each_run(of.count, [&](std::int64_t, std::int64_t run) { bytes += run; });
  return bytes;
}

TEST(Ddtbench, PayloadsAreThoseOfItsTables) {
  const std::map<std::string, std::int64_t> table{
      {"WRF_y/2x2", 90804},
      {"WRF_y/3x3", 75012},
      {"WRF_y/4x4", 63168},
      {"WRF_y/5x5", 55272},
      {"WRF_y/8x8", 43428},
      {"WRF_x/2x2", 173712},
      {"WRF_x/4x4", 102648},
      {"WRF_x/8x8", 63168},
      {"MILC_su3_zd/16x16x16x16", 98304},
      {"MILC_su3_zd/8x16x16x16", 49152},
      {"MILC_su3_zd/8x8x8x16", 24576},
      {"MILC_su3_zd/8x8x8x8", 12288},
      {"NAS_LU_x/N=12", 480},
      {"NAS_LU_x/N=33", 1320},
      {"NAS_LU_x/N=64", 2560},
      {"NAS_LU_x/N=102", 4080},
      {"NAS_LU_x/N=162", 6480},
      {"NAS_LU_x/N=408", 16320},
      {"NAS_LU_x/N=1020", 40800},
      {"NAS_LU_y/N=12", 480},
      {"NAS_LU_y/N=33", 1320},
      {"NAS_LU_y/N=64", 2560},
      {"NAS_LU_y/N=102", 4080},
      {"NAS_LU_y/N=162", 6480},
      {"NAS_LU_y/N=408", 16320},
      {"NAS_LU_y/N=1020", 40800},
      {"NAS_MG_x/34", 2048},
      {"NAS_MG_x/130", 32768},
      {"NAS_MG_x/258", 131072},
      {"NAS_MG_x/514", 524288},
      {"NAS_MG_y/34", 4096},
      {"NAS_MG_y/130", 65536},
      {"NAS_MG_y/258", 262144},
      {"NAS_MG_y/514", 1048576},
      {"NAS_MG_z/34", 4096},
      {"NAS_MG_z/130", 65536},
      {"NAS_MG_z/258", 262144},
      {"NAS_MG_z/514", 1048576},
      // The table has both blocks of a matrix.
      {"FFT2/N=256", 524288 / 2},
      {"FFT2/N=512", 2097152 / 2},
      {"FFT2/N=768", 4718592 / 2},
      {"FFT2/N=1024", 8388608 / 2},
      {"FFT2/N=1536", 18874368 / 2},
      {"SPECFEM3D_mt/7600", 91200},
      {"SPECFEM3D_mt/6400", 76800},
      {"SPECFEM3D_mt/5600", 67200},
      {"SPECFEM3D_mt/6200", 74400},
      {"SPECFEM3D_oc/3225", 12900},
      {"SPECFEM3D_oc/1897", 7588},
      {"SPECFEM3D_oc/877", 3508},
      {"SPECFEM3D_oc/493", 1972},
      {"SPECFEM3D_cm/11797", 177672},
      {"SPECFEM3D_cm/7125", 106248},
      {"SPECFEM3D_cm/3801", 55224},
      {"SPECFEM3D_cm/1957", 26424},
      {"LAMMPS_full/3062", 195968},
      {"LAMMPS_full/2243", 143552},
      {"LAMMPS_full/1662", 106368},
      {"LAMMPS_atomic/243", 11664},
      {"LAMMPS_atomic/145", 6960},
      {"LAMMPS_atomic/114", 5472},
  };
  std::map<std::string, std::int64_t> sent, received;
  for (const auto& [name, exchange] : all_exchanges()) {
    for (const Description& of : exchange.send.descriptions) EXPECT_EQ(payload_bytes(of), table.at(name)) << name;
    for (const Description& of : exchange.receive.descriptions) EXPECT_EQ(payload_bytes(of), table.at(name)) << name;
    sent.emplace(name, payload_bytes(exchange.send.descriptions.front()));
  }
  EXPECT_EQ(sent, table);
}

TEST(Ddtbench, LargerPayloadsAreThoseOfTheStudyOf2022) {
  // Suresh et al.: MILC A to E, NAS_MG A to D, WRF_y A to C, SPECFEM3D_mt A to C; z of MG is not in its table.
  const std::map<std::string, std::int64_t> table{
      {"MILC_su3_zd/16x16x32x32", 196608},
      {"MILC_su3_zd/32x32x32x32", 786432},
      {"MILC_su3_zd/64x32x32x32", 1572864},
      {"MILC_su3_zd/64x64x32x32", 3145728},
      {"MILC_su3_zd/64x64x32x64", 6291456},
      {"NAS_MG_x/256", 7200},
      {"NAS_MG_x/512", 32768},
      {"NAS_MG_x/2048", 60416},
      {"NAS_MG_x/5120", 84960},
      {"NAS_MG_y/256", 60960},
      {"NAS_MG_y/512", 261120},
      {"NAS_MG_y/2048", 1931424},
      {"NAS_MG_y/5120", 4831392},
      {"NAS_MG_z/256", 8 * 254 * 30},
      {"NAS_MG_z/512", 8 * 510 * 64},
      {"NAS_MG_z/2048", 8 * 2046 * 64},
      {"NAS_MG_z/5120", 8 * 5118 * 90},
      {"WRF_y/4011x24", 15803844},
      {"WRF_y/2057x24", 8089452},
      {"WRF_y/6009x24", 23691948},
      {"SPECFEM3D_mt/1024x512", 2097152},
      {"SPECFEM3D_mt/2048x256", 2097152},
      {"SPECFEM3D_mt/3072x200", 2457600},
  };
  std::map<std::string, std::int64_t> sent;
  for (const NamedExchange& of : larger_exchanges()) {
    const Exchange exchange = of.make();
    sent.emplace(of.name, payload_bytes(exchange.send.descriptions.front()));
    for (const Description& received : exchange.receive.descriptions)
      EXPECT_EQ(payload_bytes(received), sent.at(of.name)) << of.name;
  }
  EXPECT_EQ(sent, table);
}

// What a collective's blocks have in common is an application's affair: its loops pack the payload of all of them.
TEST(Ddtbench, EachHasTheLoopsOfItsApplicationAndTheirBaseType) {
  for (const auto& list : {ddtbench_exchanges(), larger_exchanges()})
    for (const NamedExchange& of : list) {
      const Exchange exchange = of.make();
      EXPECT_FALSE(exchange.loops.kernel.empty()) << of.name;
      EXPECT_EQ(exchange.blocks, of.name.starts_with("FFT2") ? 2 : 1) << of.name;
      const bool doubles = of.name.starts_with("NAS") || of.name.starts_with("FFT") || of.name.starts_with("LAMMPS");
      EXPECT_EQ(exchange.element, doubles ? "double" : "float") << of.name;
      EXPECT_EQ(payload_bytes(exchange.send.descriptions.front()) % exchange.element_bytes, 0) << of.name;
    }
}

TEST(Ddtbench, WrfIsPackedArrayByArray) {
  // The index boxes as the tables have them: ims:ime, jms:jme, is:ie, js:je.
  struct Box {
    const char* name;
    int ims, ime, jms, jme, is, ie, js, je;
  };
  for (const Box& box : {Box{"WRF_y/2x2", -4, 27, 34, 85, 1, 23, 41, 43},
                         {"WRF_y/3x3", 8, 34, 21, 61, 12, 30, 28, 30},
                         {"WRF_y/4x4", 4, 27, 14, 47, 8, 23, 21, 23},
                         {"WRF_y/5x5", 10, 31, 10, 39, 14, 27, 17, 19},
                         {"WRF_y/8x8", 4, 22, 4, 27, 8, 18, 11, 13},
                         {"WRF_x/2x2", -4, 27, 34, 85, 18, 20, 38, 81},
                         {"WRF_x/4x4", 4, 27, 14, 47, 18, 20, 18, 43},
                         {"WRF_x/8x8", 4, 22, 4, 27, 13, 15, 8, 23}}) {
    const std::int64_t d1 = box.ime - box.ims + 1, d2 = 65, d3 = box.jme - box.jms + 1;
    const std::int64_t i0 = box.is - box.ims, i1 = box.ie - box.ims, j0 = box.js - box.jms, j1 = box.je - box.jms;
    Elements expected;
    std::int64_t array = 0;
    for (int m = 0; m < 4; ++m, array += d1 * d3)
      for (std::int64_t j = j0; j <= j1; ++j)
        for (std::int64_t i = i0; i <= i1; ++i) expected.push_back(4 * (array + i + d1 * j));
    for (int m = 0; m < 3; ++m, array += d1 * d2 * d3)
      for (std::int64_t j = j0; j <= j1; ++j)
        for (std::int64_t k = 0; k < d2; ++k)
          for (std::int64_t i = i0; i <= i1; ++i) expected.push_back(4 * (array + i + d1 * (k + d2 * j)));
    for (int m = 0; m < 2; ++m, array += 2 * d1 * d2 * d3)
      for (std::int64_t j = j0; j <= j1; ++j)
        for (std::int64_t k = 0; k < d2; ++k)
          for (std::int64_t i = i0; i <= i1; ++i) expected.push_back(4 * (array + i + d1 * (k + d2 * (j + d3))));
    const Exchange exchange = all_exchanges().at(box.name);
    for (std::size_t way : {0, 1}) {
      EXPECT_EQ(elements_of(exchange.send, way, 4), expected) << box.name;
      EXPECT_EQ(elements_of(exchange.receive, way, 4), expected) << box.name;
    }
  }
}

TEST(Ddtbench, MilcIsTwoHalvesOfEachTime) {
  for (const auto& [lx, ly, lz, lt] : {std::array{16, 16, 16, 16}, {8, 16, 16, 16}, {8, 8, 8, 16}, {8, 8, 8, 8}}) {
    Elements expected;
    // The even sites come before the odd ones: half of the y, at z = 0 and at z = lz / 2, of each t.
    for (int half = 0; half < 2; ++half)
      for (int t = 0; t < lt; ++t)
        for (int y = 0; y < ly / 2; ++y)
          for (int x = 0; x < lx; ++x)
            for (int c = 0; c < 6; ++c)
              expected.push_back(4 * (c + 6 * (x + lx * y) + std::int64_t{3} * lx * ly * lz * (t + lt * half)));
    const ddtbench::Milc of{lx, ly, lz, lt};
    EXPECT_EQ(elements_of(of.exchange().send, 0, 4), expected);
    EXPECT_EQ(elements_of(of.exchange().receive, 0, 4), expected);
  }
}

TEST(Ddtbench, FacesOfLuAreSentFromOneSideAndReceivedAtTheOther) {
  for (const int n : ddtbench::kLuSizes) {
    const auto u = [n](int l, int j, int k) { return 8 * (l + 5 * (j + std::int64_t{n + 2} * k)); };
    Elements x_sent, x_received, y_sent, y_received;
    for (int k = 1; k <= n; ++k)
      for (int l = 0; l < 5; ++l) {
        x_sent.push_back(u(l, k, n));
        x_received.push_back(u(l, k, 0));
        y_sent.push_back(u(l, n, k));
        y_received.push_back(u(l, 0, k));
      }
    EXPECT_EQ(elements_of((ddtbench::Lu{'x', n}.exchange().send), 0, 8), x_sent);
    EXPECT_EQ(elements_of((ddtbench::Lu{'x', n}.exchange().receive), 0, 8), x_received);
    EXPECT_EQ(elements_of((ddtbench::Lu{'y', n}.exchange().send), 0, 8), y_sent);
    EXPECT_EQ(elements_of((ddtbench::Lu{'y', n}.exchange().receive), 0, 8), y_received);
  }
}

TEST(Ddtbench, FacesOfMgLieWithinTheOutermostCells) {
  for (const auto& [d1, d2, d3] : ddtbench::kMgSizes) {
    const auto r = [a = d1, b = d2](int i, int j, int k) { return 8 * (i + a * (j + std::int64_t{b} * k)); };
    std::map<char, Elements> sent, received;
    for (int k = 1; k <= d3 - 2; ++k)
      for (int j = 1; j <= d2 - 2; ++j) {
        sent['x'].push_back(r(d1 - 2, j, k));
        received['x'].push_back(r(d1 - 1, j, k));
      }
    for (int k = 1; k <= d3 - 2; ++k)
      for (int i = 1; i <= d1 - 2; ++i) {
        sent['y'].push_back(r(i, d2 - 2, k));
        received['y'].push_back(r(i, d2 - 1, k));
      }
    for (int j = 1; j <= d2 - 2; ++j)
      for (int i = 1; i <= d1 - 2; ++i) {
        sent['z'].push_back(r(i, j, 1));
        received['z'].push_back(r(i, j, 0));
      }
    for (const char face : {'x', 'y', 'z'}) {
      const Exchange exchange = ddtbench::Mg{face, d1, d2, d3}.exchange();
      EXPECT_EQ(elements_of(exchange.send, 0, 8), sent[face]);
      EXPECT_EQ(elements_of(exchange.receive, 0, 8), received[face]);
    }
  }
}

TEST(GhostFaces, AreTheOutermostPointsOfEachVariable) {
  for (const int variables : {1, 35}) {
    std::map<char, Elements> sent, received;
    const auto u = [](int i, int j, int k, int variable) {
      return std::int64_t{8} * (i + 32 * (j + 32 * (k + 32 * variable)));
    };
    for (int variable = 0; variable < variables; ++variable)
      for (int outer = 1; outer <= 30; ++outer)
        for (int inner = 1; inner <= 30; ++inner) {
          sent['x'].push_back(u(30, inner, outer, variable));
          received['x'].push_back(u(31, inner, outer, variable));
          sent['y'].push_back(u(inner, 30, outer, variable));
          received['y'].push_back(u(inner, 31, outer, variable));
          sent['z'].push_back(u(inner, outer, 30, variable));
          received['z'].push_back(u(inner, outer, 31, variable));
        }
    for (const char face : {'x', 'y', 'z'}) {
      const Exchange exchange = GhostFace{face, variables}.exchange();
      EXPECT_EQ(elements_of(exchange.send, 0, 8), sent[face]);
      EXPECT_EQ(elements_of(exchange.receive, 0, 8), received[face]);
    }
  }
  EXPECT_EQ(ghost_exchanges().size(), 6u);
}

TEST(Ddtbench, FftTransposesABlock) {
  const int n = 256, half = n / 2;
  Elements sent, received;
  for (int row = 0; row < half; ++row)
    for (int column = 0; column < half; ++column)
      for (int part = 0; part < 2; ++part) {
        sent.push_back(8 * (part + 2 * (column + n * row)));
        received.push_back(8 * (part + 2 * (row + n * column)));
      }
  const Exchange exchange = ddtbench::Fft{n}.exchange();
  EXPECT_EQ(elements_of(exchange.send, 0, 8), sent);
  EXPECT_EQ(elements_of(exchange.receive, 0, 8), received);
}

TEST(Ddtbench, SpecfemSendsPointsAndLists) {
  const Exchange mt = ddtbench::SpecfemMt{5600}.exchange();
  Elements sent, received;
  for (int k = 0; k < 5600; ++k)
    for (int c = 0; c < 3; ++c) {
      sent.push_back(4 * (c + 6 * k));
      received.push_back(4 * (c + 3 * k));
    }
  EXPECT_EQ(elements_of(mt.send, 0, 4), sent);
  EXPECT_EQ(elements_of(mt.receive, 0, 4), received);

  const ddtbench::SpecfemOc oc{493, 3697};
  sent.clear();
  for (const std::int32_t place : oc.list()) sent.push_back(4 * place);
  EXPECT_EQ(elements_of(oc.exchange().send, 0, 4), sent);

  const ddtbench::SpecfemCm cm{1957, 245, 39929, 1225};
  const std::vector<std::int32_t> list = cm.list();
  sent.clear();
  for (std::size_t k = 0; k < list.size(); ++k)
    for (int c = 0; c < 3; ++c) sent.push_back(4 * (c + 3 * (list[k] + (k < 1957 ? 0 : std::int64_t{39929}))));
  EXPECT_EQ(elements_of(cm.exchange().send, 0, 4), sent);
  EXPECT_EQ(elements_of(cm.exchange().receive, 0, 4), sent);
}

TEST(Ddtbench, LammpsReceivesBehindTheParticles) {
  for (const ddtbench::Lammps& of : ddtbench::kLammps) {
    const std::vector<std::int32_t> list = of.list();
    const std::int64_t length = of.particles + of.listed;
    Elements sent, received;
    for (const std::int32_t place : list)
      for (int c = 0; c < 3; ++c) sent.push_back(8 * (c + 3 * std::int64_t{place}));
    for (int i = 0; i < of.listed; ++i)
      for (int c = 0; c < 3; ++c) received.push_back(8 * (c + 3 * std::int64_t{of.particles + i}));
    for (int p = 0; p < of.properties; ++p) {
      for (const std::int32_t place : list) sent.push_back(8 * (place + (3 + p) * length));
      for (int i = 0; i < of.listed; ++i) received.push_back(8 * (of.particles + i + (3 + p) * length));
    }
    EXPECT_EQ(elements_of(of.exchange().send, 0, 8), sent) << of.name();
    EXPECT_EQ(elements_of(of.exchange().receive, 0, 8), received) << of.name();
  }
}

TEST(Ddtbench, ListsAreDistinctPlacesInNoOrderAndTheSameAgain) {
  const std::vector<std::int32_t> list = ddtbench::SpecfemOc{3225, 88881}.list();
  EXPECT_EQ(list, (ddtbench::SpecfemOc{3225, 88881}.list()));
  EXPECT_EQ(std::set<std::int32_t>(list.begin(), list.end()).size(), 3225u);
  EXPECT_LT(*std::max_element(list.begin(), list.end()), 88881);
  EXPECT_FALSE(std::is_sorted(list.begin(), list.end()));
  // As drawn by std::mt19937_64, which is the same everywhere.
  EXPECT_EQ(list[0], 81542);
  EXPECT_EQ(list[1], 87023);
}

std::vector<Case> all_cases() {
  return make_cases({{"tests", "applications", "larger", "ghost", "found"}, true, false, ""});
}

TEST(Cases, EachHasANameOfItsOwn) {
  std::set<std::string> names;
  for (const Case& one : all_cases()) EXPECT_TRUE(names.insert(one.name).second) << one.name;
  EXPECT_TRUE(names.contains("WRF_x/2x2"));
  EXPECT_TRUE(names.contains("touching/24x40B/count=8"));
}

bool same_runs(const std::vector<ByteRun>& a, const std::vector<ByteRun>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const ByteRun& x, const ByteRun& y) {
    return x.displacement_bytes == y.displacement_bytes && x.bytes == y.bytes;
  });
}

// The expected ones are from the layouts' own arithmetic, which knows no constructor.
TEST(Cases, EveryDescriptionHasTheTypeMapOfItsLayout) {
  for (const Case& one : all_cases()) {
    const Subject subject = one.make();
    for (const Description& of : subject.exchange.send.descriptions)
      EXPECT_TRUE(same_runs(runs_of(of.type, of.count), subject.sent)) << one.name << " " << of.name;
    for (const Description& of : subject.exchange.receive.descriptions)
      EXPECT_TRUE(same_runs(runs_of(of.type, of.count), subject.received)) << one.name << " " << of.name;
  }
}

std::string printed(gapless_type type) {
  std::size_t needed = 0;
  gapless_type_print(type, nullptr, 0, &needed);
  std::string text(needed, ' ');
  EXPECT_EQ(gapless_type_print(type, text.data(), needed, &needed), GAPLESS_SUCCESS);
  return text;
}

TEST(Cases, TheNotationOfATypeIsReadAsTheSameConstructors) {
  for (const Case& one : all_cases())
    for (const Description& of : one.make().exchange.send.descriptions) {
      EngineType read;
      ASSERT_EQ(gapless_type_parse(of.type.notation().c_str(), read.address()), GAPLESS_SUCCESS) << of.type.text();
      EXPECT_EQ(printed(read.handle()), printed(of.type.engine().handle())) << one.name << " " << of.name;
    }
}

TEST(Cases, LongListsAreWrittenByTheirRule) {
  const TypeSpec type = TypeSpec::indexed({2, 2, 2, 2, 1}, {0, 6, 12, 18, 5}, TypeSpec::int32());
  EXPECT_EQ(type.notation(), "indexed([2*4, 1], [0..18:6, 5], int32)");
  const TypeSpec listed = TypeSpec::indexed_block(1, {9, 3, 8, 1, 7, 0, 6, 5, 20, 2, 11, 4, 30, 50}, TypeSpec::int32());
  EXPECT_EQ(listed.text(), "indexed_block(1, [9, 3, 8, 1, 7, 0, ..., 50], int32)");
}

}  // namespace
}  // namespace gapless::lab
