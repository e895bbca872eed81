#include "group.hpp"

#include "../agreement.hpp"
#include "../clock.hpp"
#include "../exchange/agree.hpp"
#include "../exchange/barrier.hpp"
#include "../exchange/stop_rule.hpp"
#include "ways.hpp"

#include <memory>
#include <numeric>
#include <optional>
#include <random>

namespace gapless::lab::alltoall {
namespace {

using exchange::barrier;

struct Member {
  const MemberSpec* spec;
  std::unique_ptr<Way> way;
  double first_ns = 0;
  std::vector<double> ns;  // of this rank
};

class Group {
 public:
  Group(const GroupSpec& spec, const Run& run, std::uint64_t seed) : spec_(spec), run_(run), random_(seed) {
    // Random blocks are the same in all launches.
    constexpr std::uint64_t kBlocksSeed = 1;
    exchange::together([&] { problem_.emplace(spec, kBlocksSeed, run.rank, run.ranks); });
  }

  GroupResult measure() {
    bind();
    for (Member& member : members_) member.first_ns = verify(member, "before timing");
    if (spec_.reps.most > 0) {
      time();
      for (Member& member : members_) verify(member, "after timing");
    }
    collect();
    return std::move(result_);
  }

 private:
  void bind() {
    for (const MemberSpec& member : spec_.members) {
      if (member.layer && !run_.layer.present()) {
        result_.refused.emplace_back(member.name, "the layer is not under this program");
        continue;
      }
      const Layer layer(run_, member);
      std::optional<std::string> refused;
      std::unique_ptr<Way> way;
      try {
        way = make_way(member, *problem_, run_.comm);
      } catch (const exchange::Refused& refusal) {
        refused = refusal.what();
      }
      for (const std::string& text : gather_texts(refused.value_or("")))
        if (!text.empty() && !refused) refused = text;
      if (refused)
        result_.refused.emplace_back(member.name, *refused);
      else
        members_.push_back({&member, std::move(way), 0, {}});
    }
    if (members_.empty()) throw exchange::Refused("no member of it can be measured here");
  }

  // The layer is on as long as this lives, if the member asks for it; on all ranks alike.
  struct Layer {
    Layer(const Run& run, const MemberSpec& member) : run(run) { run.layer.set_all(member.layer); }
    ~Layer() { run.layer.set_all(false); }
    Layer(const Layer&) = delete;
    Layer& operator=(const Layer&) = delete;
    const Run& run;
  };

  // How long the call took, on this rank.
  double once(Member& member, int& code) {
    const Layer layer(run_, *member.spec);
    barrier(run_.rank, run_.ranks);
    const double start_ns = now_ns();
    code = member.way->run();
    return now_ns() - start_ns;
  }

  double verify(Member& member, const char* when) {
    problem_->write();
    problem_->spoil();
    int code = MPI_SUCCESS;
    const double took_ns = once(member, code);
    std::optional<std::string> wrong;
    if (code != MPI_SUCCESS)
      wrong = error_text(code);
    else if (member.way->moves())
      wrong = problem_->wrong();
    try {
      agree_or_throw(wrong, when);
    } catch (const VerificationError& error) {
      throw MemberError(member.spec->name, error.what());
    }
    return took_ns;
  }

  void time() {
    const exchange::StopRule rule(spec_.reps);
    std::vector<std::size_t> order(members_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (Member& member : members_)
      for (int i = 0; member.spec->layer && i < spec_.reps.layer_warmup; ++i) once(member, code_);
    const double start_ns = now_ns();
    for (int done = -spec_.reps.warmup;; ++done) {
      if (done >= 0 && stops(rule, done, (now_ns() - start_ns) / 1e6)) return;
      // Fisher-Yates on the raw generator: std::shuffle may differ between the standard libraries of two hosts.
      for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random_() % i]);
      for (const std::size_t at : order) {
        Member& member = members_[at];
        // Members take turns, so each finds the caches and the library as another one left them: a call that is not
        // timed lets it start from its own.
        once(member, code_);
        if (spec_.fresh) problem_->write();
        const double ns = once(member, code_);
        if (done >= 0) member.ns.push_back(ns);
      }
    }
  }

  // Rank 0 decides for all, from its own times.
  bool stops(const exchange::StopRule& rule, int done, double elapsed_ms) {
    if (rule.is_fixed()) return done >= spec_.reps.most;
    std::vector<std::vector<double>> own;
    for (const Member& member : members_) own.push_back(member.ns);
    int stop = rule.stop(done, elapsed_ms, own) ? 1 : 0;
    MPI_Bcast(&stop, 1, MPI_INT, 0, run_.comm);
    return stop != 0;
  }

  void collect() {
    for (Member& member : members_) {
      member.ns.insert(member.ns.begin(), member.first_ns);
      std::vector<double> longest(member.ns.size());
      MPI_Reduce(member.ns.data(), longest.data(), static_cast<int>(longest.size()), MPI_DOUBLE, MPI_MAX, 0, run_.comm);
      result_.members.push_back({member.spec->name, longest.front(), {longest.begin() + 1, longest.end()}});
    }
  }

  const GroupSpec& spec_;
  const Run& run_;
  std::mt19937_64 random_;
  std::optional<Problem> problem_;
  std::vector<Member> members_;
  int code_ = MPI_SUCCESS;  // of a call that is timed: its data are verified before and after
  GroupResult result_;
};

}  // namespace

GroupResult run_group(const GroupSpec& group, const Run& run, std::uint64_t seed) {
  return Group(group, run, seed).measure();
}

}  // namespace gapless::lab::alltoall
