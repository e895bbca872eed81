#include "coll_types.hpp"

#include <algorithm>
#include <numeric>

namespace conformance {

namespace {

constexpr int kTowerHeight = 201;
constexpr MPI_Aint kWidestColumns = 1 << 23;

// One unit: data within [0, extent).
struct Unit {
  MPI_Datatype type;
  bool is_own;
  std::vector<Piece> map;
  MPI_Aint extent;
};

void replace(MPI_Datatype& type, MPI_Datatype by) {
  MPI_Type_free(&type);
  type = by;
}

Unit unit_of(test::Random& random, const Signature& signature) {
  const std::size_t n = signature.basics.size();
  std::vector<int> sizes(n);
  for (std::size_t k = 0; k < n; ++k) MPI_Type_size(signature.basics[k], &sizes[k]);
  if (n == 1) return {signature.basics[0], false, {{0, sizes[0]}}, sizes[0]};
  if (signature.pair != MPI_DATATYPE_NULL && random.below(3) == 0) {
    // Laid out as the C struct: the second member at a multiple of its size.
    MPI_Aint lb, extent;
    MPI_Type_get_extent(signature.pair, &lb, &extent);
    const MPI_Aint second = (sizes[0] + sizes[1] - 1) / sizes[1] * sizes[1];
    return {signature.pair, false, {{0, sizes[0]}, {second, sizes[1]}}, extent};
  }
  // Slots of 8 bytes, or packed; in the order of the signature or with the addresses turned round.
  const bool is_tight = random.below(3) == 0, is_turned = random.below(2) == 0;
  std::vector<MPI_Aint> places(n);
  MPI_Aint at = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t which = is_turned ? n - 1 - k : k;
    places[which] = at;
    at += is_tight ? sizes[which] : 8 * (1 + random.below(2));
  }
  const std::vector<int> lengths(n, 1);
  MPI_Datatype made, resized;
  MPI_Type_create_struct(static_cast<int>(n), lengths.data(), places.data(), signature.basics.data(), &made);
  MPI_Type_create_resized(made, 0, at, &resized);
  MPI_Type_free(&made);
  Unit unit{resized, true, {}, at};
  for (std::size_t k = 0; k < n; ++k) unit.map.push_back({places[k], sizes[k]});
  return unit;
}

int divisor(test::Random& random, int n) {
  std::vector<int> found;
  for (int k = 1; k <= n && k <= 4096; ++k) {
    if (n % k == 0) found.push_back(k);
  }
  return found[static_cast<std::size_t>(random.below(static_cast<int>(found.size())))];
}

// Where units go, and the type that says so.
struct Arrangement {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  std::vector<MPI_Aint> at;  // of each unit, in bytes
};

Arrangement strided(test::Random& random, const Unit& unit, int units, int sign) {
  Arrangement made;
  const int block = divisor(random, units), stride = sign * (block + 1 + random.below(3));
  MPI_Type_vector(units / block, block, stride, unit.type, &made.type);
  for (int u = 0; u < units; ++u)
    made.at.push_back((static_cast<MPI_Aint>(u / block) * stride + u % block) * unit.extent);
  return made;
}

Arrangement indexed(test::Random& random, const Unit& unit, int units) {
  Arrangement made;
  std::vector<int> lengths, places;
  for (int left = units; left > 0; left -= lengths.back()) lengths.push_back(1 + random.below(std::min(left, 5)));
  const int n = static_cast<int>(lengths.size());
  std::vector<int> order(lengths.size());
  std::iota(order.begin(), order.end(), 0);
  for (int k = n - 1; k > 0; --k)
    std::swap(order[static_cast<std::size_t>(k)], order[static_cast<std::size_t>(random.below(k + 1))]);
  for (int k = 0; k < n; ++k) {
    places.push_back(order[static_cast<std::size_t>(k)] * 6);
    for (int u = 0; u < lengths[static_cast<std::size_t>(k)]; ++u) made.at.push_back((places.back() + u) * unit.extent);
  }
  MPI_Type_indexed(n, lengths.data(), places.data(), unit.type, &made.type);
  return made;
}

// The first half contiguous and behind, the second with gaps and before.
Arrangement in_struct(const Unit& unit, int units) {
  Arrangement made;
  const int half = units / 2, rest = units - half;
  MPI_Datatype types[2];
  MPI_Type_contiguous(half, unit.type, &types[0]);
  MPI_Type_vector(rest, 1, 2, unit.type, &types[1]);
  const int lengths[] = {1, 1};
  const MPI_Aint places[] = {(2 * rest + 1) * unit.extent, 0};
  MPI_Type_create_struct(2, lengths, places, types, &made.type);
  for (int u = 0; u < half; ++u) made.at.push_back(places[0] + u * unit.extent);
  for (int u = 0; u < rest; ++u) made.at.push_back(2 * u * unit.extent);
  for (MPI_Datatype& type : types) MPI_Type_free(&type);
  return made;
}

Arrangement nested(test::Random& random, const Unit& unit, int units) {
  Arrangement made;
  const int inner = divisor(random, units), outer = units / inner;
  const MPI_Aint pitch = (2 * inner + 1) * unit.extent;
  MPI_Datatype row, resized;
  MPI_Type_vector(inner, 1, 2, unit.type, &row);
  MPI_Type_create_resized(row, 0, pitch, &resized);
  MPI_Type_create_hvector(outer, 1, pitch + unit.extent, resized, &made.type);
  MPI_Type_free(&row);
  MPI_Type_free(&resized);
  for (int u = 0; u < units; ++u) made.at.push_back(u / inner * (pitch + unit.extent) + 2 * (u % inner) * unit.extent);
  return made;
}

Arrangement in_array(test::Random& random, const Unit& unit, int units) {
  Arrangement made;
  const int columns = divisor(random, units), rows = units / columns;
  const int sizes[] = {rows + 1, columns + 2}, parts[] = {rows, columns}, starts[] = {1, 1};
  MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, unit.type, &made.type);
  for (int u = 0; u < units; ++u) {
    made.at.push_back((static_cast<MPI_Aint>(u / columns + 1) * (columns + 2) + u % columns + 1) * unit.extent);
  }
  return made;
}

