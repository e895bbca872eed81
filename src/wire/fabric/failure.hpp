// What goes wrong between processes of different nodes, and how the caller is told.
#pragma once

#include <exception>
#include <string>
#include <utility>

namespace gapless::wire::fabric {

// The numbers are those of GAPLESS_Channel_status (gapless_channel.h).
enum class Fault : int {
  kNone = 0,
  kArgument = 1,
  kOverflow = 2,
  kNoMemory = 3,
  kTimeout = 16,
  kPeer = 17,
  kTruncated = 18,
  kSecret = 19,
  kFabric = 20,
};

// Thrown while a channel is opened, closed or asked for something that it cannot do. what() says what, where and what
// to do.
class Failure : public std::exception {
 public:
  Failure(Fault fault, std::string text) : fault_(fault), text_(std::move(text)) {}
  Fault fault() const noexcept { return fault_; }
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  Fault fault_;
  std::string text_;
};

}  // namespace gapless::wire::fabric
