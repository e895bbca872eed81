// Loading libfabric leaves the signals of a program as they were.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <string>

TEST(Signals, AreNotTakenOver) {
  for (int number = 1; number < SIGRTMIN; ++number) {
    struct sigaction now;
    Dl_info from;
    if (sigaction(number, nullptr, &now) != 0 || now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN) continue;
    // A sanitizer has its own.
    const bool is_known = dladdr(reinterpret_cast<void*>(now.sa_handler), &from) != 0 && from.dli_fname != nullptr;
    EXPECT_FALSE(is_known && std::string(from.dli_fname).find("infinipath") != std::string::npos) << strsignal(number);
  }
}
