// Debian's libfabric is linked with libinfinipath (for psm), which takes over SIGINT, SIGTERM and the signals of faults
// when it is loaded: an interrupted program would end silently, with status 1. It is loaded before this, so what it
// has taken over is given back here. Who loads this library later and had handlers of its own sets them again.
#include <dlfcn.h>
#include <signal.h>

#include <cstring>

namespace {

__attribute__((constructor)) void give_signals_back() {
  for (int number = 1; number < SIGRTMIN; ++number) {
    struct sigaction now;
    Dl_info from;
    if (sigaction(number, nullptr, &now) != 0 || now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN) continue;
    if (dladdr(reinterpret_cast<void*>(now.sa_handler), &from) == 0 || from.dli_fname == nullptr ||
        std::strstr(from.dli_fname, "libinfinipath") == nullptr)
      continue;
    signal(number, SIG_DFL);
  }
}

}  // namespace
