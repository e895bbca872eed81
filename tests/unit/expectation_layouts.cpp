#include "unit/expectation_layouts.hpp"

namespace gapless::test::expectation {
namespace {

constexpr std::int64_t kElement = 4;  // [bytes] of base()

}  // namespace

LayoutPtr base() {
  return type("int32");
}

LayoutPtr basetype() {
  return base();
}

LayoutPtr tiled(std::int64_t a, std::int64_t b) {
  return layout::resized(0, b * kElement, layout::contiguous(a, base()));
}

LayoutPtr block(std::int64_t a, std::int64_t b1, std::int64_t b2) {
  return layout::resized(0, (b1 + b2) * kElement, layout::indexed_block(a, Numbers{0, b1}, base()));
}

LayoutPtr bucket(std::int64_t a1, std::int64_t a2, std::int64_t b) {
  return layout::resized(0, 2 * b * kElement, layout::indexed(Numbers{a1, a2}, Numbers{0, b}, base()));
}

LayoutPtr alternating(std::int64_t a1, std::int64_t a2, std::int64_t b1, std::int64_t b2) {
  return layout::resized(0, (b1 + b2) * kElement, layout::indexed(Numbers{a1, a2}, Numbers{0, b1}, base()));
}

LayoutPtr alternating_aligned(std::int64_t a1, std::int64_t a2, std::int64_t b1, std::int64_t b2) {
  return layout::resized(-b2 * kElement, (b1 + b2) * kElement,
                         layout::indexed(Numbers{a1, a2}, Numbers{0, b1}, base()));
}

LayoutPtr tiled_heterogeneous(std::int64_t a, std::int64_t b) {
  Numbers displacements;
  std::vector<LayoutPtr> types;
  std::int64_t at = 0;
  for (const char* name : {"char", "int32", "double", "int16"}) {
    types.push_back(type(name));
    displacements.push_back(at);
    at += b * types.back()->extent;
  }
  return structure(Numbers(types.size(), a), displacements, types);
}

LayoutPtr tiled_struct(std::int64_t a, std::int64_t b, std::int64_t s1, std::int64_t s2) {
  const LayoutPtr t = tiled(a, b);
  const LayoutPtr both =
      structure({1, 1}, {0, s1 * b * kElement}, {layout::contiguous(s1, t), layout::contiguous(s2, t)});
  return layout::resized(0, (s1 + s2) * b * kElement, both);
}

LayoutPtr alternating_indexed_fixed(std::int64_t a1, std::int64_t a2, std::int64_t b, std::int64_t s) {
  const std::int64_t b1 = b - a2;
  Numbers lengths{a1}, displacements{0};
  for (std::int64_t i = 1; i < s; ++i) {
    lengths.push_back(i < s - 1 ? a1 + a2 : a2);
    displacements.push_back(b1 + (i - 1) * b);
  }
  return layout::indexed(lengths, displacements, base());
}

LayoutPtr contig_type(std::int64_t count, const LayoutPtr& unit) {
  return layout::contiguous(count, unit);
}

LayoutPtr tiled_vector(std::int64_t n, std::int64_t a, std::int64_t b) {
  return layout::resized(0, n / a * b * kElement, layout::vector(n / a, a, b, base()));
}

LayoutPtr vector_tiled(std::int64_t n, std::int64_t a, std::int64_t b, std::int64_t s) {
  return layout::hvector(n / (s * a), 1, s * b * kElement, layout::vector(s, a, b, base()));
}

LayoutPtr block_indexed(std::int64_t n, std::int64_t a, std::int64_t b1, std::int64_t b2) {
  Numbers displacements{0};
  for (std::int64_t i = 1; i < n / a; ++i) displacements.push_back(displacements.back() + (i % 2 == 1 ? b1 : b2));
  return layout::indexed_block(a, displacements, base());
}

LayoutPtr alternating_indexed(std::int64_t n, std::int64_t a1, std::int64_t a2, std::int64_t b1, std::int64_t b2) {
  Numbers lengths, displacements;
  std::int64_t at = 0, elements = 0;
  for (bool first = true; elements + (first ? a1 : a2) <= n; first = !first) {
    lengths.push_back(first ? a1 : a2);
    displacements.push_back(at);
    elements += lengths.back();
    at += first ? b1 : b2;
  }
  return layout::indexed(lengths, displacements, base());
}

LayoutPtr alternating_repeated(std::int64_t n, std::int64_t a1, std::int64_t a2, std::int64_t b) {
  return layout::contiguous(n / (a1 + a2), layout::indexed(Numbers{a1, a2}, Numbers{0, b}, base()));
}

LayoutPtr alternating_struct(std::int64_t n, std::int64_t a1, std::int64_t a2, std::int64_t b) {
  const std::int64_t m = n / (a1 + a2);
  const LayoutPtr t = structure({a1, 1, a2}, {0, b * kElement, ((m - 1) * (b + a2) + b) * kElement},
                                {base(), layout::vector(m - 1, a1 + a2, a2 + b, base()), base()});
  return layout::resized(-a2 * kElement, t->extent, t);
}

LayoutPtr rowcol_full_indexed(std::int64_t n, std::int64_t a) {
  Numbers displacements;
  for (std::int64_t i = 0; i < n; ++i) displacements.push_back(i < a ? i : (i - a + 1) * a);
  return layout::indexed_block(1, displacements, base());
}

LayoutPtr rowcol_contiguous_and_indexed(std::int64_t n, std::int64_t a) {
  Numbers lengths{a}, displacements{0};
  for (std::int64_t i = 1; i <= n - a; ++i) {
    lengths.push_back(1);
    displacements.push_back(i * a);
  }
  return layout::indexed(lengths, displacements, base());
}

LayoutPtr rowcol_struct(std::int64_t n, std::int64_t a) {
  return structure({a, 1}, {0, a * kElement}, {base(), layout::vector(n - a, 1, a, base())});
}

LayoutPtr blocks(std::int64_t n, std::int64_t a, std::int64_t b, std::int64_t l) {
  return layout::vector(n / (a * (l / a)), a * (l / a), b * (l / a), base());
}

LayoutPtr tiled_struct_indexed_all(std::int64_t n, std::int64_t a, std::int64_t b) {
  const std::int64_t tiles = n / a, rest = a / 2, o = a - rest;
  Numbers lengths{rest}, displacements{0};
  for (std::int64_t i = 1; i < tiles; ++i) {
    lengths.push_back(i < tiles - 1 ? a : rest);
    displacements.push_back(i * b - o);
  }
  const LayoutPtr inner = layout::indexed(lengths, displacements, base());
  const std::int64_t end = (tiles - 1) * b + rest;
  return structure({o, 1, o}, {0, o * kElement, end * kElement},
                   {base(), layout::resized(0, (end - o) * kElement, inner), base()});
}

LayoutPtr tiled_struct_indexed_sblocks(std::int64_t n, std::int64_t a, std::int64_t b, std::int64_t s) {
  const std::int64_t groups = n / (a * s), last = b * s * (groups - 1);
  Numbers lengths{a - 1}, displacements{0};
  for (std::int64_t i = 1; i < s; ++i) {
    lengths.push_back(a);
    displacements.push_back(i * b - 1);
  }
  lengths.push_back(1);
  displacements.push_back(s * b - 1);
  const LayoutPtr it = layout::resized(0, s * b * kElement, layout::indexed(lengths, displacements, base()));
  const LayoutPtr t =
      structure({1, groups - 1, a - 1, s - 1}, {0, kElement, (last + 1) * kElement, (last + b) * kElement},
                {base(), it, base(), tiled(a, b)});
  return layout::resized(0, n / a * b * kElement, t);
}

LayoutPtr contig_alternating_indexed_fixed(std::int64_t count, std::int64_t a1, std::int64_t a2, std::int64_t b,
                                           std::int64_t s) {
  const LayoutPtr t = layout::contiguous(count, alternating_indexed_fixed(a1, a2, b, s));
  return layout::resized(-a2 * kElement, t->extent, t);
}

}  // namespace gapless::test::expectation
