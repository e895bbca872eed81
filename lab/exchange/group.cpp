#include "group.hpp"

#include "agree.hpp"
#include "barrier.hpp"
#include "mpi_type.hpp"
#include "operation.hpp"
#include "stop_rule.hpp"

#include <algorithm>
#include <ctime>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <random>

namespace gapless::lab::exchange {
namespace {

constexpr std::int64_t kMostBytes = std::int64_t{1} << 30;

double now_ns() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

struct Member {
  const MemberSpec* spec;
  std::unique_ptr<Operation> operation;
  bool layer_on() const { return spec->method == MethodKind::kGapless; }
};

// One group on its way from the job to samples. Its functions are called in the order in which they stand here.
class Group {
 public:
  Group(const GroupSpec& spec, Run& run, std::uint64_t seed)
      : spec_(spec), run_(run), random_(seed), samples_(spec.members.size()) {}

  GroupResult measure() {
    require_ranks();
    read_messages();
    prove_type_maps();
    make_types();
    make_memory();
    make_members();
    prove_transfers("before timing: ");
    if (run_.validate) return std::move(result_);
    time_members();
    prove_transfers("after timing: ");
    collect();
    return std::move(result_);
  }

 private:
  void require_ranks() const {
    const int ranks = run_.place.ranks;
    // Further ranks would poll for messages meanwhile and take the processor away from what is timed.
    if (spec_.pattern == Pattern::kPingPong && ranks != 2)
      throw Refused("a ping-pong needs exactly 2 ranks, not " + std::to_string(ranks));
    if (spec_.root >= ranks)
      throw Refused("rank " + std::to_string(spec_.root) + " cannot be the root of " + std::to_string(ranks) +
                    " ranks");
  }

