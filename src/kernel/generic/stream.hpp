// Writes a packed stream past the caches, in whole lines. Batches are packed into a buffer in the first-level cache and
// written from there. Batches are small so that the memory is read and written in turn, not in bursts.
#pragma once

#include "kernel/generic/bytes.hpp"

namespace gapless::kernel::generic {

// Writes whole lines, from any address to an aligned one.
template <class M>
GAPLESS_INLINE void put_lines(char* dst, const char* src, std::int64_t bytes) {
  for (std::int64_t at = 0; at < bytes; at += kLine) M::stream_line(dst + at, src + at);
}

// kBatch: bytes of a batch, at most.
template <class M, std::int64_t kBatch>
class Stream {
 public:
  explicit Stream(char* dst) : fill_(past_line(dst)), before_(fill_), out_(dst - fill_) {}

  // The buffer for the next batch: room for kBatch bytes and one more vector.
  GAPLESS_INLINE char* batch() { return buffer_ + fill_; }

  // Takes a batch that was packed: writes its whole lines out and moves the rest to the front.
  GAPLESS_INLINE void advance(std::int64_t bytes) {
    fill_ += bytes;
    const std::int64_t lines = fill_ & -kLine;
    std::int64_t at = 0;
    if (before_ != 0 && lines != 0) [[unlikely]] {
      copy_any(out_ + before_, buffer_ + before_, kLine - before_);
      before_ = 0;
      at = kLine;
    }
    for (; at < lines; at += kLine) M::stream_line(out_ + at, buffer_ + at);
    copy<kLine>(buffer_, buffer_ + lines);
    out_ += lines;
    fill_ -= lines;
  }

  // Appends a run that is longer than a batch.
  void append(const char* src, std::int64_t bytes) {
    const std::int64_t head = least((kLine - fill_) % kLine, bytes);
    copy_any(batch(), src, head);
    advance(head);
    if (fill_ != 0) return;
    const std::int64_t lines = (bytes - head) & -kLine;
    put_lines<M>(out_, src + head, lines);
    out_ += lines;
    fill_ = bytes - head - lines;
    copy_any(buffer_, src + head + lines, fill_);
  }

  void finish() {
    copy_any(out_ + before_, buffer_ + before_, fill_ - before_);
    M::fence();
  }

 private:
  alignas(kLine) char buffer_[kBatch + 3 * kLine];
  std::int64_t fill_;    // [bytes] in the buffer; less than a line between batches
  std::int64_t before_;  // [bytes] of the first line that lie before the stream
  char* out_;            // where the buffer's first byte goes, on a line
};

// Writes one run into user memory: whole lines past the caches; the two ends, in lines that others may share, through
// them.
template <class M>
void stream_run(char* dst, const char* src, std::int64_t bytes) {
  const std::int64_t head = least((kLine - past_line(dst)) % kLine, bytes);
  const std::int64_t lines = (bytes - head) & -kLine;
  if (head != 0) copy_any(dst, src, head);
  put_lines<M>(dst + head, src + head, lines);
  if (const std::int64_t tail = bytes - head - lines; tail != 0) copy_any(dst + head + lines, src + head + lines, tail);
}

template <class M>
void stream_lines(char* dst, const char* src, std::int64_t bytes) noexcept {
  put_lines<M>(dst, src, bytes);
}

template <class M>
void fence() noexcept {
  M::fence();
}

template <class M>
void far_copy(char* dst, const char* src, std::int64_t bytes) noexcept {
  stream_run<M>(dst, src, bytes);
  M::fence();
}

}  // namespace gapless::kernel::generic
