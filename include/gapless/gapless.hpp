/// @file
/// The engine's C interface, gapless.h, for C++20: types as values, errors as exceptions, lists as spans.
///
///     using gapless::Type;
///     const Type column = Type::vector(1000, 1, 1000, Type::of<double>());
///     gapless::pack(matrix, 1, column, buffer);
///
/// Header only; link libgapless. What a function does is said where its C namesake is declared. Each throws
/// gapless::Error where that returns a status, with the text of gapless_last_error(), and changes nothing then.
#ifndef GAPLESS_GAPLESS_HPP
#define GAPLESS_GAPLESS_HPP

#include <gapless/gapless.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace gapless {

/// What went wrong: the status of a C function and its text.
class Error : public std::runtime_error {
 public:
  /// Made by check().
  Error(gapless_status status, const std::string& text) : std::runtime_error(text), status_(status) {}
  /// The status that the C function returned.
  gapless_status status() const noexcept { return status_; }

 private:
  gapless_status status_;
};

/// Throws what a C function's status says, if it says anything.
inline void check(gapless_status status) {
  if (status != GAPLESS_SUCCESS) throw Error(status, gapless_last_error());
}

/// An argument that is a list: a std::vector, a std::array, any other contiguous range, or {1, 2, 3} within the call.
template <class T>
struct List : std::span<const T> {
  using std::span<const T>::span;
  /// No elements.
  List() = default;
  /// The elements live as long as the call.
  List(std::initializer_list<T> elements) noexcept : std::span<const T>(elements.begin(), elements.size()) {}
  /// The length, as the C functions take it.
  std::int64_t count() const noexcept { return static_cast<std::int64_t>(this->size()); }
};
/// Counts, lengths and displacements.
using Numbers = List<std::int64_t>;

/// A datatype: an immutable value. Copies share it, also between threads; one that was moved from is fit for nothing
/// but to be assigned to. Constructors take their arguments in MPI's order, the old type last.
class Type {
 public:
  /// Takes over a handle of the C interface.
  explicit Type(gapless_type handle) : handle_(handle, [](gapless_type owned) { gapless_type_free(&owned); }) {}
  /// The handle, for the C interface; it stays this object's.
  gapless_type get() const noexcept { return handle_.get(); }

  /// The named type of an arithmetic C++ type, of std::complex of one, or of std::byte.
  template <class T>
  static Type of() {
    return named(name_of<T>().c_str());
  }
  /// gapless_type_named()
  static Type named(const char* name) { return made(gapless_type_named, name); }
  /// gapless_type_deserialise()
  static Type deserialise(std::span<const std::byte> bytes) {
    return made(gapless_type_deserialise, bytes.data(), bytes.size());
  }
  /// gapless_type_parse()
  static Type parse(const std::string& text) { return made(gapless_type_parse, text.c_str()); }

