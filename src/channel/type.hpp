// A type of the engine's C interface, owned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gapless/gapless.h"
#include "wire/fabric/failure.hpp"

namespace gapless::channel {

// Throws what a status says.
inline void must(gapless_status status) {
  if (status == GAPLESS_ERR_NO_MEM) throw std::bad_alloc();
  if (status != GAPLESS_SUCCESS)
    throw wire::fabric::Failure(static_cast<wire::fabric::Fault>(status), gapless_last_error());
}

class Type {
 public:
  Type() = default;
  // Of the bytes that bytes_of() made, here or in another process.
  explicit Type(std::span<const std::byte> serialised) {
    must(gapless_type_deserialise(serialised.data(), serialised.size(), &handle_));
    must(gapless_type_size(handle_, &size_));
  }
  Type(Type&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)), size_(other.size_) {}
  Type& operator=(Type&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Type() {
    if (handle_ != nullptr) gapless_type_free(&handle_);
  }
  static std::string bytes_of(gapless_type type) {
    std::size_t needed = 0;
    std::string bytes(512, '\0');
    must(gapless_type_serialise(type, bytes.data(), bytes.size(), &needed));
    if (needed > bytes.size()) {
      bytes.resize(needed);
      must(gapless_type_serialise(type, bytes.data(), bytes.size(), &needed));
    }
    bytes.resize(needed);
    return bytes;
  }

  gapless_type get() const noexcept { return handle_; }
  std::int64_t size() const noexcept { return size_; }

 private:
  gapless_type handle_ = nullptr;
  std::int64_t size_ = 0;
};

}  // namespace gapless::channel
