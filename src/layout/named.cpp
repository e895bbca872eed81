#include "layout/named.hpp"

#include <atomic>
#include <complex>
#include <cstddef>
#include <cstring>
#include <functional>
#include <iterator>

namespace gapless::layout {
namespace {

template <class T>
constexpr Named plain(const char* name) {
  return {name, sizeof(T), sizeof(T), alignof(T), sizeof(T), {{0, sizeof(T)}, {0, 0}}, 1};
}

// A pair type has the layout of the C struct {Value; int}: there may be padding before the index and at the end of the
// struct (MPI 4.1, section 6.9.4). Its true extent ends with the last byte of data.
template <class Value>
constexpr Named pair(const char* name) {
  struct Pair {
    Value value;
    int index;
  };
  constexpr std::int64_t at = offsetof(Pair, index), value_bytes = sizeof(Value), index_bytes = sizeof(int);
  if (at == value_bytes)
    return {
        name, value_bytes + index_bytes, sizeof(Pair), alignof(Pair), at + index_bytes, {{0, at + index_bytes}, {0, 0}},
        1};
  return {name,
          value_bytes + index_bytes,
          sizeof(Pair),
          alignof(Pair),
          at + index_bytes,
          {{0, value_bytes}, {at, index_bytes}},
          2};
}

// The C types behind MPI's names; types of equal size and alignment (MPI_INT32_T and MPI_INT, say) share an entry.
constexpr Named kNamed[] = {
    plain<char>("byte"),
    plain<std::int8_t>("int8"),
    plain<std::int16_t>("int16"),
    plain<std::int32_t>("int32"),
    plain<std::int64_t>("int64"),
    plain<std::uint8_t>("uint8"),
    plain<std::uint16_t>("uint16"),
    plain<std::uint32_t>("uint32"),
    plain<std::uint64_t>("uint64"),
    plain<char>("char"),
    plain<wchar_t>("wchar"),
    plain<bool>("bool"),
    plain<float>("float"),
    plain<double>("double"),
    plain<long double>("long_double"),
    plain<std::complex<float>>("float_complex"),
    plain<std::complex<double>>("double_complex"),
    plain<std::complex<long double>>("long_double_complex"),
    plain<std::ptrdiff_t>("aint"),
    plain<char>("packed"),
    pair<float>("float_int"),
    pair<double>("double_int"),
    pair<long>("long_int"),
    pair<short>("short_int"),
    pair<int>("2int"),
    pair<long double>("long_double_int"),
};

struct NewNamed : Named {
  std::uint32_t number;
};
constinit std::atomic<std::uint32_t> count{std::size(kNamed)};

}  // namespace

std::span<const Named> named_types() noexcept {
  return kNamed;
}

const Named* find_named(const char* name) noexcept {
  for (const Named& type : kNamed)
    if (std::strcmp(type.name, name) == 0) return &type;
  return nullptr;
}

const Named& new_named(const char* name, std::int64_t size, std::int64_t alignment) {
  const Named plain{name, size, size, alignment, size, {{0, size}, {0, 0}}, 1};
  auto* const type = new NewNamed{plain, 0};
  type->number = count.fetch_add(1, std::memory_order_relaxed);
  return *type;
}

std::uint32_t number_of(const Named& type) noexcept {
  const bool in_table = !std::less<>()(&type, std::begin(kNamed)) && std::less<>()(&type, std::end(kNamed));
  if (in_table) return static_cast<std::uint32_t>(&type - kNamed);
  return static_cast<const NewNamed&>(type).number;
}

std::uint32_t named_count() noexcept {
  return count.load(std::memory_order_relaxed);
}

}  // namespace gapless::layout
