#include "job.hpp"

#include "fresh.hpp"
#include "gapless/gapless_layer.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <set>
#include <utility>

namespace gapless::lab::exchange {
namespace {

using Json = nlohmann::json;

constexpr int kSchema = 1;

// A value of the job, and the way to it: "groups[2].members[0].method".
class Field {
 public:
  Field(const Json& value, std::string path) : value_(value), path_(std::move(path)) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw JobError((path_.empty() ? "the job" : path_) + ": " + what);
  }

  bool has(const char* name) const {
    if (!value_.is_object()) fail("expected an object, found " + shown());
    return value_.contains(name);
  }

  Field at(const char* name) const {
    if (!has(name)) fail(std::string("'") + name + "' is missing");
    return {value_[name], path_.empty() ? name : path_ + "." + name};
  }

  std::vector<Field> list() const {
    if (!value_.is_array()) fail("expected a list, found " + shown());
    std::vector<Field> fields;
    for (std::size_t i = 0; i < value_.size(); ++i)
      fields.push_back({value_[i], path_ + "[" + std::to_string(i) + "]"});
    return fields;
  }

  std::string text() const {
    if (!value_.is_string()) fail("expected a text, found " + shown());
    return value_.get<std::string>();
  }

  bool truth() const {
    if (!value_.is_boolean()) fail("expected true or false, found " + shown());
    return value_.get<bool>();
  }

  std::int64_t integer(std::int64_t least, std::int64_t most) const {
    // Beyond 63 bits a number is unsigned here, and would wrap.
    const bool fits = value_.is_number_integer() &&
                      !(value_.is_number_unsigned() && value_.get<std::uint64_t>() > std::uint64_t{INT64_MAX});
    if (!fits) fail("expected an integer, found " + shown());
    const auto number = value_.get<std::int64_t>();
    if (number < least || number > most)
      fail("must lie between " + std::to_string(least) + " and " + std::to_string(most) + ", not " + shown());
    return number;
  }

  int small_integer(int least) const { return static_cast<int>(integer(least, std::numeric_limits<int>::max())); }

  double number(double least) const {
    if (!value_.is_number()) fail("expected a number, found " + shown());
    const auto found = value_.get<double>();
    if (!(found >= least)) fail("must be at least " + Json(least).dump() + ", not " + shown());
    return found;
  }

  template <class Value, std::size_t kWords>
  Value one_of(const std::array<std::pair<const char*, Value>, kWords>& words) const {
    const std::string word = text();
    std::string known;
    for (const auto& [name, value] : words) {
      if (word == name) return value;
      known += (known.empty() ? "" : ", ") + std::string(name);
    }
    fail("'" + word + "' is none of " + known);
  }

 private:
  std::string shown() const {
    constexpr std::size_t kShown = 60;
    const std::string all = value_.dump(-1, ' ', false, Json::error_handler_t::replace);
    return all.size() <= kShown ? all : all.substr(0, kShown) + "...";
  }

  const Json& value_;
  std::string path_;
};

constexpr std::array<std::pair<const char*, Pattern>, 13> kPatterns{
    {{"pingpong", Pattern::kPingPong},
     {"bcast", Pattern::kBcast},
     {"allgather", Pattern::kAllgather},
     {"alltoallw", Pattern::kAlltoallw},
     {"neighbor_alltoallw", Pattern::kNeighborAlltoallw},
     {"ialltoallw", Pattern::kIalltoallw},
     {"ineighbor_alltoallw", Pattern::kIneighborAlltoallw},
     {"neighbor_alltoall", Pattern::kNeighborAlltoall},
     {"gatherv", Pattern::kGatherv},
     {"scatterv", Pattern::kScatterv},
     {"sendrecv", Pattern::kSendrecv},
     {"waitall", Pattern::kWaitall},
     {"alltoall", Pattern::kAlltoall}}};
constexpr std::array<std::pair<const char*, MethodKind>, 18> kMethods{{{"local", MethodKind::kLocal},
                                                                       {"native", MethodKind::kNative},
                                                                       {"gapless", MethodKind::kGapless},
                                                                       {"pack", MethodKind::kPack},
                                                                       {"pack_send", MethodKind::kPackSend},
                                                                       {"unpack_receive", MethodKind::kUnpackReceive},
                                                                       {"manual", MethodKind::kManual},
                                                                       {"engine", MethodKind::kEngine},
                                                                       {"engine_pack", MethodKind::kEnginePack},
                                                                       {"engine_unpack", MethodKind::kEngineUnpack},
                                                                       {"hand_c", MethodKind::kHandC},
                                                                       {"hand_clang", MethodKind::kHandClang},
                                                                       {"hand_fortran", MethodKind::kHandFortran},
                                                                       {"engine_send", MethodKind::kEngineSend},
                                                                       {"buffered", MethodKind::kBuffered},
                                                                       {"persistent", MethodKind::kPersistent},
                                                                       {"put", MethodKind::kPut},
                                                                       {"pack_element", MethodKind::kPackElement}}};
enum class Caches { kWarm, kCold, kColdSender };
constexpr std::array<std::pair<const char*, Caches>, 3> kCaches{
    {{"warm", Caches::kWarm}, {"cold", Caches::kCold}, {"cold_sender", Caches::kColdSender}}};
constexpr std::array<std::pair<const char*, Buffers>, 3> kBuffers{
    {{"heap", Buffers::kHeap}, {"window", Buffers::kWindow}, {"alloc", Buffers::kAlloc}}};
constexpr std::array<std::pair<const char*, bool>, 2> kPongs{{{"full", false}, {"empty", true}}};
constexpr std::array<std::pair<const char*, int>, 5> kWays{{{"adaptive", GAPLESS_WAY_ADAPTIVE},
                                                            {"host", GAPLESS_WAY_HOST},
                                                            {"kernel", GAPLESS_WAY_KERNEL},
                                                            {"entries", GAPLESS_WAY_ENTRIES},
                                                            {"direct", GAPLESS_WAY_DIRECT}}};
constexpr std::array<std::pair<const char*, bool>, 2> kData{{{"constant", false}, {"fresh", true}}};

EndSpec read_end(const Field& field) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  return {field.at("count").integer(0, kMost), field.at("type").text(),
          field.has("origin") ? field.at("origin").integer(0, kMost) : 0};
}

