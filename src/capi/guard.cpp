#include "capi/guard.hpp"

namespace gapless::capi {

std::string& last_error() noexcept {
  thread_local std::string text;
  return text;
}

gapless_status failed(gapless_status status, const char* text) noexcept {
  try {
    last_error() = text;
  } catch (...) {  // no memory for the text: the status still tells
  }
  return status;
}

void refuse(const char* text) {
  throw base::Error(base::Status::kInvalidArgument, text);
}

}  // namespace gapless::capi

const gapless::plan::Plan& gapless_type_s::plan_first() {
  std::call_once(planned_, [this] {
    owned_ = gapless::plan::compile(*layout);
    plan_.store(owned_.get(), std::memory_order_release);
  });
  return *owned_;
}

const char* gapless_last_error(void) {
  return gapless::capi::last_error().c_str();
}
const char* gapless_version(void) {
  return GAPLESS_VERSION;
}
