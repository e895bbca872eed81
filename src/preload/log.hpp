// GAPLESS_LOG: a line for each decision. GAPLESS_LOG=1 writes to standard error, GAPLESS_LOG=FILE appends to a file.
#pragma once

namespace gapless::preload {

class Side;

extern int log_file;  // descriptor, or -1; set once, before the first wrapped call
inline bool logging() noexcept {
  return log_file >= 0;
}
void open_log() noexcept;
void log_decision(const Side& side) noexcept;

}  // namespace gapless::preload
