#include "output.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <iostream>

namespace gapless::lab {
namespace {

// Keeps the order of the keys: the lines are read by people too.
using Json = nlohmann::ordered_json;

constexpr int kSchema = 1;

void write_line(const Json& line) {
  std::cout << line.dump() << std::endl;
}

}  // namespace

void Output::progress(int done, int of, const std::string& group) const {
  if (writes_) write_line({{"schema", kSchema}, {"kind", "progress"}, {"done", done}, {"of", of}, {"group", group}});
}

void Output::samples(const Case& one, const MethodResult& method) const {
  if (!writes_) return;
  Json samples = Json::array();
  // A tenth of a nanosecond is below what the clock resolves.
  for (double ns : method.samples_ns) samples.push_back(std::round(ns * 10) / 10);
  Json line{{"schema", kSchema},
            {"kind", "samples"},
            {"experiment", "pingpong"},
            {"launch", facts_.launch},
            {"group", one.name()},
            {"layout", layout_name(one.kind)},
            {"variant", one.variant},
            {"A", one.a},
            {"bytes", one.bytes},
            {"payload_bytes", one.layout().payload_bytes()},
            {"description", method.description},
            {"type", method.type},
            {"method", method.method},
            {"unit", "ns"},
            {"metric", method.method.starts_with("engine_") ? "call" : "half_round_trip"},
            {"samples", std::move(samples)},
            {"verified", true},  // a row that was not is never written: see error()
            {"tests", method.tests},
            {"mpi_library", facts_.mpi_library},
            {"layer_present", facts_.layer_present},
            {"ranks", facts_.ranks},
            {"hosts", facts_.hosts}};
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
