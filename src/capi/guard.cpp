#include "capi/guard.hpp"

#include <string>

#include "base/per_thread.hpp"

namespace gapless::capi {

namespace {

struct LastError {
  std::string text;
};

}  // namespace

gapless_status failed(gapless_status status, const char* text) noexcept {
  try {
    if (LastError* const last = base::PerThread<LastError>::get(); last != nullptr) last->text = text;
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
  const auto* const last = gapless::base::PerThread<gapless::capi::LastError>::get();
  return last == nullptr ? "" : last->text.c_str();
}
const char* gapless_version(void) {
  return GAPLESS_VERSION;
}
