// Allocations, locks and exceptions of one thread, counted where they are called: libgapless_watched_calls.so, linked
// before the C library, answers to their names. A call is Gapless's if the innermost object on its stack that is
// neither this library nor a C or C++ runtime is one of libgapless*. What it does is unchanged.
#pragma once

namespace gapless::test {

struct WatchedCalls {
  int ours;    // by Gapless
  int others;  // by anybody else
};

// From here on this thread's calls are counted. To be called once before it matters: the first call of all loads what
// unwinding needs.
void watch_calls() noexcept;
// Ends it. The first few of Gapless's calls are kept for print_watched_calls().
WatchedCalls end_watch() noexcept;
// Writes what was called from where to stderr: object and offset of each frame, as addr2line reads them.
void print_watched_calls() noexcept;

}  // namespace gapless::test
