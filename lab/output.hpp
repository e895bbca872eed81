// JSON lines on the standard output; only rank 0 writes.
#pragma once

#include "case.hpp"
#include "group.hpp"
#include "peer_cost.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gapless::lab {

struct RunFacts {
  int launch;
  std::string mpi_library;
  bool layer_present;
  int ranks;
  std::vector<std::string> hosts;
  bool fresh_data;
};

class Output {
 public:
  Output(bool writes, RunFacts facts) : writes_(writes), facts_(std::move(facts)) {}
  void facts(const std::optional<PeerCost>& peer) const;
  void progress(int done, int of, const std::string& group) const;
  void samples(const Case& one, std::int64_t payload_bytes, const MethodResult& method) const;
  void skipped(const std::string& group, const std::string& reason) const;
  void error(const std::string& group, const std::string& reason) const;

 private:
  bool writes_;
  RunFacts facts_;
};

}  // namespace gapless::lab