Arrangement columns(const Unit& unit, int units, long long slots) {
  Arrangement made;
  const int row = static_cast<int>(std::max(slots, 1LL)) + 1;
  MPI_Datatype column;
  MPI_Type_vector(units, 1, row, unit.type, &column);
  MPI_Type_create_resized(column, 0, unit.extent, &made.type);
  MPI_Type_free(&column);
  for (int u = 0; u < units; ++u) made.at.push_back(static_cast<MPI_Aint>(u) * row * unit.extent);
  return made;
}

Arrangement shifted(const Unit& unit, int units) {
  Arrangement made;
  const MPI_Aint place = 16;
  MPI_Datatype behind;
  MPI_Type_create_hindexed(1, &units, &place, unit.type, &behind);
  MPI_Type_create_resized(behind, -8, units * unit.extent + 40, &made.type);
  MPI_Type_free(&behind);
  for (int u = 0; u < units; ++u) made.at.push_back(place + u * unit.extent);
  return made;
}

Arrangement arranged(test::Random& random, const Unit& unit, int units, Kind kind, long long slots) {
  Arrangement made;
  switch (kind) {
    case Kind::kContiguous:
      MPI_Type_contiguous(units, unit.type, &made.type);
      for (int u = 0; u < units; ++u) made.at.push_back(u * unit.extent);
      return made;
    case Kind::kReversed:
      return strided(random, unit, units, -1);
    case Kind::kIndexed:
      return indexed(random, unit, units);
    case Kind::kStruct:
      return in_struct(unit, units);
    case Kind::kNested:
      return nested(random, unit, units);
    case Kind::kSubarray:
      return in_array(random, unit, units);
    case Kind::kColumns:
      if (static_cast<MPI_Aint>(units) * slots * unit.extent > kWidestColumns) return strided(random, unit, units, 1);
      return columns(unit, units, slots);
    case Kind::kShifted:
      return shifted(unit, units);
    case Kind::kTower:
      made = strided(random, unit, units, 1);
      for (int k = 0; k < kTowerHeight; ++k) {
        MPI_Datatype higher;
        MPI_Type_contiguous(1, made.type, &higher);
        replace(made.type, higher);
      }
      return made;
    case Kind::kVector:
      break;
  }
  return strided(random, unit, units, 1);
}

}  // namespace

