// JSON lines on the standard output; only rank 0 writes.
#pragma once

#include "../peer_cost.hpp"
#include "group.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gapless::lab::exchange {

class Output {
 public:
  explicit Output(bool writes) : writes_(writes) {}
  void facts(const std::string& mpi_library, bool layer_present, int ranks, const std::vector<std::string>& hosts,
             const std::optional<PeerCost>& peer) const;
  void eager_limit(std::int64_t bytes, std::int64_t most) const;
  void progress(std::size_t done, std::size_t of, const std::string& group) const;
  void samples(const GroupSpec& group, const MemberSamples& samples) const;
  void refused(const std::string& group, const std::string& reason) const;
  // One member alone; the rest of the group goes on.
  void refused_member(const std::string& group, const std::string& member, const std::string& reason) const;
  // All members of a method, in all groups.
  void refused_method(const std::string& method, const std::string& reason) const;
  void error(const std::string& group, const std::string& member, const std::string& reason) const;

 private:
  bool writes_;
};

}  // namespace gapless::lab::exchange
