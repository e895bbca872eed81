// Writing a packed stream past the caches, in whole lines. Batches are packed into a buffer that stays in the first
// cache, and what the batch before left there is written out meanwhile: a line that is read back at once would wait for
// the narrower stores that made it.
#pragma once

#include "kernel/generic/bytes.hpp"

namespace gapless::kernel::generic {

// Whole lines, from anywhere to an aligned place.
template <class M>
GAPLESS_INLINE void stream_lines(char* dst, const char* src, std::int64_t bytes) {
  for (std::int64_t at = 0; at < bytes; at += kLine) M::stream_line(dst + at, src + at);
}

// kBatch: bytes of a batch, at most.
template <class M, std::int64_t kBatch>
class Stream {
 public:
  explicit Stream(char* dst) : fill_(past_line(dst)), before_(fill_), out_(dst - fill_) {}

  // Where the next batch goes: room for kBatch bytes and a vector more.
  GAPLESS_INLINE char* batch() { return buffer_ + fill_; }

  // The batch is there. The ones before are written out.
  void advance(std::int64_t bytes) {
    write_out();
    fill_ += bytes;
    if (fill_ > kBytes) {
      write_out();
      rewind();
    }
  }

  // A run that is longer than a batch.
  void append(const char* src, std::int64_t bytes) {
    const std::int64_t head = least((kLine - fill_ % kLine) % kLine, bytes);
    copy_any(batch(), src, head);
    fill_ += head;
    if (fill_ % kLine != 0) return;
    write_out();
    rewind();
    const std::int64_t lines = (bytes - head) & -kLine;
    stream_lines<M>(out_, src + head, lines);
    out_ += lines;
    fill_ = bytes - head - lines;
    copy_any(buffer_, src + head + lines, fill_);
  }

  void finish() {
    write_out();
    copy_any(out_ + done_ + before_, buffer_ + done_ + before_, fill_ - done_ - before_);
    M::fence();
  }

 private:
  static constexpr std::int64_t kBytes = 8 * kBatch;

  void write_out() {
    const std::int64_t lines = fill_ & -kLine;
    if (before_ != 0 && lines != 0) {
      copy_any(out_ + before_, buffer_ + before_, kLine - before_);
      done_ = kLine;
      before_ = 0;
    }
    for (; done_ < lines; done_ += kLine) M::stream_line(out_ + done_, buffer_ + done_);
  }

  // What is left, less than a line, goes to the front.
  void rewind() {
    copy<kLine>(buffer_, buffer_ + done_);
    out_ += done_;
    fill_ -= done_;
    done_ = 0;
  }

  alignas(kLine) char buffer_[kBytes + kBatch + 2 * kLine];
  std::int64_t fill_;      // [bytes] in the buffer
  std::int64_t done_ = 0;  // [bytes] of them written out
  std::int64_t before_;    // [bytes] of the first line that belong to what lies before the stream
  char* out_;              // where the buffer's first byte goes, on a line
};

// One run into user memory: whole lines past the caches, the two ends, which others may share, through them.
template <class M>
void stream_run(char* dst, const char* src, std::int64_t bytes) {
  const std::int64_t head = least((kLine - past_line(dst)) % kLine, bytes);
  const std::int64_t lines = (bytes - head) & -kLine;
  if (head != 0) copy_any(dst, src, head);
  stream_lines<M>(dst + head, src + head, lines);
  if (const std::int64_t tail = bytes - head - lines; tail != 0) copy_any(dst + head + lines, src + head + lines, tail);
}

template <class M>
void far_copy(char* dst, const char* src, std::int64_t bytes) noexcept {
  stream_run<M>(dst, src, bytes);
  M::fence();
}

}  // namespace gapless::kernel::generic