Signature signature(int which) {
  switch (which % kSignatures) {
    case 0:
      return {{MPI_INT}, MPI_DATATYPE_NULL, 4};
    case 1:
      return {{MPI_DOUBLE}, MPI_DATATYPE_NULL, 8};
    case 2:
      return {{MPI_DOUBLE, MPI_INT}, MPI_DOUBLE_INT, 12};
    case 3:
      return {{MPI_CHAR}, MPI_DATATYPE_NULL, 1};
    case 4:
      return {{MPI_INT, MPI_DOUBLE, MPI_CHAR}, MPI_DATATYPE_NULL, 13};
    case 5:
      return {{MPI_FLOAT, MPI_INT}, MPI_FLOAT_INT, 8};
    case 6:
      return {{MPI_SHORT}, MPI_DATATYPE_NULL, 2};
    case 7:
      return {{MPI_BYTE}, MPI_DATATYPE_NULL, 1};
    default:
      return {{MPI_SHORT, MPI_INT}, MPI_SHORT_INT, 6};
  }
}

Described describe(test::Random& random, const Signature& signature, int units, Kind kind, long long slots) {
  Unit unit = unit_of(random, signature);
  Arrangement made = arranged(random, unit, units, kind, slots);
  if (unit.is_own) MPI_Type_free(&unit.type);
  MPI_Aint lb;
  Described result;
  MPI_Type_get_extent(made.type, &lb, &result.extent);
  if (kind != Kind::kColumns && random.below(3) == 0) {
    MPI_Datatype resized;
    result.extent += 8 * random.below(3);
    MPI_Type_create_resized(made.type, lb, result.extent, &resized);
    replace(made.type, resized);
  }
  MPI_Type_commit(&made.type);
  result.type = made.type;
  result.units = units;
  for (const MPI_Aint at : made.at) {
    for (const Piece& piece : unit.map) result.map.push_back({at + piece.offset, piece.size});
  }
  result.low = result.high = result.map[0].offset;
  for (const Piece& piece : result.map) {
    result.low = std::min(result.low, piece.offset);
    result.high = std::max(result.high, piece.offset + piece.size);
  }
  return result;
}

Described empty_type(test::Random& random) {
  Described result;
  MPI_Datatype made = MPI_DATATYPE_NULL;
  const int length = 0, place = 3;
  if (random.below(2) == 0) {
    MPI_Type_vector(4, 0, 3, MPI_DOUBLE, &made);
  } else {
    MPI_Type_indexed(1, &length, &place, MPI_INT, &made);
  }
  MPI_Type_create_resized(made, 0, 8, &result.type);
  MPI_Type_free(&made);
  MPI_Type_commit(&result.type);
  result.extent = 8;
  return result;
}

Described unmapped_type(test::Random& random) {
  constexpr MPI_Aint kLongest = 1 << 14;
  for (;;) {
    MPI_Datatype made = test::random_type(random, true).type;
    MPI_Aint lb, extent, true_lb, true_extent;
    MPI_Type_get_extent(made, &lb, &extent);
    MPI_Type_get_true_extent(made, &true_lb, &true_extent);
    const test::Span span = test::span_of(made, 1);
    const MPI_Aint width = std::max({extent < 0 ? -extent : extent, true_extent, MPI_Aint{1}});
    if (span.size == 0 || width > kLongest || true_lb < -kLongest || true_lb > kLongest) {
      MPI_Type_free(&made);
      continue;
    }
    // Elements must be disjoint, or what a receive leaves is undefined.
    Described result;
    MPI_Type_create_resized(made, lb, width, &result.type);
    MPI_Type_free(&made);
    MPI_Type_commit(&result.type);
    result.has_map = false;
    result.extent = width;
    result.low = true_lb;
    result.high = true_lb + true_extent;
    result.units = 1;
    return result;
  }
}

}  // namespace conformance
