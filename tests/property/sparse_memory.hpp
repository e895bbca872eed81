// Memory in which a message lies, and of which nothing but the pages that hold a byte of it can be touched: a kernel
// that reads or writes one page too far, behind a block or in a gap, ends the test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace gapless::test {

class SparseMemory {
 public:
  // `displacements`: of every byte of the message, at least one. `anchor` is the displacement that lies `in_page`
  // bytes behind the start of a page.
  SparseMemory(const std::vector<std::int64_t>& displacements, std::int64_t anchor, std::int64_t in_page);
  ~SparseMemory();
  SparseMemory(const SparseMemory&) = delete;
  SparseMemory& operator=(const SparseMemory&) = delete;

  static std::int64_t page_bytes();

  // The address of displacement 0, which itself need not be in this memory.
  std::byte* origin() const;
  // Whole pages between the first and the last byte that cannot be touched.
  std::int64_t holes() const { return holes_; }
  void fill(std::byte value);
  // With the address sanitizer, which else knows nothing of this memory: no unit of so many bytes (8 or 64, aligned)
  // that holds no byte of the message may be touched, until open_units(). Otherwise nothing.
  void shut_units(std::int64_t unit_bytes);
  void open_units();
  // The displacement of the first byte that differs from `other`, of the same message in the same place; or
  // kNone. Gaps in the pages are compared too.
  static constexpr std::int64_t kNone = INT64_MIN;
  std::int64_t first_difference(const SparseMemory& other) const;

 private:
  std::byte* base_ = nullptr;
  std::size_t bytes_ = 0;
  std::int64_t first_ = 0;  // displacement of base_
  std::int64_t holes_ = 0;
  std::vector<std::pair<std::size_t, std::size_t>> open_;  // offset and bytes of what can be touched
  std::vector<bool> words_;                                // of 8 bytes: whether it holds a byte of the message
};

}  // namespace gapless::test
