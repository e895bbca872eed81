// Prints the messages of the expectation tests, of applications, and those that others found slow: see --help.
#include "case.hpp"
#include "json_line.hpp"

#include <CLI/CLI.hpp>

#include <iostream>

namespace {

using namespace gapless::lab;

constexpr const char* kPayload = "payload";  // as a contiguous array
const std::vector<std::string> kFamilies{"tests", "applications", "larger", "ghost", "found"};

constexpr const char* kAbout =
    "Prints messages, one JSON object a line: the four basic layouts of the expectation tests (tiled, block, bucket,\n"
    "alternating), all layouts of these tests, or of applications, each in 3200 and 2560000 bytes or in its own "
    "sizes.\n"
    "`messages` are as a job of lab/exchange has them: the payload as a contiguous array, then every description.\n"
    "Sends nothing and needs no launcher.";

Json end_of(const End& end, const Description& description) {
  return {{"count", description.count}, {"type", description.type.notation()}, {"origin", end.origin_bytes}};
}

// Of both ends; those that are alike are said once.
Json message_of(const Exchange& exchange, std::size_t i) {
  const Description &sent = exchange.send.descriptions[i], &received = exchange.receive.descriptions[i];
  Json message{{"name", sent.name}, {"layout", "data"}};
  const Json send = end_of(exchange.send, sent), receive = end_of(exchange.receive, received);
  message.update(send);
  if (receive != send) message["receive"] = receive;
  return message;
}

Json told_of(const Exchange& exchange, std::size_t i) {
  const Description &sent = exchange.send.descriptions[i], &received = exchange.receive.descriptions[i];
  std::string type = sent.type.text();
  if (received.type.text() != type) type += " -> " + received.type.text();
  return {{"type", type}, {"tests", sent.tests}};
}

Json loops_of(const Loops& loops) {
  Json told{{"kernel", loops.kernel}, {"sizes", loops.sizes}};
  if (!loops.list.empty()) told["list"] = loops.list;
  return told;
}

Json line_of(const Case& one, bool with_loops) {
  const Subject subject = one.make();
  if (!subject.refused.empty()) return {{"group", one.name}, {"family", one.family}, {"skipped", {subject.refused}}};
  std::int64_t bytes = 0;
  for (const ByteRun& run : subject.sent) bytes += run.bytes;
  const std::string& dense = subject.element;
  Json messages = Json::array(), described;
  messages.push_back(
      {{"name", kPayload}, {"layout", kPayload}, {"count", bytes / subject.element_bytes}, {"type", dense}});
  described[kPayload] = {{"type", dense}, {"tests", {"ET1"}}};
  for (std::size_t i = 0; i < subject.exchange.send.descriptions.size(); ++i) {
    messages.push_back(message_of(subject.exchange, i));
    described[subject.exchange.send.descriptions[i].name] = told_of(subject.exchange, i);
  }
  Json line{{"group", one.name},         {"family", one.family}, {"layout", one.layout},
            {"variant", one.variant},    {"A", one.a},           {"bytes", one.bytes == 0 ? bytes : one.bytes},
            {"payload_bytes", bytes},    {"messages", messages}, {"described", described},
            {"skipped", subject.skipped}};
  if (with_loops) {
    line["blocks"] = subject.exchange.blocks;
    if (!subject.exchange.loops.kernel.empty()) line["loops"] = loops_of(subject.exchange.loops);
  }
  return line;
}

}  // namespace

int main(int argc, char** argv) {
  Choice choice;
  CLI::App app(kAbout, "cases");
  app.footer("Example:\n  cases --all-layouts --filter tiled/v1/A=2/");
  app.add_flag("--quick", choice.quick, "A = 2, 10, 1000 only");
  app.add_option("--filter", choice.filter, "Only cases whose name contains this text");
  app.add_flag("--all-layouts", choice.all_layouts, "Also the layouts of Expectation Tests 2, 10 and 11, and every A");
  app.add_option("--sizes", choice.sizes, "Of the expectation tests' layouts, in bytes instead of 3200 and 2560000")
      ->delimiter(',')
      ->check(CLI::PositiveNumber);
  app.add_option(
         "--layouts", choice.families,
         "tests (of the paper), applications (DDTBench), larger (four of these in other sizes), ghost (faces of a grid "
         "of many variables), found (where others found the layer slow)")
      ->delimiter(',')
      ->check(CLI::IsMember(kFamilies));
  bool with_loops = false;
  app.add_flag("--loops", with_loops,
               "Also how an application packs the message by hand, and how many blocks a rank sends");
  CLI11_PARSE(app, argc, argv);
  for (const Case& one : make_cases(choice)) std::cout << line_of(one, with_loops).dump() << "\n";
  return 0;
}
