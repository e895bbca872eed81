#include "coll_operation.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace conformance {

namespace {

constexpr long long kEagerBytes = 100'000, kLargeBytes = 2'560'000, kLongestList = 20'000, kMaxUnmapped = 30;

const char* const kNames[] = {"Bcast",
                              "Gather",
                              "Gatherv",
                              "Scatter",
                              "Scatterv",
                              "Allgather",
                              "Allgatherv",
                              "Alltoall",
                              "Alltoallv",
                              "Alltoallw",
                              "Neighbor_allgather",
                              "Neighbor_allgatherv",
                              "Neighbor_alltoall",
                              "Neighbor_alltoallv",
                              "Neighbor_alltoallw"};

bool is_alltoall(Procedure p) {
  return p == kAlltoall || p == kAlltoallv || p == kAlltoallw;
}

// Block lengths of their own.
bool is_v(Procedure p) {
  return p == kGatherv || p == kScatterv || p == kAllgatherv || p == kAlltoallv || p == kNeighborAllgatherv ||
         p == kNeighborAlltoallv || is_w(p);
}

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = a * 0x9e3779b97f4a7c15u + b + 0x7f4a7c15u;
  x ^= x >> 29;
  x *= 0xbf58476d1ce4e5b9u;
  x ^= x >> 32;
  return x;
}

void fill_noise(std::vector<unsigned char>& bytes, std::uint64_t seed) {
  std::uint64_t state = seed | 1;
  std::size_t k = 0;
  for (; k < bytes.size(); k += 8) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    std::memcpy(bytes.data() + k, &state, std::min<std::size_t>(8, bytes.size() - k));
  }
}

std::uint64_t hash_of(const std::vector<unsigned char>& bytes) {
  std::uint64_t hash = bytes.size();
  std::size_t k = 0;
  for (; k + 8 <= bytes.size(); k += 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data() + k, 8);
    hash = (hash ^ word) * 0x100000001b3u;
    hash ^= hash >> 31;
  }
  for (; k < bytes.size(); ++k) hash = (hash ^ bytes[k]) * 0x100000001b3u;
  return hash;
}

std::size_t first_difference(const std::vector<unsigned char>& a, const std::vector<unsigned char>& b) {
  return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin()).first - a.begin());
}

std::vector<int> shuffled(test::Random& random, std::size_t n) {
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  for (int k = static_cast<int>(n) - 1; k > 0; --k)
    std::swap(order[static_cast<std::size_t>(k)], order[static_cast<std::size_t>(random.below(k + 1))]);
  return order;
}

}  // namespace

const char* name_of(Procedure procedure) {
  return kNames[procedure];
}

const char* name_of(Mode mode) {
  return mode == kBlocking ? "blocking" : mode == kNonblocking ? "nonblocking" : "persistent";
}

bool is_neighborhood(Procedure procedure) {
  return procedure >= kNeighborAllgather;
}

bool is_w(Procedure procedure) {
  return procedure == kAlltoallw || procedure == kNeighborAlltoallw;
}

void Memory::allocate(MPI_Aint low, MPI_Aint high) {
  low_ = low;
  bytes_.resize(static_cast<std::size_t>(high - low + 2 * kGuard));
}

Operation::Operation(const Place& place, Procedure procedure, const Shape& shape)
    : place_(place),
      procedure_(procedure),
      shape_(shape),
      own_(mixed(shape.seed, static_cast<std::uint64_t>(100 + place.rank))) {
  test::Random common(mixed(shape.seed, 7));
  signature_ = signature(shape.signature >= 0 ? shape.signature : common.below(kSignatures));
  if (shape.size == Size::kLarge && signature_.bytes < 4) signature_ = signature(0);
  root_ = common.below(place.size);
  is_in_place_ = common.below(3) == 0 && shape.may_be_in_place && procedure != kBcast && !is_neighborhood(procedure);
  is_careless_ = common.below(2) == 0;
  has_empty_types_ = common.below(2) == 0;
  if (shape.is_unmapped) quantum_ = 1;
  const int blocks = procedure == kBcast ? 1 : place.size;
  if (shape.size == Size::kEager) scale_ = kEagerBytes / (quantum_ * signature_.bytes);
  if (shape.size == Size::kLarge) scale_ = kLargeBytes / (quantum_ * signature_.bytes * blocks);
  if (shape.is_unmapped) scale_ = std::min(scale_, kMaxUnmapped);
  uniform_ = quantum_ * scale_;
  if (shape.size == Size::kRandom) uniform_ = quantum_ * (shape.may_be_nothing ? common.below(5) : 1 + common.below(4));
  plan_blocks();
  if (out_.is_there) describe(out_, true);
  if (in_.is_there) describe(in_, false);
}

Operation::~Operation() {
  free_types();
}

void Operation::free_types() {
  for (Side* side : {&out_, &in_}) {
    for (Described& described : side->types) {
      if (described.type != MPI_DATATYPE_NULL) MPI_Type_free(&described.type);
    }
  }
}

