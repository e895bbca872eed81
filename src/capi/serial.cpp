// Layouts as bytes for another process.
#include "serial/serial.hpp"

#include <cstring>
#include <memory>

#include "capi/guard.hpp"

using gapless::capi::guard;
using gapless::capi::require;

gapless_status gapless_type_serialise(gapless_type type, void* buffer, size_t capacity, size_t* needed) {
  return guard([&] {
    require(type != nullptr, "the type is NULL");
    require(needed != nullptr, "the place for the length is NULL");
    require(buffer != nullptr || capacity == 0, "the buffer is NULL");
    const auto bytes = gapless::serial::serialise(type->committed().form(), type->layout->lb, type->layout->extent);
    *needed = bytes.size();
    if (bytes.size() <= capacity) std::memcpy(buffer, bytes.data(), bytes.size());
  });
}

gapless_status gapless_type_deserialise(const void* bytes, size_t length, gapless_type* type) {
  return guard([&] {
    require(bytes != nullptr || length == 0, "the bytes are NULL");
    require(type != nullptr, "the place for the new type is NULL");
    auto made = std::make_unique<gapless_type_s>();
    const auto read = gapless::serial::deserialise({static_cast<const std::uint8_t*>(bytes), length});
    made->layout = read.type;
    made->commit_to(gapless::plan::compile(read.message, read.type->extent));
    *type = made.release();
  });
}
