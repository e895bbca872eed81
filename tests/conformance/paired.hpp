// Blocks with gaps, of which every element is known by sender, receiver and round: what goes through the memory that
// the processes of a node share is checked by hand, to the last byte of the gaps.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "../preload/support.hpp"

namespace conformance {

// The first int of a block; the others count on.
inline int first_value(int from, int to, int round) {
  const unsigned mixed = (static_cast<unsigned>(from) * 131 + static_cast<unsigned>(to)) * 131;
  return static_cast<int>((mixed + static_cast<unsigned>(round)) * 2'654'435'761u % 1'000'000'000u);
}

// `count` blocks one behind the other; each is `length` ints, `stride` apart.
class Blocks {
 public:
  Blocks(int count, int length, int stride)
      : length_(length), stride_(stride), ints_(static_cast<std::size_t>(count) * size_of_one(), -1) {
    MPI_Datatype column;
    MPI_Type_vector(length, 1, stride, MPI_INT, &column);
    MPI_Type_create_resized(column, 0, static_cast<MPI_Aint>(size_of_one() * sizeof(int)), &type_);
    MPI_Type_commit(&type_);
    MPI_Type_free(&column);
  }
  ~Blocks() { MPI_Type_free(&type_); }
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;

  int* data() { return ints_.data(); }
  int* block(int k) { return ints_.data() + static_cast<std::size_t>(k) * size_of_one(); }
  MPI_Datatype type() const { return type_; }
  int bytes_apart() const { return static_cast<int>(size_of_one() * sizeof(int)); }
  // Writes a block that goes from a process to another.
  void write(int k, int from, int to, int round) {
    for (int j = 0; j < length_; ++j) block(k)[j * stride_] = first_value(from, to, round) + j;
  }
  // Fails unless the block has come, and its gaps are as they were. Forgets it.
  void expect(int k, int from, int to, int round, const char* what) {
    for (int j = 0; j < length_ * stride_; ++j) {
      const int expected = j % stride_ == 0 ? first_value(from, to, round) + j / stride_ : -1;
      CHECK(block(k)[j] == expected, "%s, round %d, from %d to %d: int %d is %d, not %d", what, round, from, to, j,
            block(k)[j], expected);
      block(k)[j] = -1;
    }
  }
  void expect_nothing(int k, const char* what) {
    for (int j = 0; j < length_ * stride_; ++j) CHECK(block(k)[j] == -1, "%s: block %d, int %d came", what, k, j);
  }

 private:
  std::size_t size_of_one() const { return static_cast<std::size_t>(length_) * static_cast<std::size_t>(stride_); }
  int length_, stride_;
  std::vector<int> ints_;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

struct Members {
  int rank = 0, size = 0;
  explicit Members(MPI_Comm comm) {
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
  }
};

using test::library_is;

// Alltoallw of `length` ints from each to each, with gaps at both ends; an int more is not in the type, nor touched.
inline void all_to_all(MPI_Comm comm, int length, int round, int out_stride = 2, int in_stride = 3) {
  const Members of(comm);
  Blocks out(of.size, length, out_stride), in(of.size, length, in_stride);
  const std::vector<int> ones(static_cast<std::size_t>(of.size), 1);
  std::vector<int> from, to;
  for (int k = 0; k < of.size; ++k) {
    out.write(k, of.rank, k, round);
    from.push_back(k * out.bytes_apart());
    to.push_back(k * in.bytes_apart());
  }
  const std::vector<MPI_Datatype> sent(ones.size(), out.type()), received(ones.size(), in.type());
  const int code = MPI_Alltoallw(out.data(), ones.data(), from.data(), sent.data(), in.data(), ones.data(), to.data(),
                                 received.data(), comm);
  CHECK(code == MPI_SUCCESS, "alltoallw: code %d", code);
  for (int k = 0; k < of.size; ++k) in.expect(k, k, of.rank, round, "alltoallw");
}

// Bcast of `length` ints, described otherwise at each process.
inline void broadcast(MPI_Comm comm, int root, int length, int round) {
  const Members of(comm);
  Blocks block(1, length, 2 + (of.rank + round) % 3);
  if (of.rank == root) block.write(0, root, 0, round);
  const int code = MPI_Bcast(block.data(), 1, block.type(), root, comm);
  CHECK(code == MPI_SUCCESS, "bcast: code %d", code);
  block.expect(0, root, 0, round, "bcast");
}

// A message of `length` ints from each to the next one.
inline void pass_on(MPI_Comm comm, int length, int round) {
  const Members of(comm);
  const int to = (of.rank + 1) % of.size, from = (of.rank + of.size - 1) % of.size;
  Blocks out(1, length, 2), in(1, length, 3);
  out.write(0, of.rank, to, round);
  MPI_Request requests[2];
  MPI_Irecv(in.data(), 1, in.type(), from, 5, comm, &requests[0]);
  MPI_Isend(out.data(), 1, out.type(), to, 5, comm, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  in.expect(0, from, of.rank, round, "message");
}

// [bytes] of the memory that processes share which this one has opened: more than at first, where a message went
// through its own or another's pool of chunks. 0 where it shares none.
inline long long shared_bytes() {
  std::ifstream maps("/proc/self/maps");
  long long bytes = 0;
  for (std::string line; std::getline(maps, line);) {
    unsigned long long from = 0, to = 0;
    char access[5] = "";
    if (line.find("memfd:gapless") == std::string::npos) continue;
    if (std::sscanf(line.c_str(), "%llx-%llx %4s", &from, &to, access) != 3 || access[1] != 'w') continue;
    bytes += static_cast<long long>(to - from);
  }
  return bytes;
}

}  // namespace conformance
