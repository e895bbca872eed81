#include "known_blocks.hpp"

#include <cstdint>
#include <cstring>

namespace known {

namespace {

constexpr char kFilling = 0x5a;

std::int32_t value_of(int from, int to, int round, int place) {
  return ((from * 41 + to) * 61 + place) * 7 + round;
}

Shape commit(std::string name, MPI_Datatype type, int count, std::vector<Part> parts) {
  MPI_Type_commit(&type);
  MPI_Aint low = 0, extent = 0;
  MPI_Type_get_extent(type, &low, &extent);
  return {std::move(name), type, count, std::move(parts), extent};
}

std::vector<Part> ints_at(const std::vector<MPI_Aint>& offsets) {
  std::vector<Part> parts;
  for (const MPI_Aint offset : offsets) parts.push_back({false, offset});
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
  return commit("struct", type, count, {{false, number}, {true, real}});
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

void free_pairs(std::vector<Pair>& pairs) {
  for (Pair& pair : pairs) {
    MPI_Type_free(&pair.send.type);
    MPI_Type_free(&pair.receive.type);
  }
}

Buffer::Buffer(const Shape& shape, int blocks)
    : shape_(shape),
      blocks_(blocks),
      bytes_(2 * kMargin + static_cast<std::size_t>(blocks * shape.count * shape.extent), kFilling) {}

void Buffer::clear() {
  std::memset(bytes_.data(), kFilling, bytes_.size());
}

void Buffer::put(int block, int from, int to, int round) {
  int place = 0;
  for (int element = 0; element < shape_.count; ++element)
    for (const Part& part : shape_.parts) {
      char* const at = bytes_.data() + kMargin + (block * shape_.count + element) * shape_.extent + part.offset;
      const std::int32_t number = value_of(from, to, round, place++);
      const double real = number + 0.25;
      if (part.is_double)
        std::memcpy(at, &real, sizeof real);
      else
        std::memcpy(at, &number, sizeof number);
    }
}

std::string Buffer::complaint(int rank, int round) const {
  Buffer expected(shape_, blocks_);
  for (int from = 0; from < blocks_; ++from) expected.put(from, from, rank, round);
  for (std::size_t k = 0; k < bytes_.size(); ++k)
    if (bytes_[k] != expected.bytes_[k])
      return "byte " + std::to_string(static_cast<long>(k) - static_cast<long>(kMargin)) + " of " + shape_.name +
             " is " + std::to_string(bytes_[k]) + " and not " + std::to_string(expected.bytes_[k]);
  return {};
}

}  // namespace known
