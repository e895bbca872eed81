// What one message sends or receives, in pieces of memory, as the library wants it described.
#pragma once

#include <cstdint>
#include <vector>

#include "ext/library.hpp"

namespace gapless::ext::irregular {

// `count` elements of a type, where the library counts in an int: else of a type made of many of them, which the caller
// frees.
struct Counted {
  int count;
  MPI_Datatype type;
  bool is_made;
};
// Returns MPI_SUCCESS and what there is, or the library's code.
int counted(MPI_Count count, MPI_Datatype type, Counted& made);

class Message {
 public:
  Message() = default;
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;
  Message(Message&& other) noexcept;
  Message& operator=(Message&&) = delete;
  ~Message();

  // Pieces of one or more bytes, in the message's order. What follows its predecessor in memory becomes one with it.
  void add(char* data, std::int64_t bytes);
  // One piece is the library's contiguous message; more become a type. To be called once, after all were added. Returns
  // MPI_SUCCESS or the library's code.
  int describe();

  bool is_empty() const noexcept { return pieces_.empty(); }
  std::size_t pieces() const noexcept { return pieces_.size(); }
  void* buffer() const noexcept { return buffer_; }
  int count() const noexcept { return count_; }
  MPI_Datatype type() const noexcept { return type_; }

 private:
  struct Piece {
    char* data;
    std::int64_t bytes;
  };
  std::vector<Piece> pieces_;
  void* buffer_ = nullptr;
  int count_ = 0;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  bool is_made_ = false;
};

}  // namespace gapless::ext::irregular
