#include "base/status.hpp"

namespace gapless::base {

const char* status_text(Status status) noexcept {
  switch (status) {
    case Status::kOk:
      return "success";
    case Status::kInvalidArgument:
      return "invalid argument";
    case Status::kOverflow:
      return "a size or displacement does not fit into 64 bits";
    case Status::kOutOfMemory:
      return "out of memory";
    case Status::kTruncated:
      return "the buffer is too small";
  }
  return "unknown status";
}

}  // namespace gapless::base