  /// gapless_type_contiguous()
  static Type contiguous(std::int64_t count, const Type& old) {
    return made(gapless_type_contiguous, count, old.get());
  }
  /// gapless_type_vector()
  static Type vector(std::int64_t count, std::int64_t blocklength, std::int64_t stride, const Type& old) {
    return made(gapless_type_vector, count, blocklength, stride, old.get());
  }
  /// gapless_type_hvector()
  static Type hvector(std::int64_t count, std::int64_t blocklength, std::int64_t stride_bytes, const Type& old) {
    return made(gapless_type_hvector, count, blocklength, stride_bytes, old.get());
  }
  /// gapless_type_indexed()
  static Type indexed(Numbers blocklengths, Numbers displacements, const Type& old) {
    agree(blocklengths.count(), displacements.count(), "blocklengths", "displacements");
    return made(gapless_type_indexed, blocklengths.count(), blocklengths.data(), displacements.data(), old.get());
  }
  /// gapless_type_hindexed()
  static Type hindexed(Numbers blocklengths, Numbers displacements_bytes, const Type& old) {
    agree(blocklengths.count(), displacements_bytes.count(), "blocklengths", "displacements");
    return made(gapless_type_hindexed, blocklengths.count(), blocklengths.data(), displacements_bytes.data(),
                old.get());
  }
  /// gapless_type_indexed_block()
  static Type indexed_block(std::int64_t blocklength, Numbers displacements, const Type& old) {
    return made(gapless_type_indexed_block, displacements.count(), blocklength, displacements.data(), old.get());
  }
  /// gapless_type_hindexed_block()
  static Type hindexed_block(std::int64_t blocklength, Numbers displacements_bytes, const Type& old) {
    return made(gapless_type_hindexed_block, displacements_bytes.count(), blocklength, displacements_bytes.data(),
                old.get());
  }
  /// gapless_type_struct(), whose name C++ keeps for itself
  static Type structure(Numbers blocklengths, Numbers displacements_bytes, List<Type> types) {
    agree(blocklengths.count(), displacements_bytes.count(), "blocklengths", "displacements");
    agree(blocklengths.count(), types.count(), "blocklengths", "types");
    std::vector<gapless_type> handles;
    handles.reserve(types.size());
    for (const Type& type : types) handles.push_back(type.get());
    return made(gapless_type_struct, blocklengths.count(), blocklengths.data(), displacements_bytes.data(),
                handles.data());
  }
  /// gapless_type_subarray()
  static Type subarray(Numbers sizes, Numbers subsizes, Numbers starts, gapless_order order, const Type& old) {
    agree(sizes.count(), subsizes.count(), "sizes", "subsizes");
    agree(sizes.count(), starts.count(), "sizes", "starts");
    return made(gapless_type_subarray, static_cast<int>(sizes.count()), sizes.data(), subsizes.data(), starts.data(),
                order, old.get());
  }
  /// gapless_type_darray()
  static Type darray(std::int64_t process_count, std::int64_t rank, Numbers sizes,
                     List<gapless_distribution> distributions, Numbers arguments, Numbers grid, gapless_order order,
                     const Type& old) {
    agree(sizes.count(), distributions.count(), "sizes", "distributions");
    agree(sizes.count(), arguments.count(), "sizes", "arguments");
    agree(sizes.count(), grid.count(), "sizes", "numbers of processes");
    return made(gapless_type_darray, process_count, rank, static_cast<int>(sizes.count()), sizes.data(),
                distributions.data(), arguments.data(), grid.data(), order, old.get());
  }
  /// gapless_type_bounded_vector()
  static Type bounded_vector(std::int64_t bound, std::int64_t blocklength, std::int64_t stride, const Type& old) {
    return made(gapless_type_bounded_vector, bound, blocklength, stride, old.get());
  }
  /// gapless_type_circular_vector()
  static Type circular_vector(std::int64_t total, std::int64_t start, std::int64_t bound, std::int64_t blocklength,
                              std::int64_t stride, const Type& old) {
    return made(gapless_type_circular_vector, total, start, bound, blocklength, stride, old.get());
  }
  /// gapless_type_bucket()
  static Type bucket(std::int64_t stride, Numbers counts, const Type& old) {
    return made(gapless_type_bucket, counts.count(), stride, counts.data(), old.get());
  }
  /// gapless_type_resized()
  static Type resized(std::int64_t lower_bound, std::int64_t extent, const Type& old) {
    return made(gapless_type_resized, lower_bound, extent, old.get());
  }
  /// gapless_type_signature()
  Type signature() const { return made(gapless_type_signature, get()); }

  /// The bytes of data in one element.
  std::int64_t size() const { return number(gapless_type_size); }
  /// Where the next element begins, from the beginning of this one [bytes].
  std::int64_t extent() const { return bounds(gapless_type_extent).extent; }
  /// Where an element begins [bytes].
  std::int64_t lower_bound() const { return bounds(gapless_type_extent).lower_bound; }
  /// From the first byte of data to the last [bytes].
  std::int64_t true_extent() const { return bounds(gapless_type_true_extent).extent; }
  /// Where the first byte of data lies [bytes].
  std::int64_t true_lower_bound() const { return bounds(gapless_type_true_extent).lower_bound; }
  /// gapless_signature_hash()
  std::uint64_t signature_hash(std::int64_t count = 1) const {
    std::uint64_t hash = 0;
    check(gapless_signature_hash(get(), count, &hash));
    return hash;
  }

  /// The type as text, which parse() reads: gapless_type_print()
  std::string text() const {
    return written([&](char* buffer, std::size_t capacity, std::size_t* needed) {
      return gapless_type_print(get(), buffer, capacity, needed);
    });
  }
  /// A JSON document on so many of it: gapless_type_explain()
  std::string explain(std::int64_t count = 1) const {
    return written([&](char* buffer, std::size_t capacity, std::size_t* needed) {
      return gapless_type_explain(get(), count, buffer, capacity, needed);
    });
  }
  /// The layout as bytes, which deserialise() reads: gapless_type_serialise()
  std::vector<std::byte> serialise() const {
    std::size_t needed = 0;
    check(gapless_type_serialise(get(), nullptr, 0, &needed));
    std::vector<std::byte> bytes(needed);
    check(gapless_type_serialise(get(), bytes.data(), bytes.size(), &needed));
    return bytes;
  }
  /// gapless_type_commit()
  void commit() const { check(gapless_type_commit(get())); }

 private:
  struct Bounds {
    std::int64_t lower_bound, extent;
  };

