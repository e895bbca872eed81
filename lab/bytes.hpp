// Memory on a cache-line boundary.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>

namespace gapless::lab {

class Bytes {
 public:
  explicit Bytes(std::size_t size);
  char* data() { return data_.get(); }
  const char* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  void fill(char value);
  void copy_from(const Bytes& other);

 private:
  struct Free {
    void operator()(char* p) const { std::free(p); }
  };
  std::unique_ptr<char, Free> data_;
  std::size_t size_;
};

}  // namespace gapless::lab