long long Operation::units_of(long long key) const {
  if (!is_v(procedure_)) return uniform_;
  if (is_in_place_ && is_alltoall(procedure_)) {  // what comes must fit where what goes was
    const long long from = key / place_.size, to = key % place_.size;
    key = std::min(from, to) * place_.size + std::max(from, to);
  }
  const auto hash = mixed(shape_.seed, static_cast<std::uint64_t>(1000 + key)) >> 8;
  const long long factor = static_cast<long long>(hash % (shape_.size == Size::kRandom ? 5 : 3));
  if (shape_.size == Size::kSome || shape_.size == Size::kRandom)
    return quantum_ * (shape_.may_be_nothing ? factor : factor + 1);
  return quantum_ * (scale_ * (factor + 1) / 2);
}

void Operation::plan_blocks() {
  const int n = place_.size, me = place_.rank;
  const auto add = [&](Side& side, long long key) {
    side.is_there = true;
    Block block;
    block.key = key;
    block.units = key < 0 ? quantum_ * own_.below(3) : units_of(key);  // nobody has a count, too
    side.blocks.push_back(block);
  };
  const auto add_all = [&](Side& side, auto key) {
    for (int k = 0; k < n; ++k) add(side, key(k));
  };
  const auto rank = [](int k) { return static_cast<long long>(k); };
  switch (procedure_) {
    case kBcast:
      add(is_root() ? out_ : in_, 0);
      return;
    case kGather:
    case kGatherv:
      if (!is_in_place_ || !is_root()) add(out_, me);
      if (is_root()) add_all(in_, rank);
      return;
    case kScatter:
    case kScatterv:
      if (is_root()) add_all(out_, rank);
      if (!is_in_place_ || !is_root()) add(in_, me);
      return;
    case kAllgather:
    case kAllgatherv:
      if (!is_in_place_) add(out_, me);
      add_all(in_, rank);
      return;
    case kAlltoall:
    case kAlltoallv:
    case kAlltoallw:
      if (!is_in_place_) add_all(out_, [&](int k) { return static_cast<long long>(me) * n + k; });
      add_all(in_, [&](int k) { return static_cast<long long>(k) * n + me; });
      return;
    case kNeighborAllgather:
    case kNeighborAllgatherv:
      add(out_, me);
      in_.is_there = true;
      for (const Edge& edge : place_.sources) add(in_, edge.peer == MPI_PROC_NULL ? -1 : edge.peer);
      return;
    default:
      out_.is_there = in_.is_there = true;
      for (const Edge& edge : place_.destinations) add(out_, edge.peer == MPI_PROC_NULL ? -1 : edge.key);
      for (const Edge& edge : place_.sources) add(in_, edge.peer == MPI_PROC_NULL ? -1 : edge.key);
  }
}

bool Operation::is_empty_type(const Side& side, const Block& block) {
  if (is_w(procedure_) ? block.units > 0 : std::any_of(side.blocks.begin(), side.blocks.end(), [](const Block& b) {
        return b.units > 0;
      })) {
    return false;
  }
  if (shape_.mixes_empty) return own_.below(2) == 0;
  if (is_w(procedure_)) return mixed(shape_.seed, static_cast<std::uint64_t>(block.key)) % 2 == 0;
  return !is_v(procedure_) && has_empty_types_;
}

