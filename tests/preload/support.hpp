// What the programs under the layer share: a check that fails the whole run, and a view on the layer from inside.
#pragma once

#include <dlfcn.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "gapless/gapless_layer.h"

#define CHECK(condition, ...)                                                      \
  do {                                                                             \
    if (!(condition)) {                                                            \
      std::fprintf(stderr, "%s:%d: failed: %s: ", __FILE__, __LINE__, #condition); \
      std::fprintf(stderr, "" __VA_ARGS__);                                        \
      std::fprintf(stderr, "\n");                                                  \
      std::fflush(stderr);                                                         \
      std::_Exit(1);                                                               \
    }                                                                              \
  } while (0)

namespace test {

// The layer as a program finds it that is not linked with it.
class Layer {
 public:
  Layer()
      : switch_(reinterpret_cast<int (*)(int)>(dlsym(RTLD_DEFAULT, "GAPLESS_Switch"))),
        switch_collectives_(reinterpret_cast<int (*)(int)>(dlsym(RTLD_DEFAULT, "GAPLESS_Switch_collectives"))),
        count_(reinterpret_cast<int (*)(const char*, GAPLESS_Counters*)>(dlsym(RTLD_DEFAULT, "GAPLESS_Count"))) {}
  bool present() const { return switch_ != nullptr; }
  int set(bool on) const { return switch_(on ? 1 : 0); }
  // Whether it has anything to do with collectives; if not, the switch does nothing.
  bool has_collectives() const { return switch_collectives_ != nullptr; }
  // The same on every process, between the same collectives.
  int set_collectives(bool on) const { return has_collectives() ? switch_collectives_(on ? 1 : 0) : 0; }
  bool counts() const {
    GAPLESS_Counters counters;
    return count_ != nullptr && count_("MPI_Send", &counters) == 0;
  }
  GAPLESS_Counters count(const char* procedure) const {
    GAPLESS_Counters counters{};
    CHECK(count_(procedure, &counters) == 0, "%s is not counted", procedure);
    return counters;
  }
  long long accelerated(const char* procedure) const { return count(procedure).accelerated; }
  long long paired(const char* procedure) const { return count(procedure).paired; }

 private:
  int (*switch_)(int);
  int (*switch_collectives_)(int);
  int (*count_)(const char*, GAPLESS_Counters*);
};

inline Layer layer() {
  Layer the;
  CHECK(the.present(), "the layer is not under this program");
  return the;
}

// So that a test which expects errors can look at their classes.
// By a word of its version.
inline bool library_is(const char* word) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int bytes;
  MPI_Get_library_version(version, &bytes);
  return std::strstr(version, word) != nullptr;
}

inline int error_class(int code) {
  int result = MPI_SUCCESS;
  MPI_Error_class(code, &result);
  return result;
}

}  // namespace test
