// A long run over numbered cases on several threads, that shows where it is and can be interrupted and resumed.
#pragma once

#include <cstdint>
#include <functional>

namespace gapless::test {

// Calls work(thread, i) for every i in [from, to), i ascending, on `threads` threads; a thread whose work returns false
// takes no more. On a terminal, a line on stderr says how far it is. Ctrl-C: cases begun are finished, no others are
// begun, and the line says with which --from to resume. Returns the first number that was not begun.
std::int64_t numbered_run(std::int64_t from, std::int64_t to, unsigned threads,
                          const std::function<bool(unsigned thread, std::int64_t i)>& work);

}  // namespace gapless::test
