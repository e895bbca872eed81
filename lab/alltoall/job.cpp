#include "job.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <fstream>
#include <utility>

namespace gapless::lab::alltoall {
namespace {

using Json = nlohmann::json;

constexpr int kSchema = 1;
constexpr std::int64_t kIntBytes = 4;
constexpr std::int64_t kMostBlockBytes = std::int64_t{1} << 30;

constexpr std::array<std::pair<const char*, Call>, 11> kCalls{{{"library", Call::kLibrary},
                                                               {"library_persistent", Call::kLibraryPersistent},
                                                               {"library_v", Call::kLibraryV},
                                                               {"library_v_persistent", Call::kLibraryVPersistent},
                                                               {"ours", Call::kOurs},
                                                               {"ours_persistent", Call::kOursPersistent},
                                                               {"ours_v", Call::kOursV},
                                                               {"ours_v_persistent", Call::kOursVPersistent},
                                                               {"messages", Call::kMessages},
                                                               {"types", Call::kTypes},
                                                               {"types_v", Call::kTypesV}}};

Call call_of(const std::string& word) {
  for (const auto& [name, call] : kCalls)
    if (word == name) return call;
  throw JobError("'" + word + "' is no call");
}

MemberSpec member_of(const Json& json) {
  return {json.at("name").get<std::string>(), call_of(json.at("call").get<std::string>()),
          json.value("algorithm", std::string()), json.value("layer", false)};
}

Repetitions repetitions_of(const Json& json) {
  Repetitions reps;
  reps.least = json.at("min").get<int>();
  reps.most = json.at("max").get<int>();
  reps.precision = json.value("precision", 0.0);
  reps.budget_ms = json.value("budget_ms", 0.0);
  reps.warmup = json.value("warmup", 0);
  reps.layer_warmup = json.value("layer_warmup", 0);
  if (reps.least < 0 || reps.most < reps.least || reps.warmup < 0) throw JobError("reps: 0 <= min <= max is wanted");
  return reps;
}

GroupSpec group_of(const Json& json) {
  GroupSpec group;
  group.id = json.at("id").get<std::string>();
  const auto bytes = json.at("block_bytes").get<std::int64_t>();
  if (bytes < kIntBytes || bytes > kMostBlockBytes || bytes % kIntBytes != 0)
    throw JobError(group.id + ": block_bytes: whole integers, of 4 bytes, up to 1 GiB are wanted");
  group.elements = bytes / kIntBytes;
  group.random = json.value("random", false);
  group.in_place = json.value("in_place", false);
  group.fresh = json.value("data", std::string("constant")) == "fresh";
  for (const Json& member : json.at("members")) group.members.push_back(member_of(member));
  if (group.members.empty()) throw JobError(group.id + ": no members");
  group.reps = repetitions_of(json.at("reps"));
  return group;
}

}  // namespace

Job read_job(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw JobError(path + " cannot be read");
  try {
    const Json json = Json::parse(file);
    if (json.at("schema").get<int>() != kSchema) throw JobError("the schema of the job is not 1");
    Job job;
    job.seed = json.at("seed").get<std::uint64_t>();
    for (const Json& group : json.at("groups")) job.groups.push_back(group_of(group));
    return job;
  } catch (const Json::exception& error) {
    throw JobError(path + ": " + error.what());
  }
}

}  // namespace gapless::lab::alltoall
