// What is measured: read from a file that python/gapless/lab/fabric/job.py writes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fabric/layout.hpp"

namespace gapless::lab::fabric {

struct LayoutText {
  std::string type;
  std::vector<Loop> loops;
  std::int64_t run_bytes = 0;
};

struct Member {
  std::string name, way;
  bool is_array = false;    // as many bytes without gaps
  std::int64_t warmup = 0;  // round trips before the samples
};

struct Group {
  std::string id;
  bool is_fresh = true;               // whoever sends writes its data before each message
  bool is_one_sided = false;          // typed on rank 0 alone
  std::int64_t reuse = 0;             // how often a buffer is used before another takes its place; 0: for ever
  std::int64_t together = 1;          // buffers of a sample; round trips where the buffer is used for ever
  double limit_ms = 0;                // ways of which a round trip takes longer are left out
  std::int64_t fewest = 1, most = 1;  // samples
  double budget_ms = 0;
  LayoutText layout;
  std::vector<Member> members;
};

struct Job {
  std::uint64_t seed = 1;
  std::string wrong;  // this member's received data are spoiled: the tests of this program
  std::vector<std::string> ways;
  std::vector<Group> groups;
};

Job read_job(const std::string& path);

}  // namespace gapless::lab::fabric