std::vector<int> read_ints(const Field& field, int least) {
  std::vector<int> all;
  for (const Field& one : field.list()) all.push_back(one.small_integer(least));
  return all;
}

LoopsSpec read_loops(const Field& field) {
  LoopsSpec loops{field.at("kernel").text(), read_ints(field.at("sizes"), 0), {}};
  if (field.has("list")) loops.list = read_ints(field.at("list"), 0);
  const LoopsKernel* const kernel = find_loops(loops.kernel);
  if (!kernel) field.at("kernel").fail("no loops are called '" + loops.kernel + "'");
  if (loops.sizes.size() != kernel->sizes)
    field.at("sizes").fail(loops.kernel + " has " + std::to_string(kernel->sizes) + " of them");
  return loops;
}

MessageSpec read_message(const Field& field) {
  MessageSpec message;
  message.name = field.at("name").text();
  message.send = read_end(field);
  if (field.has("receive")) message.receive = read_end(field.at("receive"));
  message.layout = field.at("layout").text();
  if (field.has("loops")) message.loops = read_loops(field.at("loops"));
  return message;
}

MemberSpec read_member(const Field& field, const GroupSpec& group) {
  MemberSpec member;
  member.name = field.at("name").text();
  const Field named = field.at("message");
  const auto found = std::find_if(group.messages.begin(), group.messages.end(),
                                  [name = named.text()](const MessageSpec& message) { return message.name == name; });
  if (found == group.messages.end()) named.fail("the group has no message '" + named.text() + "'");
  member.message = static_cast<std::size_t>(found - group.messages.begin());
  const Field method = field.at("method");
  member.method = method.one_of(kMethods);
  const bool any_pattern = member.method == MethodKind::kNative || member.method == MethodKind::kGapless ||
                           member.method == MethodKind::kLocal ||
                           (member.method == MethodKind::kPack &&
                            (group.pattern == Pattern::kBcast || group.pattern == Pattern::kAllgather ||
                             group.pattern == Pattern::kAlltoall || is_halo(group.pattern))) ||
                           (is_by_hand(member.method) && group.pattern == Pattern::kAlltoall);
  if (!any_pattern && group.pattern != Pattern::kPingPong) method.fail("only members of a pingpong can have it");
  const bool has_loops = is_by_hand(member.method) || member.method == MethodKind::kPackElement;
  if (has_loops && group.messages[member.message].loops.kernel.empty())
    method.fail("the message '" + group.messages[member.message].name + "' has no 'loops'");
  member.planted = field.has("plant") && field.at("plant").truth();
  member.layer = field.has("layer") && field.at("layer").truth();
  for (const auto& [name, is_fresh] :
       {std::pair{"fresh_type", &member.fresh_type}, {"fresh_buffer", &member.fresh_buffer}}) {
    *is_fresh = field.has(name) && field.at(name).truth();
    if (*is_fresh && (group.pattern != Pattern::kPingPong || !can_be_fresh(member.method)))
      field.at(name).fail("only members of a pingpong that are native, gapless, local or pack can have it");
  }
  if (field.has("way")) {
    member.way = field.at("way").one_of(kWays);
    const bool is_p2p = group.pattern == Pattern::kPingPong || group.pattern == Pattern::kSendrecv ||
                        group.pattern == Pattern::kWaitall;
    if (!is_p2p || member.method != MethodKind::kGapless)
      field.at("way").fail("only members of a pingpong, sendrecv or waitall that are gapless can have it");
  }
  return member;
}