  void read_messages() {
    together([&] {
      for (const MessageSpec& message : spec_.messages)
        messages_.push_back(read_message(message, spec_, run_.place.ranks));
      const std::int64_t bytes = memory_bytes(messages_);
      if (bytes > kMostBytes)
        throw Refused("it may need " + std::to_string(bytes) + " bytes of memory on each rank, more than " +
                      std::to_string(kMostBytes));
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
    const Message& first = messages_.front();
    if (message.payload_bytes != first.payload_bytes)
      throw VerificationError("its payload is " + std::to_string(message.payload_bytes) + " bytes, that of '" +
                              first.name + "' " + std::to_string(first.payload_bytes));
    Runs runs = type_map(*message.type, message.count);
    const auto bytes = std::accumulate(runs.begin(), runs.end(), std::int64_t{0},
                                       [](std::int64_t sum, const test::Entry& run) { return sum + run.bytes; });
    if (bytes != message.payload_bytes)
      throw VerificationError("its type map holds " + std::to_string(bytes) + " bytes, not " +
                              std::to_string(message.payload_bytes));
    message.padding = padding_bytes(*message.type, message.count);
    const auto [at, is_new] = maps_.try_emplace(message.label, std::move(runs));
    if (is_new) return;
    if (const auto wrong = difference(at->second, runs))
      throw VerificationError(*wrong + " (as in the other messages of the layout '" + message.label + "')");
  }

  // With the layer on, as in a program that starts under it.
  void make_types() {
    run_.layer.set_all(true);
    std::optional<Refused> refused;
    try {
      together([&] {
        for (Message& message : messages_) message.handle = make_type(*message.type);
      });
    } catch (const Refused& refusal) {
      refused = refusal;
    }
    run_.layer.set_all(false);
    if (refused) throw Refused(*refused);
  }

  void make_memory() {
    together([&] {
      int capacity = 0;
      for (Message& message : messages_) {
        MPI_Pack_size(message.count, message.handle.handle(), MPI_COMM_WORLD, &message.packed_capacity);
        capacity = std::max(capacity, message.packed_capacity);
      }
      memory_.emplace(spec_, messages_, run_.place, static_cast<std::size_t>(capacity));
      for (Message& message : messages_) {
        memory_->require_disjoint(message, maps_.at(message.label));
        MPI_Pack(memory_->send(message), message.count, message.handle.handle(), memory_->packed_send(),
                 message.packed_capacity, &message.packed_bytes, MPI_COMM_WORLD);
      }
      if (spec_.cold && !run_.validate) run_.eviction.prepare();
    });
  }

  void make_members() {
    for (const MemberSpec& member : spec_.members) {
      if (member.method == MethodKind::kGapless && !run_.layer.present()) {
        result_.without_layer.push_back(member.name);
        continue;
      }
      members_.push_back(
          {&member, make_operation(spec_, member.method, messages_[member.message], *memory_, run_.place)});
    }
  }

  void prove_transfers(const char* when) {
    for (Member& member : members_) {
      const Message& message = messages_[member.spec->message];
      together([&] { memory_->reset(message, maps_.at(message.label)); });
      run_.layer.set_all(member.layer_on());
      member.operation->run();
      run_.layer.set_all(false);
      try {
        together([&] {
          if (const auto wrong = memory_->check(message)) throw VerificationError(when + *wrong);
        });
      } catch (const VerificationError& error) {
        throw MemberError(member.spec->name, error.what());
      }
    }
  }

  void time_members() {
    const StopRule rule(spec_.reps);
    std::vector<std::size_t> order(members_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    samples_.resize(members_.size());
    const double start_ns = now_ns();
    for (int done = -spec_.reps.warmup;; ++done) {
      if (done >= 0 && stops(rule, done, (now_ns() - start_ns) / 1e6)) return;
      // Fisher-Yates on the raw generator: std::shuffle may differ between the standard libraries of two hosts.
      for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random_() % i]);
      for (const std::size_t at : order) {
        const double ns = sample_ns(members_[at]);
        if (done >= 0) samples_[at].push_back(ns);
      }
    }
  }

  // Rank 0 decides for all, from its own times: those of the others are not known before the end.
  bool stops(const StopRule& rule, int done, double elapsed_ms) {
    int stop = rule.stop(done, elapsed_ms, samples_) ? 1 : 0;
    if (!rule.is_fixed()) MPI_Bcast(&stop, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return stop != 0;
  }

  double sample_ns(Member& member) {
    Operation& operation = *member.operation;
    run_.layer.set_all(member.layer_on());
    // Members take turns, so each finds the caches and the library as another one left them: one operation that is not
    // timed lets it start from its own.
    if (spec_.cold)
      run_.eviction.walk();
    else
      operation.run();
    const bool collective = spec_.pattern != Pattern::kPingPong;
    const int inner = spec_.cold || collective ? 1 : spec_.reps.inner;
    const double plant = member.spec->planted ? run_.plant : 1;
    barrier(run_.place.rank, run_.place.ranks);
    const double start_ns = now_ns();
    for (int i = 0; i < inner; ++i) operation.run();
    double end_ns = now_ns();
    if (plant > 1)
      for (const double until_ns = start_ns + plant * (end_ns - start_ns); end_ns < until_ns;) end_ns = now_ns();
    run_.layer.set_all(false);
    return (end_ns - start_ns) / inner;
  }

  // The longest of all ranks, sample by sample.
  void collect() {
    std::vector<double> own, longest;
    for (const auto& samples : samples_) own.insert(own.end(), samples.begin(), samples.end());
    longest.resize(own.size());
    MPI_Reduce(own.data(), longest.data(), static_cast<int>(own.size()), MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    auto at = longest.cbegin();
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const auto size = static_cast<std::ptrdiff_t>(samples_[i].size());
      result_.members.push_back({members_[i].spec->name, {at, at + size}});
      at += size;
    }
  }

  const GroupSpec& spec_;
  Run& run_;
  std::mt19937_64 random_;
  std::vector<Message> messages_;
  std::map<std::string, Runs> maps_;  // by label
  std::optional<Memory> memory_;
  std::vector<Member> members_;
  std::vector<std::vector<double>> samples_;  // of this rank, by member
  GroupResult result_;
};

}  // namespace

GroupResult run_group(const GroupSpec& group, Run& run, std::uint64_t seed) {
  return Group(group, run, seed).measure();
}

}  // namespace gapless::lab::exchange
