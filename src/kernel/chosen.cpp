// Chooses the set of kernels for this process, and the kernel of a set for a length. Cold: plans keep the result.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "base/settings.hpp"
#include "kernel/isa.hpp"
#include "kernel/processor.hpp"
#include "kernel/sets.hpp"

namespace gapless::kernel {
namespace {

// The kernel for a block; the search cannot fail, because tables end with a kernel for any block.
const NestKernel& find(std::span<const NestKernel> table, std::int64_t block) noexcept {
  for (const NestKernel& kernel : table)
    if (kernel.block == block) return kernel;
  return table.back();
}

bool copies_strings() noexcept {
#if defined(__x86_64__)
  return processor().copies_strings;
#else
  return false;
#endif
}

std::vector<const Set*> runnable() {
  std::vector<const Set*> sets{&baseline::kSet};
#if defined(__x86_64__)
  const Processor here = processor();
  if (here.avx2) sets.push_back(&avx2::kSet);
  if (here.avx512) sets.push_back(&avx512::kSet);
#elif defined(__aarch64__)
  sets.push_back(&neon::kSet);
#endif
  return sets;
}

}  // namespace

const bool kCopiesStrings = copies_strings();

// None of these lists is destroyed: destructors of the program's static objects still pack.
std::span<const Set* const> available() noexcept {
  static const auto& sets = *new std::vector<const Set*>(runnable());
  return sets;
}

const Set& chosen() noexcept {
  static const Set& set = []() -> const Set& {
    if (const char* const wish = base::setting_text("GAPLESS_ISA"); wish != nullptr) {
      for (const Set* one : available())
        if (std::strcmp(wish, one->name) == 0) return *one;
      base::refuse_setting("GAPLESS_ISA", isa_names());
    }
    return *available().back();
  }();
  return set;
}

std::span<const char* const> isa_names() noexcept {
  static const auto& names = *new std::vector<const char*>([] {
    std::vector<const char*> all;
    for (const Set* set : available()) all.push_back(set->name);
    return all;
  }());
  return names;
}

const char* isa_name() noexcept {
  return chosen().name;
}

std::span<const char* const> kernel_names() noexcept {
  static const auto& names = *new std::vector<const char*>([] {
    std::vector<const char*> all;
    const auto add = [&](const auto& table) {
      for (const auto& kernel : table)
        if (std::none_of(all.begin(), all.end(), [&](const char* name) { return std::strcmp(name, kernel.name) == 0; }))
          all.push_back(kernel.name);
    };
    add(chosen().nests);
    add(chosen().transposes);
    add(chosen().listed);
    add(chosen().runs);
    all.push_back(chosen().pattern.name);
    return all;
  }());
  return names;
}

const NestKernel& nest_for(const Set& set, std::int64_t block) noexcept {
  const NestKernel& own = find(set.nests, block);
  // By the number of vectors of 16 bytes, which stands for a range of lengths.
  return own.block == 0 && block > 16 && block <= 256 ? find(set.nests, -((block + 15) / 16)) : own;
}

const NestKernel* transpose_for(const Set& set, std::int64_t block) noexcept {
  for (const NestKernel& kernel : set.transposes)
    if (kernel.block == block) return &kernel;
  return nullptr;
}

const SquareKernel* square_for(const Set& set, std::int64_t block) noexcept {
  for (const SquareKernel& kernel : set.squares)
    if (kernel.block == block) return &kernel;
  return nullptr;
}

const PairedKernel& paired_for(const Set& set, std::int64_t block) noexcept {
  for (const PairedKernel& kernel : set.paired)
    if (kernel.block == block) return kernel;
  return set.paired.back();
}

const ListedKernel& listed_for(const Set& set, std::int64_t block, int offset_width) noexcept {
  const ListedKernel* any = nullptr;
  for (const ListedKernel& kernel : set.listed) {
    if (kernel.offset_width != offset_width) continue;
    if (kernel.block == block) return kernel;
    any = &kernel;
  }
  return *any;
}

const RunsKernel& runs_for(const Set& set, int offset_width, int length_width) noexcept {
  for (const RunsKernel& kernel : set.runs)
    if (kernel.offset_width == offset_width && kernel.length_width == length_width) return kernel;
  return set.runs.back();
}

}  // namespace gapless::kernel