Repetitions read_repetitions(const Field& field) {
  Repetitions reps;
  reps.least = field.at("min").small_integer(1);
  reps.most = field.at("max").small_integer(reps.least);
  reps.inner = field.has("inner") ? field.at("inner").small_integer(1) : 1;
  reps.precision = field.has("precision") ? field.at("precision").number(0) : 0;
  reps.budget_ms = field.has("budget_ms") ? field.at("budget_ms").number(0) : std::numeric_limits<double>::infinity();
  reps.member_limit_ms =
      field.has("member_limit_ms") ? field.at("member_limit_ms").number(0) : std::numeric_limits<double>::infinity();
  reps.layer_warmup = field.has("layer_warmup") ? field.at("layer_warmup").small_integer(0) : 0;
  reps.warmup = field.has("warmup") ? field.at("warmup").small_integer(0) : 0;
  return reps;
}

void require_new(std::set<std::string>& seen, const Field& field) {
  if (!seen.insert(field.text()).second) field.fail("'" + field.text() + "' is there twice");
}

GroupSpec read_group(const Field& field) {
  GroupSpec group;
  group.id = field.at("id").text();
  group.pattern = field.at("pattern").one_of(kPatterns);
  group.root = field.has("root") ? field.at("root").small_integer(0) : 0;
  const Caches caches = field.has("cache") ? field.at("cache").one_of(kCaches) : Caches::kWarm;
  group.cold = caches != Caches::kWarm;
  group.sender_cold = caches == Caches::kColdSender;
  group.fresh = field.has("data") && field.at("data").one_of(kData);
  group.phases = field.has("phases") && field.at("phases").truth();
  group.pairs = field.has("pairs") && field.at("pairs").truth();
  if (field.has("buffers")) group.buffers = field.at("buffers").one_of(kBuffers);
  group.empty_pong = field.has("pong") && field.at("pong").one_of(kPongs);
  group.in_order = field.has("in_order") && field.at("in_order").truth();
  for (const auto& [name, asked] : {std::pair{"pairs", group.pairs},
                                    {"pong", group.empty_pong},
                                    {"cache", group.sender_cold},
                                    {"in_order", group.in_order}}) {
    if (asked && group.pattern != Pattern::kPingPong) field.at(name).fail("only a pingpong can have it");
    if (asked && group.phases) field.at(name).fail("phases are those of two ranks that do the same");
  }
  std::set<std::string> messages, members;
  for (const Field& message : field.at("messages").list()) {
    group.messages.push_back(read_message(message));
    require_new(messages, message.at("name"));
  }
  for (const Field& member : field.at("members").list()) {
    group.members.push_back(read_member(member, group));
    require_new(members, member.at("name"));
  }
  const auto buffered = std::count_if(group.members.begin(), group.members.end(),
                                      [](const MemberSpec& of) { return of.method == MethodKind::kBuffered; });
  if (buffered > 1) field.at("members").fail("a process has one buffer for MPI_Bsend, and so a group one such member");
  if (group.members.empty()) field.at("members").fail("no member: there is nothing to measure");
  group.reps = read_repetitions(field.at("reps"));
  return group;
}

Job read(const Field& field) {
  if (field.at("schema").integer(0, kSchema + 1000) != kSchema)
    field.at("schema").fail("this program reads schema " + std::to_string(kSchema));
  Job job;
  job.seed = static_cast<std::uint64_t>(field.at("seed").integer(0, std::numeric_limits<std::int64_t>::max()));
  job.plant = field.has("plant") ? field.at("plant").number(1) : 1;
  job.asks_eager_limit = field.has("eager_limit") && field.at("eager_limit").truth();
  std::set<std::string> ids;
  for (const Field& group : field.at("groups").list()) {
    job.groups.push_back(read_group(group));
    require_new(ids, group.at("id"));
  }
  if (job.groups.empty()) field.at("groups").fail("no group: there is nothing to measure");
  return job;
}

}  // namespace

const char* method_name(MethodKind method) {
  for (const auto& [name, known] : kMethods)
    if (known == method) return name;
  return "";
}

Job read_job(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw JobError(path + ": cannot be read");
  try {
    return read({Json::parse(file), ""});
  } catch (const Json::exception& error) {
    throw JobError(path + ": no JSON: " + error.what());
  } catch (const JobError& error) {
    throw JobError(path + ": " + error.what());
  }
}

}  // namespace gapless::lab::exchange
