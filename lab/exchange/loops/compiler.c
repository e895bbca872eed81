// What compiled the loops.
#include "loops.h"

#ifdef __clang__
#define GAPLESS_LOOPS_VERSION __VERSION__
#elif defined(__GNUC__)
#define GAPLESS_LOOPS_VERSION "gcc " __VERSION__
#else
#define GAPLESS_LOOPS_VERSION "unknown"
#endif

const char* LOOPS(compiler)(void) {
  return GAPLESS_LOOPS_VERSION;
}
