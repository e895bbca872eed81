// One message that is measured: its type, its buffers, and how each rank writes and checks its own data.
#pragma once

#include "mpi_handle.hpp"

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

namespace gapless::lab::tune {

enum class Shape { kVector, kNest, kList, kElements };
constexpr const char* kShapeNames[] = {"vector", "nest", "list", "elements"};

struct Size {
  Shape shape;
  std::int64_t bytes;      // of the message
  std::int64_t run_bytes;  // of each run, a multiple of 4
  std::int64_t runs() const { return bytes / run_bytes; }
};

using Bytes = std::vector<unsigned char>;

// What is sent until it is written anew.
constexpr unsigned char kConstant = 7;

class Cell {
 public:
  explicit Cell(const Size& size);

  const Size& size() const { return size_; }
  MPI_Datatype type() const { return type_.handle(); }
  // Of elements of that type.
  int count() const { return size_.shape == Shape::kElements ? static_cast<int>(size_.runs()) : 1; }
  int bytes() const { return static_cast<int>(size_.bytes); }
  unsigned char* typed_out() { return typed_out_.data(); }
  unsigned char* typed_in() { return typed_in_.data(); }
  unsigned char* plain_out() { return plain_out_.data(); }
  unsigned char* plain_in() { return plain_in_.data(); }

  // The program's work: all bytes that are going to be sent are written anew.
  void write_out(unsigned char value);
  void write_plain(unsigned char value);
  // Whether the ends of the first and of the last run hold what the peer wrote.
  bool typed_in_is(unsigned char value) const;
  bool plain_in_is(unsigned char value) const;

 private:
  Size size_;
  std::vector<std::int64_t> places_;  // of the runs
  MpiType type_;
  Bytes typed_out_, typed_in_, plain_out_, plain_in_;
};

}  // namespace gapless::lab::tune
