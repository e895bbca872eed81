// The one place where exceptions become status codes.
#pragma once

#include <atomic>
#include <exception>
#include <mutex>
#include <new>
#include <string>
#include <utility>

#include "base/status.hpp"
#include "gapless/gapless.h"
#include "layout/layout.hpp"
#include "plan/plan.hpp"

struct gapless_type_s {
  gapless::layout::LayoutPtr layout;

  const gapless::plan::Plan& committed() {
    const gapless::plan::Plan* known = plan_.load(std::memory_order_acquire);
    return known != nullptr ? *known : plan_first();
  }
  // For callers that keep the plan.
  const gapless::plan::PlanPtr& plan() {
    (void)committed();
    return owned_;
  }
  // Gives a new handle a plan that exists already; call it before anything else.
  void commit_to(gapless::plan::PlanPtr plan) {
    std::call_once(planned_, [&] {
      owned_ = std::move(plan);
      plan_.store(owned_.get(), std::memory_order_release);
    });
  }
  std::uint64_t id() noexcept;

 private:
  const gapless::plan::Plan& plan_first();

  // The data path reads one pointer; std::call_once would cost it more than a short message does.
  std::atomic<const gapless::plan::Plan*> plan_{nullptr};
  std::once_flag planned_;
  gapless::plan::PlanPtr owned_;
  std::atomic<std::uint64_t> id_{0};
};

namespace gapless::capi {

gapless_status failed(gapless_status status, const char* text) noexcept;
[[noreturn]] void refuse(const char* text);

inline void require(bool condition, const char* text) {
  if (!condition) [[unlikely]]
    refuse(text);
}

// Runs `body`; an exception becomes its status and its text the thread's last error.
template <class Body>
gapless_status guard(Body body) noexcept {
  try {
    body();
    return GAPLESS_SUCCESS;
  } catch (const base::Error& error) {
    return failed(error.status() == base::Status::kOverflow ? GAPLESS_ERR_OVERFLOW : GAPLESS_ERR_ARG, error.what());
  } catch (const std::bad_alloc&) {
    return failed(GAPLESS_ERR_NO_MEM, "out of memory");
  } catch (const std::exception& error) {
    return failed(GAPLESS_ERR_ARG, error.what());
  }
}

}  // namespace gapless::capi
