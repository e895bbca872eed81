// Random types against the oracle: GAPLESS_Copy, GAPLESS_Pack_at and GAPLESS_Unpack_at at every position,
// GAPLESS_Type_equal, GAPLESS_Type_normalize, GAPLESS_Type_serialise, GAPLESS_Type_signature. usage: random_test SEED
// TYPES
#include <algorithm>
#include <cinttypes>
#include <cstddef>
#include <vector>

#include "gapless/gapless_mpi.h"
#include "mpi_type.hpp"
#include "serial/serial.hpp"
#include "support.hpp"
#include "support/fitting_type.hpp"
#include "support/oracle.hpp"
#include "support/random_type.hpp"
#include "support/redescribe.hpp"

namespace layout = gapless::layout;
namespace support = gapless::test;
using gapless::test::Oracle;
using gapless::test::Random;

namespace {

using Bytes = std::vector<std::byte>;
using Places = std::vector<std::int64_t>;

std::uint64_t seed = 0;
long long refused = 0, packed = 0, copied = 0, fewer = 0, equal_pairs = 0, unequal_pairs = 0;

#define CHECK_SEED(condition, text) CHECK(condition, text ", seed %" PRIu64, seed)

// A type as MPI and as the oracle have it, committed.
class Type {
 public:
  explicit Type(const layout::LayoutPtr& layout)
      : oracle_(*layout), handle_(test::mpi_type(*layout)), holds_long_double_(holds_long_double()) {
    if (handle_ != MPI_DATATYPE_NULL) MPI_Type_commit(&handle_);
  }
  Type(const Type&) = delete;
  Type& operator=(const Type&) = delete;
  ~Type() {
    if (handle_ != MPI_DATATYPE_NULL) MPI_Type_free(&handle_);
  }
  MPI_Datatype handle() const { return handle_; }
  const Oracle& oracle() const { return oracle_; }
  // False where the library has refused the type, or says something else of its bounds than MPI does.
  bool is_right() const {
    if (handle_ == MPI_DATATYPE_NULL) return false;
    MPI_Count lb = 0, extent = 0, true_lb = 0, true_extent = 0, size = 0;
    MPI_Type_get_extent_x(handle_, &lb, &extent);
    MPI_Type_get_true_extent_x(handle_, &true_lb, &true_extent);
    MPI_Type_size_x(handle_, &size);
    const auto& bounds = oracle_.bounds();
    return size == bounds.size && lb == bounds.lb && extent == bounds.extent() &&
           (size == 0 || (true_lb <= bounds.true_lb && true_lb + true_extent >= bounds.true_ub));
  }
  // A library may drop the padding of a long double.
  bool has_long_double() const { return holds_long_double_; }

 private:
  bool holds_long_double() const {
    return std::any_of(oracle_.named().begin(), oracle_.named().end(),
                       [](const layout::Named* named) { return std::strncmp(named->name, "long_double", 11) == 0; });
  }
  Oracle oracle_;
  MPI_Datatype handle_;
  bool holds_long_double_;
};

// Memory around the bytes at these displacements, with guards.
class Memory {
 public:
  Memory(const Places& places, Random& random) {
    for (const std::int64_t place : places) {
      low_ = std::min(low_, place);
      high_ = std::max(high_, place + 1);
    }
    bytes_.resize(static_cast<std::size_t>(high_ - low_ + 128));
    for (std::byte& byte : bytes_) byte = static_cast<std::byte>(random.next() >> 32);
  }
  std::byte* buffer() { return bytes_.data() + 64 - low_; }
  bool operator==(const Memory& other) const { return bytes_ == other.bytes_; }

