#include "output.hpp"

#include "../json_line.hpp"
#include "hand_loops.hpp"

#include <iostream>
#include <utility>

namespace gapless::lab::exchange {
namespace {

Json line(const char* kind) {
  return {{"schema", kSchema}, {"kind", kind}};
}

void write(const Json& line) {
  // A text that was cut inside a letter must not end the run.
  std::cout << line.dump(-1, ' ', false, Json::error_handler_t::replace) << std::endl;
}

}  // namespace

void Output::facts(const std::string& mpi_library, bool layer_present, int ranks, const std::vector<std::string>& hosts,
                   const std::optional<PeerCost>& peer) const {
  if (!writes_) return;
  Json facts = line("facts");
  facts["mpi_library"] = mpi_library;
  facts["layer_present"] = layer_present;
  facts["ranks"] = ranks;
  facts["hosts"] = hosts;
  facts["experiment"] = "exchange";
  facts["loops"] = loops_compilers();
  if (peer) facts["peer_line_ns"] = {{"plain", tenth(peer->plain_ns)}, {"past", tenth(peer->past_ns)}};
  write(facts);
}

void Output::eager_limit(std::int64_t bytes, std::int64_t most) const {
  if (!writes_) return;
  Json limit = line("eager_limit");
  limit["bytes"] = bytes;
  limit["most"] = most;  // that was asked for
  write(limit);
}

void Output::progress(std::size_t done, std::size_t of, const std::string& group) const {
  if (!writes_) return;
  Json progress = line("progress");
  progress["done"] = done;
  progress["of"] = of;
  progress["group"] = group;
  write(progress);
}

void Output::samples(const GroupSpec& group, const MemberSamples& samples) const {
  if (!writes_) return;
  Json row = line("samples");
  row["experiment"] = "exchange";
  row["group"] = group.id;
  row["member"] = samples.member;
  row["metric"] = group.pattern == Pattern::kPingPong && samples.sends ? "round_trip" : "call";
  row["unit"] = "ns";
  row["data"] = group.fresh ? "fresh" : "constant";
  row["samples"] = tenths(samples.ns);
  if (!samples.cycle_ns.empty()) row["cycle_samples"] = tenths(samples.cycle_ns);
  if (samples.phases)
    row["phases"] = {{"create", tenths(samples.phases->create)}, {"commit", tenths(samples.phases->commit)},
                     {"pack", tenths(samples.phases->pack)},     {"communicate", tenths(samples.phases->communicate)},
                     {"unpack", tenths(samples.phases->unpack)}, {"free", tenths(samples.phases->free)}};
  if (group.in_order) row["ways"] = samples.ways;
  row["first"] = tenth(samples.first_ns);
  if (samples.first_type)
    row["first_type"] = {{"create", tenth(samples.first_type->create_ns)},
                         {"commit", tenth(samples.first_type->commit_ns)},
                         {"free", tenth(samples.first_type->free_ns)}};
  if (samples.layer_acts) {
    row["layer_acts"] = *samples.layer_acts;
    row["layer_pairs"] = samples.layer_pairs;
  }
  row["verified"] = true;  // a row that was not is never written: see error()
  write(row);
}

void Output::refused(const std::string& group, const std::string& reason) const {
  if (!writes_) return;
  Json refused = line("refused");
  refused["group"] = group;
  refused["reason"] = reason;
  write(refused);
}

void Output::refused_member(const std::string& group, const std::string& member, const std::string& reason) const {
  if (!writes_) return;
  Json refused = line("refused");
  refused["group"] = group;
  refused["member"] = member;
  refused["reason"] = reason;
  write(refused);
}

void Output::refused_method(const std::string& method, const std::string& reason) const {
  if (!writes_) return;
  Json refused = line("refused");
  refused["case"] = method;
  refused["reason"] = reason;
  write(refused);
}

void Output::error(const std::string& group, const std::string& member, const std::string& reason) const {
  if (!writes_) return;
  Json error = line("error");
  error["group"] = group;
  error["member"] = member;
  error["reason"] = reason;
  write(error);
}

}  // namespace gapless::lab::exchange