  template <class Function, class... Arguments>
  static Type made(Function function, Arguments... arguments) {
    gapless_type handle = nullptr;
    check(function(arguments..., &handle));
    return Type(handle);
  }
  std::int64_t number(gapless_status (*function)(gapless_type, std::int64_t*)) const {
    std::int64_t value = 0;
    check(function(get(), &value));
    return value;
  }
  Bounds bounds(gapless_status (*function)(gapless_type, std::int64_t*, std::int64_t*)) const {
    Bounds found{};
    check(function(get(), &found.lower_bound, &found.extent));
    return found;
  }
  template <class Write>
  static std::string written(Write write) {
    std::string text(4096, '\0');
    std::size_t needed = 0;
    check(write(text.data(), text.size(), &needed));
    if (needed > text.size()) {
      text.resize(needed);
      check(write(text.data(), text.size(), &needed));
    }
    text.resize(needed - 1);
    return text;
  }
  static void agree(std::int64_t count, std::int64_t other_count, const char* name, const char* other_name) {
    if (count != other_count)
      throw Error(GAPLESS_ERR_ARG, "as many " + std::string(other_name) + " as " + name + " are needed: " +
                                       std::to_string(count) + ", not " + std::to_string(other_count));
  }
  template <class T>
  static std::string name_of();

  std::shared_ptr<gapless_type_s> handle_;
};

/// gapless_pack(): as many bytes as fit into `packed`, from `position` of the message on. Returns how many there were.
inline std::int64_t pack(const void* buffer, std::int64_t count, const Type& type, std::span<std::byte> packed,
                         std::int64_t position = 0) {
  std::int64_t moved = 0;
  check(gapless_pack(buffer, count, type.get(), position, packed.data(), static_cast<std::int64_t>(packed.size()),
                     &moved));
  return moved;
}

/// gapless_unpack(): the bytes at `packed`, which are those from `position` of the message on. Returns how many of them
/// belong to it.
inline std::int64_t unpack(std::span<const std::byte> packed, void* buffer, std::int64_t count, const Type& type,
                           std::int64_t position = 0) {
  std::int64_t moved = 0;
  check(gapless_unpack(packed.data(), static_cast<std::int64_t>(packed.size()), position, buffer, count, type.get(),
                       &moved));
  return moved;
}

/// gapless_copy(): `budget` bytes at most from `position` of both messages on. Returns how many there were.
inline std::int64_t copy(const void* source, std::int64_t source_count, const Type& source_type, void* destination,
                         std::int64_t destination_count, const Type& destination_type, std::int64_t position = 0,
                         std::int64_t budget = std::numeric_limits<std::int64_t>::max()) {
  std::int64_t moved = 0;
  check(gapless_copy(source, source_count, source_type.get(), destination, destination_count, destination_type.get(),
                     position, budget, &moved));
  return moved;
}

/// Some runs of a message, and how many bytes they have.
struct Runs {
  std::span<const gapless_iov> runs;  ///< in type-map order
  std::int64_t bytes;                 ///< the next call goes on so many further
};

/// gapless_iov_export(): as many runs as there is `room` for, from `position` of the message on.
inline Runs iov_export(const void* buffer, std::int64_t count, const Type& type, std::span<gapless_iov> room,
                       std::int64_t position = 0) {
  std::int64_t entries = 0, bytes = 0;
  check(gapless_iov_export(buffer, count, type.get(), position, room.data(), static_cast<std::int64_t>(room.size()),
                           &entries, &bytes));
  return {room.first(static_cast<std::size_t>(entries)), bytes};
}

/// gapless_layout_equal()
inline bool layout_equal(const Type& a, const Type& b) {
  int equal = 0;
  check(gapless_layout_equal(a.get(), b.get(), &equal));
  return equal != 0;
}

/// gapless_message_equal()
inline bool message_equal(std::int64_t count_a, const Type& a, std::int64_t count_b, const Type& b) {
  int equal = 0;
  check(gapless_message_equal(count_a, a.get(), count_b, b.get(), &equal));
  return equal != 0;
}

/// gapless_signature_equal()
inline bool signature_equal(const Type& a, std::int64_t count_a, const Type& b, std::int64_t count_b) {
  int equal = 0;
  check(gapless_signature_equal(a.get(), count_a, b.get(), count_b, &equal));
  return equal != 0;
}

template <class T>
std::string Type::name_of() {
  using std::is_same_v;
  if constexpr (is_same_v<T, std::byte>) return "byte";
  if constexpr (is_same_v<T, bool>) return "bool";
  if constexpr (is_same_v<T, char>) return "char";
  if constexpr (is_same_v<T, wchar_t>) return "wchar";
  if constexpr (is_same_v<T, float>) return "float";
  if constexpr (is_same_v<T, double>) return "double";
  if constexpr (is_same_v<T, long double>) return "long_double";
  if constexpr (is_same_v<T, std::complex<float>>) return "float_complex";
  if constexpr (is_same_v<T, std::complex<double>>) return "double_complex";
  if constexpr (is_same_v<T, std::complex<long double>>) return "long_double_complex";
  static_assert(std::is_integral_v<T> || std::is_floating_point_v<T> || is_same_v<T, std::byte> ||
                    is_same_v<T, std::complex<float>> || is_same_v<T, std::complex<double>> ||
                    is_same_v<T, std::complex<long double>>,
                "of<T>(): T is no basic type; describe a class member by member, with structure()");
  return (std::is_signed_v<T> ? "int" : "uint") + std::to_string(8 * sizeof(T));
}

}  // namespace gapless

#endif
