// Where the bytes of a message lie: as a type for the channel, and as runs that follow from the job's loops alone, so
// that what arrives is judged by arithmetic and not by the engine that moved it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gapless/gapless.h"
#include "payload.hpp"

namespace gapless::lab::fabric {

struct Loop {
  std::int64_t count, stride_bytes;
};

class Layout {
 public:
  // `loops`, outermost first, around a run of so many bytes. Throws what is wrong with the text.
  Layout(const std::string& text, const std::vector<Loop>& loops, std::int64_t run_bytes);
  ~Layout();
  Layout(const Layout&) = delete;
  Layout& operator=(const Layout&) = delete;

  gapless_type type() const { return type_; }
  std::int64_t bytes() const { return places_.bytes(); }
  std::int64_t span() const { return span_; }
  std::int64_t runs() const { return static_cast<std::int64_t>(runs_.size()); }
  void write(char* memory, int rank, std::uint32_t version) const { places_.write(memory, rank, version); }
  // An empty text, or which byte of the memory, that was `gap` everywhere before, is not what such a message makes it.
  std::string wrong(const char* memory, int rank, std::uint32_t version, char gap) const;

 private:
  static std::vector<ByteRun> expand(const std::vector<Loop>& loops, std::int64_t run_bytes);

  std::vector<ByteRun> runs_;
  PayloadPlaces places_;
  std::int64_t span_ = 0;
  gapless_type type_ = nullptr;
};

}  // namespace gapless::lab::fabric
