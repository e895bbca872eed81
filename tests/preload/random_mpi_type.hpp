// Random datatypes through MPI's own constructors, the same on every rank for the same seed.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

namespace test {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 2654435769u + 88172645463325252u) {}
  std::uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_ * 2685821657736338717u;
  }
  int below(int n) { return static_cast<int>((next() >> 33) % static_cast<std::uint64_t>(n)); }

 private:
  std::uint64_t state_;
};

inline constexpr int kConstructors = 13;  // random_type's, named excluded

struct RandomType {
  MPI_Datatype type = MPI_DATATYPE_NULL;  // committed
  int depth = 0;
};

// With `disjoint`, no two pieces overlap, so that the type may receive; block order is arbitrary all the same.
RandomType random_type(Random& random, bool disjoint);

// [low, high) bytes that (count, type) touches, relative to the buffer's address.
struct Span {
  std::int64_t low, high, size;
};
Span span_of(MPI_Datatype type, int count);

// Memory around a message: `buffer()` is the address to give to MPI; guard bytes lie on both sides.
class Field {
 public:
  Field(const Span& span, std::uint64_t seed);
  void* buffer() { return bytes_.data() + kGuard - low_; }
  bool operator==(const Field& other) const { return bytes_ == other.bytes_; }
  std::size_t first_difference(const Field& other) const;

 private:
  static constexpr std::int64_t kGuard = 64;
  std::int64_t low_;
  std::vector<unsigned char> bytes_;
};

}  // namespace test
