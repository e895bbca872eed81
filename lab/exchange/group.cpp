#include "group.hpp"

#include "../clock.hpp"
#include "agree.hpp"
#include "by_hand.hpp"
#include "fresh.hpp"
#include "mpi_type.hpp"
#include "operation.hpp"
#include "room.hpp"
#include "runner.hpp"
#include "sample.hpp"
#include "schemes.hpp"
#include "stop_rule.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <random>

namespace gapless::lab::exchange {
namespace {

// A group may take 2 GiB on each rank, and more where all ranks of this machine then leave half of its memory free.
std::int64_t most_bytes(int ranks) {
  const std::int64_t memory = std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  return std::max(std::int64_t{2} << 30, memory / (2 * ranks));
}

// One group on its way from the job to samples. Its functions are called in the order in which they stand here.
class Group {
 public:
  Group(const GroupSpec& spec, Run& run, std::uint64_t seed) : spec_(spec), run_(run), random_(seed) {}

  GroupResult measure() {
    require_ranks();
    read_messages();
    prove_type_maps();
    make_types();
    make_memory();
    make_members();
    // What proves the data would be the first message.
    if (!spec_.in_order || run_.validate) prove_transfers("before timing: ");
    if (run_.validate) return std::move(result_);
    if (!spec_.in_order) leave_out_slow();
    time_members();
    prove_transfers("after timing: ");
    collect();
    return std::move(result_);
  }

 private:
  void require_ranks() const {
    const int ranks = run_.place.ranks;
    // Further ranks would poll for messages meanwhile and take the processor away from what is timed.
    if (spec_.pattern == Pattern::kPingPong && !spec_.pairs && ranks != 2)
      throw Refused("a ping-pong needs exactly 2 ranks, not " + std::to_string(ranks));
    if (spec_.pairs && ranks % 2 != 0)
      throw Refused("pairs need an even number of ranks, not " + std::to_string(ranks));
    if (spec_.root >= ranks)
      throw Refused("rank " + std::to_string(spec_.root) + " cannot be the root of " + std::to_string(ranks) +
                    " ranks");
  }

  void read_messages() {
    together([&] {
      for (const MessageSpec& message : spec_.messages) messages_.push_back(read_message(message, spec_, run_.place));
      const std::int64_t bytes = memory_bytes(spec_, messages_);
      const std::int64_t most = most_bytes(run_.place.ranks);
      if (bytes > most)
        throw Refused("it may need " + std::to_string(bytes) + " bytes of memory on each rank, more than " +
                      std::to_string(most));
    });
  }

  void prove_type_maps() {
    for (Message& message : messages_) {
      try {
        together([&] { prove_type_map(message); });
      } catch (const VerificationError& error) {
        throw MemberError(message.name, error.what());
      }
    }
  }

  void prove_type_map(Message& message) {
    TypeMaps maps{proved_map(message.send), std::nullopt};
    if (message.has_unlike_ends())
      maps.unlike = proved_map(message.receive);
    else
      message.receive.places = message.send.places;
    message.padding = padding_bytes(*message.receive.type, message.receive.count);
    const auto [at, is_new] = maps_.try_emplace(message.label, std::move(maps));
    if (is_new) return;
    auto wrong = difference(at->second.send, maps.send);
    if (!wrong) wrong = difference(at->second.receive(), maps.receive());
    if (wrong) throw VerificationError(*wrong + " (as in the other messages of the layout '" + message.label + "')");
  }

  Runs proved_map(End& end) const {
    const Message& first = messages_.front();
    if (end.payload_bytes() != first.payload_bytes())
      throw VerificationError("its payload is " + std::to_string(end.payload_bytes()) + " bytes, that of '" +
                              first.name + "' " + std::to_string(first.payload_bytes()));
    Runs runs = type_map(*end.type, end.count);
    std::vector<ByteRun> places;
    std::int64_t bytes = 0;
    for (const test::Entry& run : runs) {
      places.push_back({run.displacement, run.bytes});
      bytes += run.bytes;
    }
    if (bytes != end.payload_bytes())
      throw VerificationError("its type map holds " + std::to_string(bytes) + " bytes, not " +
                              std::to_string(end.payload_bytes()));
    end.places.emplace(places);
    return runs;
  }

  // With the layer on, as in a program that starts under it; before that, what making them for the first time takes,
  // without it and with it.
  void make_types() {
    std::optional<Refused> refused;
    try {
      for (const bool layer_on : {false, true}) {
        run_.layer.set_all(layer_on);
        if (!spec_.phases || (layer_on && !run_.layer.present())) continue;
        together([&] {
          for (const Message& message : messages_) first_types_[layer_on].push_back(prepare_types(message));
        });
      }
      together([&] {
        for (Message& message : messages_) {
          message.send.handle = make_type(*message.send.type);
          message.receive.handle = message.has_unlike_ends() ? make_type(*message.receive.type)
                                                             : MpiType(message.send.handle.handle(), false);
        }
      });
    } catch (const Refused& refusal) {
      refused = refusal;
    }
    run_.layer.set_all(false);
    if (refused) throw Refused(*refused);
  }

