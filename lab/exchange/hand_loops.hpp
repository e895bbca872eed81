// The loops of applications, by kernel and compiler (loops/loops.h).
#pragma once

#include "loops/loops.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gapless::lab::exchange {

// By whom they were compiled.
enum class LoopsBy { kC, kClang, kFortran };

// What the job file says of a message's loops.
struct LoopsSpec {
  std::string kernel;  // empty: it has none
  std::vector<int> sizes;
  std::vector<int> list;
};

struct LoopsKernel {
  struct Functions {
    gapless_loops_pack* pack = nullptr;  // none: this build has no such compiler
    gapless_loops_unpack* unpack = nullptr;
  };
  const char* name;
  std::size_t sizes;
  // Never: what is received is dense, and received in its place; so it is where the ends differ, of a kernel that
  // unpacks where they are alike.
  enum class Unpacks { kNever, kAlways, kWhereAlike };
  Unpacks unpacks;
  Functions by[3];
  const Functions& of(LoopsBy compiler) const { return by[static_cast<std::size_t>(compiler)]; }
};

// Null: there is none of that name.
const LoopsKernel* find_loops(const std::string& name);

// The compilers of this build, by method (hand_c, hand_clang, hand_fortran), with their versions.
std::map<std::string, std::string> loops_compilers();

// What a kernel packs on one rank [base elements], and their bytes.
struct LoopsPayload {
  std::int64_t elements = 0;
  std::int64_t element_bytes = 0;
};
LoopsPayload payload_of(const LoopsSpec& spec);

}  // namespace gapless::lab::exchange