 private:
  std::int64_t low_ = 0, high_ = 0;
  Bytes bytes_;
};

void pack_at(const Type& type, int count, Random& random) {
  const Places places = type.oracle().byte_displacements(count);
  const auto size = static_cast<std::int64_t>(places.size());
  Memory memory(places, random);
  const bool all = size <= 48;
  for (std::int64_t k = 0; k <= (all ? size : 8); ++k) {
    const std::int64_t position = all ? k : random.between(0, size), budget = random.between(0, size - position + 3);
    Bytes expected(static_cast<std::size_t>(budget) + 1, std::byte{7}), got = expected;
    const std::int64_t bytes = support::oracle_pack(places, memory.buffer(), position, expected.data(), budget);
    MPI_Count moved = -1;
    CHECK_SEED(
        GAPLESS_Pack_at(memory.buffer(), count, type.handle(), position, got.data(), budget, &moved) == MPI_SUCCESS,
        "GAPLESS_Pack_at");
    CHECK_SEED(moved == bytes && got == expected, "GAPLESS_Pack_at packs something else");
    Memory one = memory, other = memory;
    for (std::byte& byte : expected) byte = static_cast<std::byte>(random.next() >> 40);
    support::oracle_unpack(places, one.buffer(), position, expected.data(), budget);
    CHECK_SEED(GAPLESS_Unpack_at(expected.data(), budget, position, other.buffer(), count, type.handle(), &moved) ==
                   MPI_SUCCESS,
               "GAPLESS_Unpack_at");
    CHECK_SEED(moved == bytes && one == other, "GAPLESS_Unpack_at stores something else");
    ++packed;
  }
}

void copy(const Type& from, int from_count, const Type& to, int to_count, Random& random) {
  const Places source = from.oracle().byte_displacements(from_count), target = to.oracle().byte_displacements(to_count);
  Memory here(source, random), expected(target, random), got = expected;
  for (std::size_t k = 0; k < source.size(); ++k) expected.buffer()[target[k]] = here.buffer()[source[k]];
  CHECK_SEED(GAPLESS_Copy(here.buffer(), from_count, from.handle(), got.buffer(), to_count, to.handle()) == MPI_SUCCESS,
             "GAPLESS_Copy");
  CHECK_SEED(got == expected, "GAPLESS_Copy copies something else");
  ++copied;
}

// The basic types that a type consists of, from its contents.
void add_basics(MPI_Datatype type, std::int64_t count, std::vector<MPI_Datatype>& basics) {
  int integers = 0, addresses = 0, types = 0, combiner = 0;
  MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  for (; count > 0 && combiner == MPI_COMBINER_NAMED; --count) basics.push_back(type);
  if (count == 0) return;
  std::vector<int> numbers(static_cast<std::size_t>(integers) + 1);
  std::vector<MPI_Aint> places(static_cast<std::size_t>(addresses) + 1);
  std::vector<MPI_Datatype> parts(static_cast<std::size_t>(types));
  MPI_Type_get_contents(type, integers, addresses, types, numbers.data(), places.data(), parts.data());
  for (; count > 0; --count) {
    for (std::size_t k = 0; k < parts.size(); ++k) {
      CHECK_SEED(combiner == MPI_COMBINER_STRUCT || combiner == MPI_COMBINER_CONTIGUOUS ||
                     combiner == MPI_COMBINER_RESIZED || combiner == MPI_COMBINER_DUP,
                 "a signature with gaps");
      const bool is_single = combiner == MPI_COMBINER_RESIZED || combiner == MPI_COMBINER_DUP;
      add_basics(parts[k], is_single ? 1 : numbers[combiner == MPI_COMBINER_STRUCT ? k + 1 : 0], basics);
    }
  }
  for (MPI_Datatype& part : parts) {
    MPI_Type_get_envelope(part, &integers, &addresses, &types, &combiner);
    if (combiner != MPI_COMBINER_NAMED) MPI_Type_free(&part);
  }
}

// Those of the oracle: a pair type is two, and two entries if it has a hole.
std::vector<MPI_Datatype> expected_basics(const Oracle& oracle) {
  std::vector<MPI_Datatype> basics;
  for (std::size_t k = 0; k < oracle.named().size(); ++k) {
    const layout::Named& named = *oracle.named()[k];
    const MPI_Datatype type = test::named_type(named);
    const MPI_Datatype value = type == MPI_FLOAT_INT         ? MPI_FLOAT
                               : type == MPI_DOUBLE_INT      ? MPI_DOUBLE
                               : type == MPI_LONG_INT        ? MPI_LONG
                               : type == MPI_SHORT_INT       ? MPI_SHORT
                               : type == MPI_2INT            ? MPI_INT
                               : type == MPI_LONG_DOUBLE_INT ? MPI_LONG_DOUBLE
                                                             : MPI_DATATYPE_NULL;
    basics.push_back(value == MPI_DATATYPE_NULL ? type : value);
    if (value == MPI_DATATYPE_NULL) continue;
    basics.push_back(MPI_INT);
    if (named.run_count == 2) ++k;
  }
  return basics;
}

void signature(const Type& type) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  CHECK_SEED(GAPLESS_Type_signature(type.handle(), &made) == MPI_SUCCESS, "GAPLESS_Type_signature");
  MPI_Count lb = 0, extent = 0, size = 0;
  MPI_Type_get_extent_x(made, &lb, &extent);
  MPI_Type_size_x(made, &size);
  CHECK_SEED(size == type.oracle().bounds().size && extent == size && lb == 0, "the bounds of a signature");
  std::vector<MPI_Datatype> basics;
  add_basics(made, 1, basics);
  CHECK_SEED(basics == expected_basics(type.oracle()), "the basic types of a signature");
  MPI_Type_free(&made);
}

// What another process makes of the bytes: the same displacements in the same order, and the same bounds.
void serialise(const Type& type) {
  MPI_Count needed = -1, written = -1;
  CHECK_SEED(GAPLESS_Type_serialise(type.handle(), nullptr, 0, &needed) == MPI_SUCCESS, "GAPLESS_Type_serialise");
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(needed));
  CHECK_SEED(GAPLESS_Type_serialise(type.handle(), bytes.data(), needed, &written) == MPI_SUCCESS && written == needed,
             "GAPLESS_Type_serialise says another size");
  const Oracle read(*gapless::serial::deserialise(bytes).type);
  CHECK_SEED(read.bounds().lb == type.oracle().bounds().lb && read.bounds().ub == type.oracle().bounds().ub,
             "serialised, it has other bounds");
  CHECK_SEED(read.byte_displacements(2) == type.oracle().byte_displacements(2), "serialised, it is another layout");
}

