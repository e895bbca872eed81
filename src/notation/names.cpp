#include "notation/names.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace gapless::notation {
namespace {

struct Alias {
  std::string_view word;
  std::string_view name;
};

template <class T>
constexpr std::string_view signed_name() {
  return sizeof(T) == 8 ? "int64" : sizeof(T) == 4 ? "int32" : "int16";
}
template <class T>
constexpr std::string_view unsigned_name() {
  return sizeof(T) == 8 ? "uint64" : sizeof(T) == 4 ? "uint32" : "uint16";
}

constexpr Alias kMpiNames[] = {
    {"MPI_BYTE", "byte"},
    {"MPI_PACKED", "packed"},
    {"MPI_CHAR", "char"},
    {"MPI_SIGNED_CHAR", "int8"},
    {"MPI_UNSIGNED_CHAR", "uint8"},
    {"MPI_WCHAR", "wchar"},
    {"MPI_C_BOOL", "bool"},
    {"MPI_SHORT", signed_name<short>()},
    {"MPI_INT", signed_name<int>()},
    {"MPI_LONG", signed_name<long>()},
    {"MPI_LONG_LONG", signed_name<long long>()},
    {"MPI_LONG_LONG_INT", signed_name<long long>()},
    {"MPI_UNSIGNED_SHORT", unsigned_name<unsigned short>()},
    {"MPI_UNSIGNED", unsigned_name<unsigned>()},
    {"MPI_UNSIGNED_LONG", unsigned_name<unsigned long>()},
    {"MPI_UNSIGNED_LONG_LONG", unsigned_name<unsigned long long>()},
    {"MPI_INT8_T", "int8"},
    {"MPI_INT16_T", "int16"},
    {"MPI_INT32_T", "int32"},
    {"MPI_INT64_T", "int64"},
    {"MPI_UINT8_T", "uint8"},
    {"MPI_UINT16_T", "uint16"},
    {"MPI_UINT32_T", "uint32"},
    {"MPI_UINT64_T", "uint64"},
    {"MPI_AINT", "aint"},
    {"MPI_FLOAT", "float"},
    {"MPI_DOUBLE", "double"},
    {"MPI_LONG_DOUBLE", "long_double"},
    {"MPI_C_COMPLEX", "float_complex"},
    {"MPI_C_FLOAT_COMPLEX", "float_complex"},
    {"MPI_C_DOUBLE_COMPLEX", "double_complex"},
    {"MPI_C_LONG_DOUBLE_COMPLEX", "long_double_complex"},
    {"MPI_FLOAT_INT", "float_int"},
    {"MPI_DOUBLE_INT", "double_int"},
    {"MPI_LONG_INT", "long_int"},
    {"MPI_SHORT_INT", "short_int"},
    {"MPI_2INT", "2int"},
    {"MPI_LONG_DOUBLE_INT", "long_double_int"},
};

// C's own names are not names of the notation, because their sizes differ between machines; but people type them first.
constexpr Alias kNotNames[] = {
    {"int", signed_name<int>()},
    {"long", signed_name<long>()},
    {"short", signed_name<short>()},
    {"unsigned", unsigned_name<unsigned>()},
    {"size_t", unsigned_name<std::size_t>()},
    {"structure", "struct"},
};

char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// Letters to insert, remove or replace (Levenshtein).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (lower(a[i]) == lower(b[j]) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

}  // namespace

const layout::Named* find_type(std::string_view word) noexcept {
  for (const Alias& alias : kMpiNames)
    if (alias.word == word) word = alias.name;
  for (const layout::Named& type : layout::named_types())
    if (word == type.name) return &type;
  return nullptr;
}

std::optional<layout::Combiner> find_constructor(std::string_view word) noexcept {
  for (int i = 0; i < layout::kCombinerCount; ++i) {
    const auto combiner = static_cast<layout::Combiner>(i);
    if (combiner != layout::Combiner::kNamed && word == layout::combiner_name(combiner)) return combiner;
  }
  return std::nullopt;
}

std::optional<layout::Combiner> find_mpi_constructor(std::string_view word) noexcept {
  for (const std::string_view prefix : {"MPI_Type_create_", "MPI_Type_"})
    if (word.starts_with(prefix)) return find_constructor(word.substr(prefix.size()));
  return std::nullopt;
}

std::string_view closest(std::string_view word, std::span<const std::string_view> known) {
  constexpr std::size_t kMaxWordLength = 40;  // all known words are much shorter
  if (word.size() > kMaxWordLength) return {};
  std::string_view best;
  std::size_t least = 1 + std::max<std::size_t>(1, word.size() / 3);
  for (const std::string_view candidate : known) {
    const std::size_t apart = distance(word, candidate);
    if (apart >= least || apart >= candidate.size()) continue;
    least = apart;
    best = candidate;
  }
  return best;
}

std::string_view closest_type(std::string_view word) {
  for (const Alias& alias : kNotNames)
    if (alias.word == word) return alias.name;
  std::vector<std::string_view> known;
  for (const layout::Named& type : layout::named_types()) known.push_back(type.name);
  for (int i = 0; i < layout::kCombinerCount; ++i)
    if (const auto combiner = static_cast<layout::Combiner>(i); combiner != layout::Combiner::kNamed)
      known.push_back(layout::combiner_name(combiner));
  for (const Alias& alias : kMpiNames) known.push_back(alias.word);
  return closest(word, known);
}

}  // namespace gapless::notation
