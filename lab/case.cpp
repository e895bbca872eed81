#include "case.hpp"

#include "found_layouts.hpp"
#include "ghost_faces.hpp"

#include <algorithm>
#include <utility>

namespace gapless::lab {
namespace {

// A row and a column of a large matrix lie far apart: its buffers would need gigabytes.
constexpr std::int64_t kMaxExtentBytes = std::int64_t{64} << 20;

// The block sizes of the paper's tests, or fewer.
std::vector<int> block_sizes(const Choice& choice, LayoutKind kind) {
  if (kind == LayoutKind::kHeterogeneous)
    return choice.quick ? std::vector{2, 16, 200} : std::vector{2, 6, 8, 10, 16, 100, 128, 200};
  if (kind == LayoutKind::kRowColumn)
    return choice.quick ? std::vector{2, 10} : std::vector{2, 10, 100, 128, 512, 1000, 1024, 5000, 10000};
  if (choice.quick) return {2, 10, 1000};
  return choice.all_layouts ? std::vector{2, 10, 100, 1000, 1024, 10000} : std::vector{2, 10, 100, 1000};
}

void append(std::vector<ByteRun>& runs, std::int64_t displacement_bytes, std::int64_t bytes) {
  if (!runs.empty() && runs.back().displacement_bytes + runs.back().bytes == displacement_bytes)
    runs.back().bytes += bytes;
  else
    runs.push_back({displacement_bytes, bytes});
}

Subject subject_of(const Layout& layout, int variant, int bytes) {
  Subject subject;
  if (layout.units == 0) {
    subject.refused = "one unit of the layout is larger than " + std::to_string(bytes) + " bytes";
    return subject;
  }
  if (layout.extent_bytes() > kMaxExtentBytes) {
    subject.refused = "it extends over more than " + std::to_string(kMaxExtentBytes) + " bytes of memory";
    return subject;
  }
  const End end{0, describe(layout, variant, subject.skipped)};
  subject.exchange = {end, end};
  // From the layout's arithmetic alone: what every description must equal.
  for (std::int64_t displacement_bytes : layout.type_map())
    append(subject.sent, displacement_bytes, layout.element_bytes);
  subject.received = subject.sent;
  if (layout.element_bytes != kIntBytes) {
    subject.element = "byte";
    subject.element_bytes = 1;
  }
  return subject;
}

Subject subject_of(Exchange exchange) {
  Subject subject;
  const Description &sent = exchange.send.descriptions.front(), &received = exchange.receive.descriptions.front();
  subject.sent = runs_of(sent.type, sent.count);
  subject.received = runs_of(received.type, received.count);
  subject.element = exchange.element;
  subject.element_bytes = exchange.element_bytes;
  subject.exchange = std::move(exchange);
  return subject;
}

void add_tests(const Choice& choice, std::vector<Case>& into) {
  std::vector<LayoutKind> kinds(kBasicLayouts.begin(), kBasicLayouts.end());
  if (choice.all_layouts) kinds.insert(kinds.end(), kFurtherLayouts.begin(), kFurtherLayouts.end());
  for (LayoutKind kind : kinds) {
    const bool basic = std::find(kBasicLayouts.begin(), kBasicLayouts.end(), kind) != kBasicLayouts.end();
    for (int variant : basic ? std::vector{1, 2} : std::vector{1})
      for (int a : block_sizes(choice, kind))
        for (int bytes : choice.sizes) {
          const std::string name = layout_name(kind);
          into.push_back(
              {name + "/v" + std::to_string(variant) + "/A=" + std::to_string(a) + "/" + std::to_string(bytes), "tests",
               name, variant, a, bytes,
               [=] { return subject_of(make_layout(kind, variant, a, bytes), variant, bytes); }});
        }
  }
}

void add_exchanges(const std::string& family, const std::vector<NamedExchange>& exchanges, std::vector<Case>& into) {
  for (const NamedExchange& of : exchanges)
    into.push_back({of.name, family, of.name.substr(0, of.name.find('/')), 0, 0, 0,
                    [make = of.make] { return subject_of(make()); }});
}

}  // namespace

std::vector<ByteRun> runs_of(const TypeSpec& type, int count) {
  std::vector<ByteRun> runs;
  type.each_run(count, [&](std::int64_t displacement, std::int64_t bytes) { append(runs, displacement, bytes); });
  return runs;
}

std::vector<Case> make_cases(const Choice& choice) {
  std::vector<Case> cases;
  if (choice.has("tests")) add_tests(choice, cases);
  if (choice.has("applications")) add_exchanges("applications", ddtbench_exchanges(), cases);
  if (choice.has("larger")) add_exchanges("larger", larger_exchanges(), cases);
  if (choice.has("ghost")) add_exchanges("ghost", ghost_exchanges(), cases);
  if (choice.has("found")) add_exchanges("found", found_exchanges(), cases);
  std::erase_if(cases, [&](const Case& one) { return one.name.find(choice.filter) == std::string::npos; });
  return cases;
}

}  // namespace gapless::lab
