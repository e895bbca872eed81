// Memory on a cache-line boundary: its own, or part of another that outlives it.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>

namespace gapless::lab {

struct FreeBytes {
  bool owned = true;
  void operator()(char* p) const {
    if (owned) std::free(p);
  }
};

class Bytes {
 public:
  explicit Bytes(std::size_t size);
  // So many bytes at `lent`, which is on such a boundary.
  Bytes(char* lent, std::size_t size) : data_(lent, FreeBytes{false}), size_(size) {}
  char* data() { return data_.get(); }
  const char* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  void fill(char value);
  void copy_from(const Bytes& other);

 private:
  std::unique_ptr<char, FreeBytes> data_;
  std::size_t size_;
};

}  // namespace gapless::lab
