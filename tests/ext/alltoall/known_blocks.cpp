#include "known_blocks.hpp"

#include <algorithm>
#include <cstdint>

namespace known {

namespace {

constexpr unsigned char kFilling = 0x5a;
constexpr MPI_Aint kMargin = 256;

// A byte of a block's data.
unsigned char byte_of(int from, int to, int round, int place) {
  const auto mixed =
      static_cast<std::uint64_t>(((from * 41 + to) * 4096 + place) * 7 + round + 1) * 0x9e3779b97f4a7c15u;
  return static_cast<unsigned char>(mixed >> 40);
}

Shape commit(std::string name, MPI_Datatype type, int count, std::vector<Part> parts) {
  MPI_Type_commit(&type);
  MPI_Aint lower = 0, extent = 0, low = parts.front().offset, high = low;
  MPI_Type_get_extent(type, &lower, &extent);
  for (const Part& part : parts) {
    low = std::min(low, part.offset);
    high = std::max(high, part.offset + part.size);
  }
  return {std::move(name), type, count, std::move(parts), extent, low, high};
}

std::vector<Part> ints_at(const std::vector<MPI_Aint>& offsets) {
  std::vector<Part> parts;
  for (const MPI_Aint offset : offsets) parts.push_back({offset, sizeof(int)});
  return parts;
}

Shape contiguous(int ints, int count) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(ints, MPI_INT, &type);
  std::vector<MPI_Aint> offsets;
  for (int k = 0; k < ints; ++k) offsets.push_back(4 * k);
  return commit("contiguous", type, count, ints_at(offsets));
}

Shape builtin(int count) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_dup(MPI_INT, &type);
  return commit("int", type, count, ints_at({0}));
}

Shape vector_of(int blocks, int length, int stride, int count) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_vector(blocks, length, stride, MPI_INT, &type);
  std::vector<MPI_Aint> offsets;
  for (int b = 0; b < blocks; ++b)
    for (int k = 0; k < length; ++k) offsets.push_back(4 * (b * stride + k));
  return commit("vector", type, count, ints_at(offsets));
}

// Not in the order of memory, and below the buffer's address.
Shape indexed(int count) {
  const int lengths[] = {1, 2, 1}, places[] = {4, -2, 2};
  MPI_Datatype list = MPI_DATATYPE_NULL, type = MPI_DATATYPE_NULL;
  MPI_Type_indexed(3, lengths, places, MPI_INT, &list);
  MPI_Type_create_resized(list, -8, 32, &type);
  MPI_Type_free(&list);
  return commit("indexed", type, count, ints_at({16, -8, -4, 8}));
}

Shape structure(MPI_Aint number, MPI_Aint real, MPI_Aint extent, int count) {
  const int lengths[] = {1, 1};
  const MPI_Aint places[] = {number, real};
  const MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE};
  MPI_Datatype both = MPI_DATATYPE_NULL, type = MPI_DATATYPE_NULL;
  MPI_Type_create_struct(2, lengths, places, types, &both);
  MPI_Type_create_resized(both, 0, extent, &type);
  MPI_Type_free(&both);
  return commit("struct", type, count, {{number, sizeof(int)}, {real, sizeof(double)}});
}

}  // namespace

std::vector<Pair> make_pairs() {
  std::vector<Pair> pairs;
  pairs.push_back({builtin(1), builtin(1)});
  pairs.push_back({builtin(6), contiguous(3, 2)});
  pairs.push_back({vector_of(3, 1, 2, 2), builtin(6)});
  pairs.push_back({contiguous(4, 1), vector_of(2, 1, 3, 2)});
  pairs.push_back({vector_of(4, 2, 5, 1), indexed(2)});
  pairs.push_back({structure(16, 0, 24, 3), structure(0, 8, 40, 3)});
  return pairs;
}

std::vector<Pair> make_random_pairs(std::uint64_t seed, int rank, int number, int processes, bool may_be_deep) {
  test::Random common(seed), own(seed + 1 + static_cast<std::uint64_t>(rank));
  std::vector<Pair> pairs;
  for (int k = 0; k < number; ++k) {
    const conformance::Signature signature = conformance::signature(common.below(conformance::kSignatures));
    const int times = 1 + common.below(2), send = 1 + common.below(3), receive = 1 + common.below(3);
    const auto shape = [&](int units, int count) {
      auto kind = static_cast<conformance::Kind>(own.below(conformance::kKinds));
      if (kind == conformance::Kind::kTower && !may_be_deep) kind = conformance::Kind::kVector;
      conformance::Described of =
          conformance::describe(own, signature, units, kind, static_cast<long long>(count) * processes);
      std::string name = "random kind " + std::to_string(static_cast<int>(kind));
      return Shape{std::move(name), of.type, count, std::move(of.map), of.extent, of.low, of.high};
    };
    Shape one = shape(send, times * receive), other = shape(receive, times * send);
    pairs.push_back({std::move(one), std::move(other)});
  }
  return pairs;
}

void free_pairs(std::vector<Pair>& pairs) {
  for (Pair& pair : pairs) {
    MPI_Type_free(&pair.send.type);
    MPI_Type_free(&pair.receive.type);
  }
}

Buffer::Buffer(const Shape& shape, int blocks) : shape_(shape), blocks_(blocks) {
  const MPI_Aint reach = (static_cast<MPI_Aint>(blocks) * shape.count - 1) * shape.extent;
  const MPI_Aint first = std::min<MPI_Aint>(reach, 0) + shape.low, last = std::max<MPI_Aint>(reach, 0) + shape.high;
  origin_ = kMargin - first;
  bytes_.resize(static_cast<std::size_t>(last - first + 2 * kMargin), kFilling);
}

void Buffer::clear() {
  std::fill(bytes_.begin(), bytes_.end(), kFilling);
}

void Buffer::put(int block, int from, int to, int round) {
  int place = 0;
  for (int element = 0; element < shape_.count; ++element)
    for (const Part& part : shape_.parts)
      for (int byte = 0; byte < part.size; ++byte) {
        const MPI_Aint at = origin_ + (block * shape_.count + element) * shape_.extent + part.offset + byte;
        bytes_[static_cast<std::size_t>(at)] = byte_of(from, to, round, place++);
      }
}

std::string Buffer::complaint(int rank, int round) const {
  Buffer expected(shape_, blocks_);
  for (int from = 0; from < blocks_; ++from) expected.put(from, from, rank, round);
  for (std::size_t k = 0; k < bytes_.size(); ++k)
    if (bytes_[k] != expected.bytes_[k])
      return "byte " + std::to_string(static_cast<long>(k) - static_cast<long>(origin_)) + " of " + shape_.name +
             " is " + std::to_string(bytes_[k]) + " and not " + std::to_string(expected.bytes_[k]);
  return {};
}

}  // namespace known