  void make_memory() {
    run_.layer.set_all(true);  // or it leaves MPI_Alloc_mem to the library
    room_ = make_room(spec_.buffers, Memory::room_bytes(spec_, messages_));
    run_.layer.set_all(false);
    together([&] {
      int capacity = 0;
      for (Message& message : messages_) {
        for (const End* end : {&message.send, &message.receive}) {
          int needed = 0;
          MPI_Pack_size(end->count, end->handle.handle(), MPI_COMM_WORLD, &needed);
          message.packed_capacity = std::max({message.packed_capacity, needed, static_cast<int>(end->payload_bytes())});
        }
        capacity = std::max(capacity, message.packed_capacity);
      }
      memory_.emplace(spec_, messages_, run_.place, static_cast<std::size_t>(capacity),
                      room_ ? room_->data() : nullptr);
      runner_.emplace(spec_, run_, messages_, *memory_);
      for (Message& message : messages_) {
        memory_->require_disjoint(message, maps_.at(message.label));
        MPI_Pack(memory_->send(message), message.send.count, message.send.handle.handle(), memory_->packed_send(),
                 message.packed_capacity, &message.packed_bytes, MPI_COMM_WORLD);
      }
      if (spec_.cold && !run_.validate) run_.eviction.prepare();
    });
  }

  void make_members() {
    for (const MemberSpec& member : spec_.members) {
      if (Member{&member, nullptr}.layer_on() && !run_.layer.present()) {
        result_.without_layer.push_back(member.name);
        continue;
      }
      if (member.way && !run_.layer.has_ways()) {
        result_.refused.emplace(member.name, "this layer has one way alone");
        continue;
      }
      const Message& message = messages_[member.message];
      if (const std::string lacks = lacks_loops(member.method, message.loops); !lacks.empty()) {
        result_.lacking.emplace(method_name(member.method), lacks);
        continue;
      }
      if (const std::string lacks = is_scheme(member.method) ? lacks_scheme(member.method, message) : "";
          !lacks.empty()) {
        result_.refused.emplace(member.name, lacks);
        continue;
      }
      const bool is_fresh = member.fresh_type || member.fresh_buffer;
      members_.push_back({&member, is_fresh ? make_fresh_pingpong(Trip(spec_, run_.place), member, message, *memory_)
                                            : make_operation(spec_, member.method, message, *memory_, run_.place)});
      if (!spec_.phases) continue;
      members_.back().stamps = std::make_unique<Stamps>();
      // What does not pack by itself has nothing to stamp; phases are those of a type and a buffer that stay.
      if (is_scheme(member.method) || is_fresh) continue;
      members_.back().stamped =
          make_operation(spec_, member.method, message, *memory_, run_.place, members_.back().stamps.get());
    }
  }

  void prove_transfers(const char* when) {
    for (Member& member : members_) {
      const Message& message = messages_[member.spec->message];
      const Operation::Leaves leaves = member.operation->leaves();
      together([&] { memory_->reset(message, maps_.at(message.label), leaves); });
      const auto before = run_.layer.counted();
      runner_->send(member);
      if (before && member.layer_on() && (spec_.pattern == Pattern::kPingPong || is_halo(spec_.pattern))) {
        const auto after = run_.layer.counted();
        member.layer_acts = after->converted > before->converted;
        // A message to a process that received with the layer off may be sent before that one takes any again.
        member.layer_pairs = member.layer_pairs || after->paired > before->paired;
      }
      try {
        together([&] {
          if (const auto wrong = memory_->check(message, maps_.at(message.label), leaves))
            throw VerificationError(when + *wrong);
        });
      } catch (const VerificationError& error) {
        throw MemberError(member.spec->name, error.what());
      }
    }
  }

