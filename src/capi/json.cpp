#include "capi/json.hpp"

#include <cstdio>

namespace gapless::capi {

namespace {

void append_text(const std::string& text, std::string& to) {
  to += '"';
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", code);
      to += escape;
    } else {
      if (c == '"' || c == '\\') to += '\\';
      to += c;
    }
  }
  to += '"';
}

struct Append {
  std::string& to;
  void operator()(std::nullptr_t) const { to += "null"; }
  void operator()(bool value) const { to += value ? "true" : "false"; }
  void operator()(std::int64_t value) const { to += std::to_string(value); }
  void operator()(const std::string& value) const { append_text(value, to); }
};

}  // namespace

void Json::append(std::string& to) const {
  if (const List* const values = std::get_if<List>(&value_)) {
    to += '[';
    for (std::size_t i = 0; i < values->size(); ++i) {
      if (i > 0) to += ',';
      (*values)[i].append(to);
    }
    to += ']';
  } else if (const Object* const members = std::get_if<Object>(&value_)) {
    to += '{';
    for (std::size_t i = 0; i < members->size(); ++i) {
      if (i > 0) to += ',';
      append_text((*members)[i].first, to);
      to += ':';
      (*members)[i].second.append(to);
    }
    to += '}';
  } else {
    std::visit(
        [&to](const auto& value) {
          if constexpr (std::is_invocable_v<Append, decltype(value)>) Append{to}(value);
        },
        value_);
  }
}

std::string Json::text() const {
  std::string text;
  append(text);
  return text;
}

}  // namespace gapless::capi
