// What the engine cannot move, the library packs: a type that is the library's alone, and memory of a GPU.
#pragma once

#include <cstdint>
#include <memory>

#include "ext/library.hpp"

namespace gapless::ext {

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
