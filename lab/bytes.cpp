#include "bytes.hpp"

#include <algorithm>
#include <cstring>
#include <new>

namespace gapless::lab {

Bytes::Bytes(std::size_t size) : size_(size) {
  constexpr std::size_t kLine = 64;
  const std::size_t bytes = (std::max<std::size_t>(size, 1) + kLine - 1) / kLine * kLine;
  data_.reset(static_cast<char*>(std::aligned_alloc(kLine, bytes)));
  if (!data_) throw std::bad_alloc();
}

void Bytes::fill(char value) {
  std::memset(data_.get(), value, size_);
}

void Bytes::copy_from(const Bytes& other) {
  std::memcpy(data_.get(), other.data(), std::min(size_, other.size()));
}

}  // namespace gapless::lab
