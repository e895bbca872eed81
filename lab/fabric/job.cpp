#include "fabric/job.hpp"

#include <fstream>
#include <stdexcept>

#include "json_line.hpp"

namespace gapless::lab::fabric {

namespace {

LayoutText read_layout(const Json& of) {
  LayoutText layout{of.at("type"), {}, of.at("run")};
  for (const Json& loop : of.at("loops")) layout.loops.push_back({loop.at(0), loop.at(1)});
  return layout;
}

Group read_group(const Json& of) {
  Group group;
  group.id = of.at("id");
  group.is_fresh = of.at("data") == "fresh";
  group.is_one_sided = of.at("sides") == "one";
  group.reuse = of.at("reuse");
  const Json& reps = of.at("reps");
  group.together = reps.at("together");
  group.limit_ms = reps.at("limit_ms");
  group.fewest = reps.at("min");
  group.most = reps.at("max");
  group.budget_ms = reps.at("budget_ms");
  group.layout = read_layout(of.at("layout"));
  for (const Json& member : of.at("members"))
    group.members.push_back({member.at("name"), member.at("way"), member.value("array", false), member.at("warmup")});
  return group;
}

}  // namespace

Job read_job(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  const Json of = Json::parse(file);
  Job job;
  job.seed = of.at("seed");
  job.wrong = of.value("wrong", "");
  job.ways = of.at("ways").get<std::vector<std::string>>();
  for (const Json& group : of.at("groups")) job.groups.push_back(read_group(group));
  return job;
}

}  // namespace gapless::lab::fabric