// True if the two have the same entries, of the same named types.
bool same_map(const Oracle& a, const Oracle& b) {
  return a.entries() == b.entries() && a.named() == b.named() && a.bounds().lb == b.bounds().lb &&
         a.bounds().ub == b.bounds().ub;
}
bool has_pairs(const Oracle& oracle) {
  return std::any_of(oracle.named().begin(), oracle.named().end(), [](const layout::Named* named) {
    return std::strstr(named->name, "_int") != nullptr || std::strcmp(named->name, "2int") == 0;
  });
}

void compare(const Type& a, const Type& b) {
  const bool same = same_map(a.oracle(), b.oracle());
  if (!same && (has_pairs(a.oracle()) || has_pairs(b.oracle()))) return;
  int equal = -1;
  CHECK_SEED(GAPLESS_Type_equal(a.handle(), b.handle(), &equal) == MPI_SUCCESS, "GAPLESS_Type_equal");
  CHECK_SEED(equal == (same ? 1 : 0), "GAPLESS_Type_equal is wrong");
  ++(same ? equal_pairs : unequal_pairs);
}

// Whether the library packs `handle` as the oracle packs the type.
bool library_packs(const Type& type, MPI_Datatype handle, Random& random) {
  const Places places = type.oracle().byte_displacements(2);
  Memory memory(places, random);
  Bytes expected(places.size() + 1), got(places.size() + 1);
  support::oracle_pack(places, memory.buffer(), 0, expected.data(), static_cast<std::int64_t>(places.size()));
  int position = 0;
  MPI_Pack(memory.buffer(), 2, handle, got.data(), static_cast<int>(got.size()), &position, MPI_COMM_SELF);
  return position == static_cast<int>(places.size()) && got == expected;
}

void normalize(const Type& type, Random& random) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  CHECK_SEED(GAPLESS_Type_normalize(type.handle(), &made) == MPI_SUCCESS, "GAPLESS_Type_normalize");
  int equal = -1;
  CHECK_SEED(GAPLESS_Type_equal(type.handle(), made, &equal) == MPI_SUCCESS && equal == 1, "not the same type");
  const int before = test::constructors_of(type.handle()), after = test::constructors_of(made);
  CHECK_SEED(after <= before + 1, "more constructors than there were");  // a duplicate has one more
  fewer += after < before ? 1 : 0;
  MPI_Type_commit(&made);
  if (library_packs(type, type.handle(), random) && !type.has_long_double())
    CHECK_SEED(library_packs(type, made, random), "the library packs something else");
  MPI_Type_free(&made);
}

// What redescribe() knows.
bool is_redescribed(const layout::Layout& type) {
  return type.combiner < layout::Combiner::kDarray &&
         std::all_of(
             type.children.begin(), type.children.end(), [](const auto& child) { return is_redescribed(*child); });
}

void check(Random& random) {
  const layout::LayoutPtr layout = support::random_type(random.next());
  const Type type(layout);
  if (!type.is_right()) {
    ++refused;
    return;
  }
  const int count = static_cast<int>(random.between(0, 3));
  pack_at(type, count, random);
  if (const std::int64_t size = type.oracle().bounds().size * count; size > 0 && size < 20000) {
    const Type fitting(support::fitting_type(random, size));
    if (fitting.is_right()) {
      copy(type, count, fitting, 1, random);
      copy(fitting, 1, type, count, random);
      copy(type, count, type, count, random);
    }
  }
  signature(type);
  serialise(type);
  normalize(type, random);
  const auto kind = static_cast<support::Redescription>(random.between(0, support::kRedescriptionCount - 1));
  if (const auto again = is_redescribed(*layout) ? support::redescribe(random, kind, layout) : nullptr; again) {
    const Type other(again);
    if (other.is_right()) compare(type, other);
  }
  const Type another(support::random_type(random.next()));
  if (another.is_right()) compare(type, another);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  const std::uint64_t first = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
  const long types = argc > 2 ? std::atol(argv[2]) : 300;
  for (long k = 0; k < types; ++k) {
    seed = first + static_cast<std::uint64_t>(k);
    Random random(seed * 7919);
    check(random);
  }
  std::printf(
      "random_test: %ld types, %lld refused by the library; %lld parts, %lld copies, %lld with fewer constructors, "
      "%lld equal, %lld unequal\n",
      types, refused, packed, copied, fewer, equal_pairs, unequal_pairs);
  CHECK(types < 300 || fewer > (types - refused) / 2, "hardly any type is normalised");
  MPI_Finalize();
  return 0;
}