  // Members of which one message takes longer than the group allows, but the first one, to which all are compared;
  // rank 0 decides for all. Who answers writes as long as rank 0 does.
  void leave_out_slow() {
    const bool ping_pong = spec_.pattern == Pattern::kPingPong;
    for (std::size_t i = members_.size(); i-- > 1;) {
      const Writing& writing = members_[i].first.writing;
      const double written_ns = Runner::writes_ahead(spec_) ? 0 : (ping_pong ? 2 : 1) * (writing.ns + writing.clock_ns);
      double first_ns = (members_[i].first.ns - written_ns) / (ping_pong && !spec_.empty_pong ? 2 : 1);
      MPI_Bcast(&first_ns, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
      if (first_ns <= spec_.reps.member_limit_ms * 1e6) continue;
      result_.refused.emplace(members_[i].spec->name, "one message took " +
                                                          std::to_string(static_cast<std::int64_t>(first_ns / 1e6)) +
                                                          " ms, longer than a member of this group may take");
      members_.erase(members_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  void time_members() {
    samples_.resize(members_.size());
    own_ns_.resize(members_.size());
    ways_.resize(members_.size());
    phases_.resize(members_.size());
    if (spec_.in_order) return time_in_order();
    for (Member& member : members_) runner_->warm_layer(member);
    const StopRule rule(spec_.reps);
    std::vector<std::size_t> order(members_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const double start_ns = now_ns();
    for (int done = -spec_.reps.warmup;; ++done) {
      if (done >= 0 && stops(rule, done, (now_ns() - start_ns) / 1e6)) return;
      // Fisher-Yates on the raw generator: std::shuffle may differ between the standard libraries of two hosts.
      for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random_() % i]);
      for (const std::size_t at : order) {
        const Sample sample = runner_->sample(members_[at]);
        if (done < 0) continue;
        samples_[at].push_back(sample);
        own_ns_[at].push_back(sample.ns);
        if (runner_->has_phases(members_[at])) phases_[at].push_back(runner_->phases(members_[at]));
      }
    }
  }

  // All messages of a member, then all of the next one, in the job's order: what a program sees that sends one again
  // and again.
  void time_in_order() {
    for (std::size_t at = 0; at < members_.size(); ++at) {
      // Each finds its buffers as the first one did: written, and sent by nobody since.
      const Message& message = messages_[members_[at].spec->message];
      together([&] { memory_->reset(message, maps_.at(message.label), members_[at].operation->leaves()); });
      for (int i = 0; i < spec_.reps.most; ++i) {
        const std::optional<LayerSwitch::Received> before = run_.layer.received();
        samples_[at].push_back(runner_->sample(members_[at]));
        ways_[at] += way_since(before);
      }
      members_[at].first = samples_[at].front();
    }
  }

  // The way of what this rank has received since, by its first letter: direct, kernel, neither, or not known.
  char way_since(const std::optional<LayerSwitch::Received>& before) const {
    const std::optional<LayerSwitch::Received> now = run_.layer.received();
    if (!before || !now) return '?';
    return now->direct > before->direct ? 'd' : now->kernel > before->kernel ? 'k' : '-';
  }

  // Rank 0 decides for all, from its own times: those of the others are not known before the end.
  bool stops(const StopRule& rule, int done, double elapsed_ms) {
    int stop = rule.stop(done, elapsed_ms, own_ns_) ? 1 : 0;
    if (!rule.is_fixed()) MPI_Bcast(&stop, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return stop != 0;
  }

  void collect() {
    std::vector<Sample> all;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      all.push_back(members_[i].first);
      all.insert(all.end(), samples_[i].begin(), samples_[i].end());
    }
    const bool ping_pong = spec_.pattern == Pattern::kPingPong;
    const Longest longest = longest_of(std::move(all), Runner::writes_ahead(spec_), ping_pong, run_.place);
    auto at = longest.ns.begin(), cycle = longest.cycle_ns.begin();
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const Member& member = members_[i];
      MemberSamples of;
      of.member = member.spec->name;
      of.sends = member.operation->leaves() == Operation::Leaves::kReceived;
      of.layer_acts = member.layer_acts;
      of.layer_pairs = member.layer_pairs;
      of.first_ns = *at++;
      ++cycle;
      const auto& first_types = first_types_[member.layer_on()];
      if (has_types(member.spec->method) && !first_types.empty()) of.first_type = first_types[member.spec->message];
      const auto number = static_cast<std::ptrdiff_t>(samples_[i].size());
      of.ns.assign(at, at + number);
      if (spec_.fresh && of.sends) of.cycle_ns.assign(cycle, cycle + number);
      at += number;
      cycle += number;
      if (spec_.in_order) of.ways = {taken_by_answerer(ways_[i]), ways_[i]};
      if (runner_->has_phases(member)) of.phases = reduce_phases(phases_[i], ping_pong, run_.place);
      result_.members.push_back(std::move(of));
    }
  }

  // What the rank that answers has received: the ways that rank 0's own messages took.
  std::string taken_by_answerer(std::string own) const {
    const int peer = partner(run_.place), size = static_cast<int>(own.size());
    MPI_Sendrecv_replace(own.data(), size, MPI_CHAR, peer, 0, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return own;
  }

  const GroupSpec& spec_;
  Run& run_;
  std::mt19937_64 random_;
  std::vector<Message> messages_;
  std::map<std::string, TypeMaps> maps_;  // by label
  std::unique_ptr<Room> room_;
  std::optional<Memory> memory_;
  std::vector<Member> members_;
  std::optional<Runner> runner_;
  std::vector<std::vector<Sample>> samples_;  // of this rank, by member
  std::vector<std::vector<double>> own_ns_;   // the same, for the rule that ends a group
  std::vector<std::string> ways_;             // the same: a letter for each message, where they are in order
  std::vector<std::vector<PhaseSample>> phases_;
  std::array<std::vector<Preparation>, 2> first_types_;  // by message; without the layer, and with it
  GroupResult result_;
};

}  // namespace

GroupResult run_group(const GroupSpec& group, Run& run, std::uint64_t seed) {
  return Group(group, run, seed).measure();
}

}  // namespace gapless::lab::exchange
