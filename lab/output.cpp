#include "output.hpp"

#include "json_line.hpp"

#include <iostream>

namespace gapless::lab {
namespace {

void write_line(const Json& line) {
  std::cout << line.dump() << std::endl;
}

}  // namespace

void Output::facts(const std::optional<PeerCost>& peer) const {
  if (!writes_) return;
  Json line{{"schema", kSchema},
            {"kind", "facts"},
            {"experiment", "pingpong"},
            {"launch", facts_.launch},
            {"mpi_library", facts_.mpi_library},
            {"data", facts_.fresh_data ? "fresh" : "constant"}};
  if (peer) line["peer_line_ns"] = {{"plain", tenth(peer->plain_ns)}, {"past", tenth(peer->past_ns)}};
  write_line(line);
}

void Output::progress(int done, int of, const std::string& group) const {
  if (writes_) write_line({{"schema", kSchema}, {"kind", "progress"}, {"done", done}, {"of", of}, {"group", group}});
}

void Output::samples(const Case& one, std::int64_t payload_bytes, const MethodResult& method) const {
  if (!writes_) return;
  Json line{{"schema", kSchema},
            {"kind", "samples"},
            {"experiment", "pingpong"},
            {"launch", facts_.launch},
            {"group", one.name},
            {"family", one.family},
            {"layout", one.layout},
            {"variant", one.variant},
            {"A", one.a},
            {"bytes", one.bytes == 0 ? payload_bytes : one.bytes},
            {"payload_bytes", payload_bytes},
            {"description", method.description},
            {"type", method.type},
            {"method", method.method},
            {"unit", "ns"},
            {"metric", method.method.starts_with("engine_") ? "call" : "half_round_trip"},
            {"data", facts_.fresh_data ? "fresh" : "constant"},
            {"samples", tenths(method.samples_ns)},
            {"verified", true},  // a row that was not is never written: see error()
            {"tests", method.tests},
            {"mpi_library", facts_.mpi_library},
            {"layer_present", facts_.layer_present},
            {"ranks", facts_.ranks},
            {"hosts", facts_.hosts}};
  if (!method.cycle_ns.empty()) line["cycle_samples"] = tenths(method.cycle_ns);
  if (method.layer_acts) line["layer_acts"] = *method.layer_acts;
  write_line(line);
}

void Output::skipped(const std::string& group, const std::string& reason) const {
  if (writes_) write_line({{"schema", kSchema}, {"kind", "skipped"}, {"group", group}, {"reason", reason}});
}

void Output::error(const std::string& group, const std::string& reason) const {
  if (writes_)
    write_line({{"schema", kSchema},
                {"kind", "error"},
                {"experiment", "pingpong"},
                {"launch", facts_.launch},
                {"group", group},
                {"reason", reason},
                {"mpi_library", facts_.mpi_library},
                {"layer_present", facts_.layer_present}});
}

}  // namespace gapless::lab
