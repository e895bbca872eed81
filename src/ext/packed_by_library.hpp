// What the engine cannot move, the library packs: a type that is the library's alone, and memory of a GPU.
#pragma once

#include <cstdint>
#include <memory>

#include "ext/library.hpp"

namespace gapless::ext {

// A buffer and a type for MPI_Pack and MPI_Unpack, which of MPICH 5.0.2 refuse MPI_BOTTOM, a null pointer, for some
// types (conformance coll_faults, undecoded): in its place another address, and a type that begins as much lower.
class NotBottom {
 public:
  NotBottom(const void* buffer, MPI_Datatype type);
  ~NotBottom();
  NotBottom(const NotBottom&) = delete;
  NotBottom& operator=(const NotBottom&) = delete;
  int code() const noexcept { return code_; }  // MPI_SUCCESS, or what went wrong
  char* buffer() const noexcept { return buffer_; }
  MPI_Datatype type() const noexcept { return type_; }

 private:
  char* buffer_;
  MPI_Datatype type_;
  bool is_made_ = false;
  int code_ = MPI_SUCCESS;
};

// The packed data of a whole message, in plain memory. Its functions return MPI_SUCCESS or a code, not raised yet;
// throw what guard (error.hpp) raises.
class PackedByLibrary {
 public:
  PackedByLibrary(MPI_Datatype type, MPI_Count count) : type_(type), count_(count) {}
  int make_room();
  int pack(const void* buffer);
  int unpack(void* buffer) const;
  std::int64_t size() const noexcept { return size_; }  // [bytes]
  char* data() noexcept { return data_.get(); }
  // The data of another message, which has as many bytes.
  void take(PackedByLibrary& other) noexcept { data_.swap(other.data_); }

 private:
  MPI_Datatype type_;
  MPI_Count count_;
  std::int64_t size_ = 0;
  std::unique_ptr<char[]> data_;
};

}  // namespace gapless::ext
