#include "alltoallv_case.hpp"

#include <algorithm>
#include <numeric>

namespace test {

namespace {

constexpr int kMostUnits = 3;  // of one element
constexpr MPI_Aint kGuard = 64;

std::uint64_t mixed(std::uint64_t seed, int a, int b, int c) {
  std::uint64_t hash = seed;
  for (const int one : {a, b, c}) {
    hash = (hash ^ static_cast<std::uint64_t>(one + 1)) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  return hash;
}

// Of the type that a side uses for a peer: of v the same for all. In place both sides are the receiving one.
int element_units(const Shape& shape, int rank, int peer, bool is_sending) {
  const bool sends = is_sending && !shape.is_in_place;
  return 1 + static_cast<int>(mixed(shape.seed, rank, shape.form == Form::kW ? peer : -1, sends ? 1 : 0) >> 40) %
                 kMostUnits;
}

unsigned char content(int from, int to, int time, long long at) {
  return static_cast<unsigned char>(mixed(0x5eed, from * 1009 + to, time, static_cast<int>(at)) >> 33);
}

}  // namespace

long long units_of(const Shape& shape, int from, int to) {
  int low = from, high = to;
  if (shape.is_in_place) {  // the same in both directions
    low = std::min(from, to);
    high = std::max(from, to);
  }
  const std::uint64_t random = mixed(shape.seed, low, high, 7) >> 33;
  const long long times = random % 3 == 0 ? 0 : 1 + static_cast<long long>(random / 3 % 4);
  return times * element_units(shape, from, to, true) * element_units(shape, to, from, false);
}

Side::Side(const Shape& shape, bool is_sending) {
  const int p = shape.processes;
  Random random(mixed(shape.seed, shape.rank, is_sending ? 1 : 0, 99));
  const conformance::Signature signature =
      conformance::signature(static_cast<int>(shape.seed % conformance::kSignatures));
  const auto add_type = [&](int peer, long long slots) {
    auto kind = static_cast<conformance::Kind>(random.below(conformance::kKinds));
    if (kind == conformance::Kind::kTower && !shape.may_be_deep) kind = conformance::Kind::kVector;
    types_.push_back(
        conformance::describe(random, signature, element_units(shape, shape.rank, peer, is_sending), kind, slots));
  };
  long long elements = 0;
  for (int peer = 0; peer < p; ++peer) {
    const long long units = is_sending ? units_of(shape, shape.rank, peer) : units_of(shape, peer, shape.rank);
    counts.push_back(units / element_units(shape, shape.rank, peer, is_sending));
    elements += counts.back();
    if (shape.form == Form::kW) add_type(peer, counts.back());
  }
  elements_ = counts;
  // Blocks in random order, with gaps.
  std::vector<int> order(static_cast<std::size_t>(p));
  std::iota(order.begin(), order.end(), 0);
  for (int k = p - 1; k > 0; --k)
    std::swap(order[static_cast<std::size_t>(k)], order[static_cast<std::size_t>(random.below(k + 1))]);
  const bool is_dense = random.below(3) == 0;
  displacements.assign(static_cast<std::size_t>(p), 0);
  places_.assign(static_cast<std::size_t>(p), 0);
  if (shape.form == Form::kV) add_type(-1, elements + p);
  MPI_Aint low = 0, high = 0, next = 0;
  for (const int peer : order) {
    const auto k = static_cast<std::size_t>(peer);
    const conformance::Described& type = of(peer);
    const MPI_Aint reach = (std::max<MPI_Aint>(counts[k], 1) - 1) * type.extent;
    const MPI_Aint first = std::min<MPI_Aint>(reach, 0) + type.low, last = std::max<MPI_Aint>(reach, 0) + type.high;
    if (shape.form == Form::kV) {
      displacements[k] = next;
      places_[k] = next * type.extent;
      next += static_cast<MPI_Aint>(counts[k]) + (is_dense ? 0 : random.below(2));
    } else {
      displacements[k] = places_[k] = next - first;
      next += last - first + (is_dense ? 0 : random.below(9));
      types.push_back(type.type);
    }
    low = std::min(low, places_[k] + first);
    high = std::max(high, places_[k] + last);
  }
  if (shape.form == Form::kW)  // in the order of the peers, not of their places
    for (int peer = 0; peer < p; ++peer) types[static_cast<std::size_t>(peer)] = of(peer).type;
  origin_ = kGuard - low;
  memory_.resize(static_cast<std::size_t>(high - low + 2 * kGuard));
  for (unsigned char& byte : memory_) byte = static_cast<unsigned char>(random.next() >> 40);
  image_ = memory_;
}

void Side::free_arguments() {
  counts.assign(counts.size(), -1);
  displacements.assign(displacements.size(), -1);
  for (conformance::Described& one : types_)
    if (one.type != MPI_DATATYPE_NULL) MPI_Type_free(&one.type);
}

void Side::fill(std::vector<unsigned char>& into, int peer, int from, int to, int time) const {
  const auto k = static_cast<std::size_t>(peer);
  long long at = 0;
  for (MPI_Count element = 0; element < elements_[k]; ++element)
    for (const conformance::Piece& piece : of(peer).map)
      for (int byte = 0; byte < piece.size; ++byte)
        into[static_cast<std::size_t>(origin_ + places_[k] + element * of(peer).extent + piece.offset + byte)] =
            content(from, to, time, at++);
}

void Side::write(int peer, int from, int to, int time) {
  fill(memory_, peer, from, to, time);
  fill(image_, peer, from, to, time);
}

void Side::expect(int peer, int from, int to, int time) {
  fill(image_, peer, from, to, time);
}

}  // namespace test
