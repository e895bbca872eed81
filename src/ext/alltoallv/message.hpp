// What one message sends or receives, in pieces of memory, as the library wants it described.
#pragma once

#include <cstdint>
#include <vector>

#include "ext/library.hpp"

namespace gapless::ext::irregular {

// Pieces of one or more bytes, in a message's order. What follows its predecessor in memory becomes one with it.
class Pieces {
 public:
  struct Piece {
    char* data;
    std::int64_t bytes;
  };
  void clear() noexcept { pieces_.clear(); }
  void add(char* data, std::int64_t bytes) {
    if (!pieces_.empty() && pieces_.back().data + pieces_.back().bytes == data)
      pieces_.back().bytes += bytes;
    else
      pieces_.push_back({data, bytes});
  }
  const std::vector<Piece>& all() const noexcept { return pieces_; }

 private:
  std::vector<Piece> pieces_;
};

class Message {
 public:
  Message() = default;
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;
  Message(Message&& other) noexcept;
  Message& operator=(Message&&) = delete;
  ~Message();

  // One piece is the library's contiguous message; more become a type. To be called once. Returns MPI_SUCCESS or the
  // library's code.
  int describe(const Pieces& pieces);

  bool is_empty() const noexcept { return count_ == 0; }
  void* buffer() const noexcept { return buffer_; }
  int count() const noexcept { return count_; }
  MPI_Datatype type() const noexcept { return type_; }

 private:
  void* buffer_ = nullptr;
  int count_ = 0;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  bool is_made_ = false;
};

}  // namespace gapless::ext::irregular
