// The errors of the cold paths and their texts.
#pragma once

#include <exception>
#include <string>
#include <utility>

namespace gapless::base {

enum class Status {
  kOk = 0,
  kInvalidArgument,  // an argument that no layout allows: a negative count, an index outside an array
  kOverflow,         // a size, extent or displacement that does not fit into 63 bits
  kOutOfMemory,
  kTruncated,  // the other side's buffer is too small
};

const char* status_text(Status status) noexcept;

// Thrown by base, layout, normal and plan, never on the data path. what() names the problem and the value.
class Error : public std::exception {
 public:
  Error(Status status, std::string text) : status_(status), text_(std::move(text)) {}
  Status status() const noexcept { return status_; }
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  Status status_;
  std::string text_;
};

}  // namespace gapless::base
