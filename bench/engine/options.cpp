#include "options.hpp"

#include <fnmatch.h>

#include <CLI/CLI.hpp>
#include <algorithm>

namespace gapless::bench {
namespace {

void add_contest(CLI::App& app, Options& options) {
  app.add_option("--rival", options.rivals, "Only rivals like this, besides gapless; may be repeated")->take_all();
  app.add_option("--op", options.operations, "pack, unpack or both")
      ->delimiter(',')
      ->check(CLI::IsMember({"pack", "unpack"}));
  app.add_option("--temperature", options.temperature, "Warm, cold, or both")
      ->check(CLI::IsMember({"warm", "cold", "both"}));
  app.add_flag("--list", options.list, "Print the names of the cases");
  app.add_flag("--serialised", options.serialised,
               "Time nothing: print how many bytes each description takes serialised");
}

}  // namespace

Options read_options(int argc, char** argv, const char* what, Extent extent) {
  Options options;
  CLI::App app(what);
  app.add_option("--case", options.cases, "Only cases like this, e.g. 'tiled/v1/*'; may be repeated");
  app.add_option("--bytes", options.sizes, "Payloads, separated by commas")->delimiter(',');
  app.add_option("--repetitions", options.repetitions, "Samples of each rival")->check(CLI::Range(1, 100000));
  app.add_option("--launch", options.launch, "Its number, which seeds the order of the rivals");
  app.add_option("--core", options.core, "The processor to stay on (default: the last one that is allowed)");
  app.add_flag("--quick", options.quick, "A third of the cases, 32 KB and 2.56 MB");
  if (extent == Extent::kContest) add_contest(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error));
  }
  if (options.sizes.empty())
    options.sizes = options.quick ? std::vector<std::int64_t>{32768, 2'560'000}
                                  : std::vector<std::int64_t>{4096, 32768, 262144, 2'560'000, 64'000'000};
  return options;
}

bool matches(const std::vector<std::string>& patterns, const std::string& name) {
  return patterns.empty() || std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
           return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
         });
}

}  // namespace gapless::bench
