#include "channel/transfer.hpp"

namespace gapless::channel {

gapless_iov Runs::rest() {
  if (position_ >= bytes_) return {nullptr, 0};
  while (next_ < entries_ && taken_ >= batch_[static_cast<std::size_t>(next_)].length) {
    taken_ -= batch_[static_cast<std::size_t>(next_)].length;
    ++next_;
  }
  if (next_ == entries_) {
    std::int64_t bytes = 0;
    must(gapless_iov_export(base_, count_, type_, position_, batch_.data(), kBatch, &entries_, &bytes));
    next_ = taken_ = 0;
    if (entries_ == 0) return {nullptr, 0};
  }
  gapless_iov run = batch_[static_cast<std::size_t>(next_)];
  run.base = static_cast<char*>(run.base) + taken_;
  run.length -= taken_;
  // The message may be shorter than its type.
  if (run.length > bytes_ - position_) run.length = bytes_ - position_;
  return run;
}

}  // namespace gapless::channel
