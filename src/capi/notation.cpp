#include <algorithm>
#include <cstring>
#include <memory>

#include "capi/guard.hpp"
#include "capi/text_out.hpp"
#include "notation/parse.hpp"
#include "notation/print.hpp"

using gapless::capi::guard;
using gapless::capi::require;

void gapless::capi::text_out(std::string_view text, char* buffer, std::size_t capacity, std::size_t* needed) {
  require(needed != nullptr, "the place for the length is NULL");
  require(buffer != nullptr || capacity == 0, "the buffer is NULL");
  *needed = text.size() + 1;
  if (capacity == 0) return;
  const std::size_t fits = std::min(text.size(), capacity - 1);
  std::memcpy(buffer, text.data(), fits);
  buffer[fits] = '\0';
}

gapless_status gapless_type_parse(const char* text, gapless_type* type) {
  return guard([&] {
    require(text != nullptr, "the text is NULL");
    require(type != nullptr, "the place for the new type is NULL");
    auto made = std::make_unique<gapless_type_s>();
    made->layout = gapless::notation::parse(text);
    *type = made.release();
  });
}

gapless_status gapless_type_print(gapless_type type, char* buffer, size_t capacity, size_t* needed) {
  return guard([&] {
    require(type != nullptr, "the type is NULL");
    gapless::capi::text_out(gapless::notation::print(*type->layout), buffer, capacity, needed);
  });
}
