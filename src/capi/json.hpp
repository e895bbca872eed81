// JSON as far as the engine writes it, so that the engine needs no library.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace gapless::capi {

// A value: null, true or false, an integer, a text, a list, or an object whose members keep their order.
class Json {
 public:
  using List = std::vector<Json>;
  using Object = std::vector<std::pair<std::string, Json>>;

  Json() = default;
  Json(bool value) : value_(value) {}
  template <std::integral Number>
    requires(!std::same_as<Number, bool>)
  Json(Number value) : value_(static_cast<std::int64_t>(value)) {}
  Json(const char* text) : value_(std::string(text)) {}
  Json(std::string text) : value_(std::move(text)) {}
  Json(List values) : value_(std::move(values)) {}
  Json(Object members) : value_(std::move(members)) {}

  static Json list() { return List(); }
  static Json object() { return Object(); }
  template <class Values>
  static Json list_of(const Values& values) {
    return List(values.begin(), values.end());
  }

  // Of an object: the member of that name, which is null if it is new. The reference holds until the next new one.
  Json& operator[](const char* name) {
    Object& members = std::get<Object>(value_);
    for (auto& [key, value] : members)
      if (key == name) return value;
    return members.emplace_back(name, Json()).second;
  }
  // Of a list.
  template <class Value>
  void push_back(Value&& value) {
    std::get<List>(value_).emplace_back(std::forward<Value>(value));
  }
  // Of a list or an object.
  std::size_t size() const {
    if (const Object* const members = std::get_if<Object>(&value_)) return members->size();
    return std::get<List>(value_).size();
  }
  bool empty() const { return size() == 0; }

  std::string text() const;

 private:
  void append(std::string& to) const;

  std::variant<std::nullptr_t, bool, std::int64_t, std::string, List, Object> value_;
};

}  // namespace gapless::capi