void Operation::describe(Side& side, bool is_out) {
  static constexpr int kTogether[] = {1, 2, 3, 4, 6, 12};
  auto& blocks = side.blocks;
  const bool takes_lists = is_v(procedure_) && (is_out ? procedure_ != kGatherv && procedure_ != kAllgatherv &&
                                                             procedure_ != kNeighborAllgatherv
                                                       : procedure_ != kScatterv);
  if (!is_v(procedure_)) {
    for (Block& block : blocks) block.units = uniform_;  // a neighbour that is nobody has a count all the same
  }
  const std::vector<int> order = shuffled(own_, blocks.size());
  const auto kind = [&](long long units) {
    const Kind any = static_cast<Kind>(own_.below(kKinds));
    if (shape_.kind) return shape_.kind(place_.rank, is_out);
    if (any == Kind::kTower && !shape_.may_be_deep) return Kind::kVector;
    return units > kLongestList && any == Kind::kIndexed ? Kind::kVector : any;
  };
  const auto make = [&](long long units, long long slots) {
    if (shape_.is_unmapped) {
      test::Random common(mixed(shape_.seed, 8));
      return unmapped_type(common);
    }
    return conformance::describe(own_, signature_, static_cast<int>(units), kind(units), slots);
  };
  // How many units an element has.
  const auto together = [&](bool are_all_equal) -> long long {
    if (shape_.is_unmapped) return 1;
    if (are_all_equal && uniform_ > 0 && own_.below(3) == 0) return uniform_;
    return kTogether[own_.below(6)];
  };
  if (is_w(procedure_)) {
    MPI_Aint at = -8 * own_.below(3);
    for (const int which : order) {
      Block& block = blocks[static_cast<std::size_t>(which)];
      const long long units = together(false);
      const bool is_empty = is_empty_type(side, block);
      block.count = is_empty ? 2 : block.units / units;
      block.type = side.types.size();
      side.types.push_back(is_empty ? empty_type(own_) : make(units, block.count));
      const Described& type = side.types.back();
      block.base = block.displacement = at - type.low;
      const MPI_Aint last = type.extent * std::max(block.count - 1, 0LL);
      at += type.high - type.low + last + 8 * own_.below(3);
    }
  } else {
    const long long units = together(!is_v(procedure_));
    long long slots = 0;
    const bool is_empty = is_empty_type(side, blocks.empty() ? Block{} : blocks[0]);
    for (Block& block : blocks) block.count = is_empty ? 2 : block.units / units;
    std::size_t k = 0;
    long long at = takes_lists ? -own_.below(2) : 0;
    for (const int which : order) {
      Block& block = blocks[takes_lists ? static_cast<std::size_t>(which) : k];
      block.displacement = at;
      at += block.count + (takes_lists ? own_.below(3) : 0);
      ++k;
    }
    slots = std::max(at, 1LL);
    side.types.push_back(is_empty ? empty_type(own_) : make(units, slots));
    for (Block& block : blocks) block.base = block.displacement * side.types[0].extent;
  }
  MPI_Aint low = 0, high = 0;
  for (const Block& block : blocks) {
    const Described& type = side.types[block.type];
    if (block.count == 0) continue;
    low = std::min<MPI_Aint>(low, block.base + type.low);
    high = std::max<MPI_Aint>(high, block.base + type.extent * (block.count - 1) + type.high);
  }
  side.memory.allocate(low, high);
  side.is_absolute = own_.below(6) == 0;
  if (side.is_absolute) make_absolute(side);
}

void Operation::make_absolute(Side& side) {
  const int one = 1;
  MPI_Aint address;
  MPI_Get_address(side.memory.buffer(), &address);
  for (Described& described : side.types) {
    MPI_Datatype moved, resized;
    MPI_Type_create_hindexed(1, &one, &address, described.type, &moved);
    MPI_Type_create_resized(moved, address, described.extent, &resized);
    MPI_Type_commit(&resized);
    MPI_Type_free(&moved);
    MPI_Type_free(&described.type);
    described.type = resized;
  }
}

void Operation::deposit(Side& side, std::vector<unsigned char>& bytes, const Block& block, long long key,
                        int round) const {
  const Described& type = side.types[block.type];
  if (key < 0 || type.map.empty()) return;
  unsigned char* const start = bytes.data() + (side.memory.buffer() - side.memory.bytes().data()) + block.base;
  std::uint64_t state =
      mixed(mixed(shape_.seed, static_cast<std::uint64_t>(key)), static_cast<std::uint64_t>(round)) | 1;
  for (long long k = 0; k < block.count; ++k) {
    for (const Piece& piece : type.map) {
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      std::memcpy(start + k * type.extent + piece.offset, &state, static_cast<std::size_t>(piece.size));
    }
  }
}

void Operation::fill(int round) {
  const auto salt = static_cast<std::uint64_t>(10 * place_.rank + 1000 * round);
  for (Side* side : {&out_, &in_}) {
    if (!side->is_there) continue;
    fill_noise(side->memory.bytes(), mixed(shape_.seed, salt + (side == &in_ ? 1 : 2)));
  }
  for (const Block& block : out_.blocks) deposit(out_, out_.memory.bytes(), block, block.key, round);
  if (is_in_place_ && in_.is_there) {
    const long long n = place_.size, me = place_.rank;
    for (std::size_t k = 0; k < in_.blocks.size(); ++k) {
      const auto to = static_cast<long long>(k);
      if (is_alltoall(procedure_)) {
        deposit(in_, in_.memory.bytes(), in_.blocks[k], me * n + to, round);
      } else if (to == me && procedure_ != kScatter && procedure_ != kScatterv) {
        deposit(in_, in_.memory.bytes(), in_.blocks[k], me, round);
      }
    }
  }
  for (Side* side : {&out_, &in_}) side->before = side->memory.bytes();
}

std::string Operation::check(int round, Outcome& outcome) {
  outcome.received.push_back(in_.is_there ? hash_of(in_.memory.bytes()) : 0);
  if (out_.is_there && out_.memory.bytes() != out_.before) {
    return "the send buffer changed at byte " + std::to_string(first_difference(out_.memory.bytes(), out_.before));
  }
  if (!in_.is_there || shape_.is_unmapped) return "";
  std::vector<unsigned char> expected = in_.before;
  for (const Block& block : in_.blocks) deposit(in_, expected, block, block.key, round);
  if (in_.memory.bytes() == expected) return "";
  return "wrong bytes from " + std::to_string(first_difference(in_.memory.bytes(), expected)) + " of " +
         std::to_string(expected.size()) + " on";
}

}  // namespace conformance
