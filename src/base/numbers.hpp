// An immutable list of 64-bit integers, stored in the fewest bytes that hold them all: 1, 2, 4 or 8 each. Copies share
// the storage, and so does a view that scales and shifts every number: a table of offsets in bytes can share the list
// of displacements in elements that a constructor was given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <vector>

namespace gapless::base {

struct NumberRange {
  std::int64_t low = 0, high = 0;
};
NumberRange range_of(std::span<const std::int64_t> values) noexcept;

class Numbers {
 public:
  Numbers() = default;
  // `narrowest`: the least bytes per number. `range`: receives the smallest and the largest number unless the list is
  // empty.
  explicit Numbers(std::span<const std::int64_t> values, int narrowest = 1, NumberRange* range = nullptr);

  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  std::int64_t operator[](std::size_t i) const noexcept { return raw(i) * scale_ + shift_; }
  std::int64_t front() const noexcept { return (*this)[0]; }
  std::int64_t back() const noexcept { return (*this)[size_ - 1]; }

  // The same list with every number n read as n * factor + plus; the caller guarantees that none overflows.
  Numbers scaled(std::int64_t factor, std::int64_t plus) const;

  // For kernels: number i is the i-th raw number, a signed integer of `width()` bytes, times scale() plus shift().
  const void* data() const noexcept { return storage_.get(); }
  int width() const noexcept { return width_; }
  std::int64_t scale() const noexcept { return scale_; }
  std::int64_t shift() const noexcept { return shift_; }

  // Calls visit(pointer to the first raw number), a pointer to one of the four types.
  template <class Visit>
  decltype(auto) with_raw(Visit visit) const {
    switch (width_) {
      case 1:
        return visit(static_cast<const std::int8_t*>(data()));
      case 2:
        return visit(static_cast<const std::int16_t*>(data()));
      case 4:
        return visit(static_cast<const std::int32_t*>(data()));
      default:
        return visit(static_cast<const std::int64_t*>(data()));
    }
  }

  std::vector<std::int64_t> to_vector() const;
  // Compares by value, whatever the widths.
  friend bool operator==(const Numbers& a, const Numbers& b) noexcept;

  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = std::int64_t;
    using difference_type = std::ptrdiff_t;
    using pointer = const std::int64_t*;
    using reference = std::int64_t;
    Iterator() = default;
    Iterator(const Numbers* of, std::size_t at) : of_(of), at_(at) {}
    std::int64_t operator*() const noexcept { return (*of_)[at_]; }
    Iterator& operator++() noexcept {
      ++at_;
      return *this;
    }
    Iterator operator++(int) noexcept { return {of_, at_++}; }
    bool operator==(const Iterator& other) const noexcept { return at_ == other.at_; }

   private:
    const Numbers* of_ = nullptr;
    std::size_t at_ = 0;
  };
  Iterator begin() const noexcept { return {this, 0}; }
  Iterator end() const noexcept { return {this, size_}; }

 private:
  std::int64_t raw(std::size_t i) const noexcept {
    switch (width_) {
      case 1:
        return static_cast<const std::int8_t*>(storage_.get())[i];
      case 2:
        return static_cast<const std::int16_t*>(storage_.get())[i];
      case 4:
        return static_cast<const std::int32_t*>(storage_.get())[i];
      default:
        return static_cast<const std::int64_t*>(storage_.get())[i];
    }
  }

  std::shared_ptr<const void> storage_;
  std::size_t size_ = 0;
  int width_ = 8;
  std::int64_t scale_ = 1, shift_ = 0;
};

}  // namespace gapless::base
