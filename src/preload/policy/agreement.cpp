#include "preload/policy/agreement.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/immortal.hpp"
#include "base/settings.hpp"
#include "gapless/gapless.h"
#include "mpi/abi/library.hpp"
#include "mpi/staging/reserve.hpp"
#include "preload/front_to_backend.hpp"
#include "preload/policy/job.hpp"
#include "preload/policy/leftovers.hpp"
#include "preload/policy/node.hpp"
#include "preload/policy/own_alltoall.hpp"
#include "preload/policy/roll_call.hpp"
#include "preload/policy/shared_memory.hpp"
#include "preload/policy/switches.hpp"
#include "preload/policy/world.hpp"
#include "wire/segment.hpp"

namespace gapless::preload {

namespace {

constexpr std::int64_t kDefaultReserve = std::int64_t{16} << 30;

std::atomic<bool> agreed{false};
// The ranks on this node, in order; null where they are not known.
std::atomic<const std::vector<int>*> here{nullptr};

// The state of an agreement, from before the world's beginning until it has agreed or not.
struct Question {
  Node node;
  RollCall roll_call;
  std::uint64_t facts = 0;  // 0: this process cannot take part
  std::string why;          // why it cannot, or its node cannot be counted with others
  std::string reason;       // of the answer
};

Question& question() noexcept {
  return base::immortal<Question>();
}

bool is_wanted() noexcept {
  return base::setting_text("GAPLESS_COLLECTIVES") == nullptr || base::setting_on("GAPLESS_COLLECTIVES");
}

// A hash of the tables that decide what a collective call becomes: of the same text, another section may hold
// elsewhere.
std::uint64_t hash_of_shared(const Rules& rules) noexcept {
  constexpr int kFirst = static_cast<int>(Operation::kExchangeReady), kLast = static_cast<int>(Operation::kRead);
  const auto& first = rules.tables[kFirst];
  return hash_of(std::string(reinterpret_cast<const char*>(&first), (kLast - kFirst + 1) * sizeof first));
}

// A hash below 2^62 of all that decides what a collective call becomes.
std::uint64_t facts() {
  std::string text = std::to_string(kInterfaceVersion) + ' ' + GAPLESS_BUILD + ' ' + mpi::kAbiName + ' ';
  text += std::to_string(served_procedures()) + ' ' + std::to_string(mpi::reserve::size()) + ' ';
  text += policy.force ? "force " : "";
  text += std::to_string(policy.hash) + ' ';
  text += std::to_string(hash_of_shared(policy.rules)) + ' ';
  text += receives_stay_native ? "native " : "";
  text += pairing_facts();
  text += facts_of_own_alltoall();
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  if (mpi::library.Get_library_version(version, &length) == MPI_SUCCESS) text += version;
  return hash_of(text) >> 2;
}

// Every process of the world calls this. In a world that agrees, the facts' maximum and minimum are equal.
bool all_have(std::int64_t own) noexcept {
  const long long out[2] = {own, -own};
  long long in[2] = {0, 0};
  if (mpi::library.Allreduce(out, in, 2, MPI_LONG_LONG_INT, MPI_MAX, MPI_COMM_WORLD) != MPI_SUCCESS) return false;
  return own != 0 && in[0] == own && in[1] == -own;
}

// Returns 0 if this process cannot take part.
std::uint64_t own_facts(std::string& why) {
  if (!is_wanted()) {
    why = "GAPLESS_COLLECTIVES=0";
  } else if (!mpi::reserve::open(base::setting_bytes("GAPLESS_RESERVE_BYTES", kDefaultReserve))) {
    why = "no address space for GAPLESS_RESERVE_BYTES";
  } else {
    return facts();
  }
  return 0;
}

bool is_vouched_for() noexcept {
  return base::setting_on("GAPLESS_EVERYWHERE");
}

void enter(Question& all) {
  all.facts = own_facts(all.why);
  if (all.facts == 0) return;
  const Job job = find_job();
  if (job.here.empty() || job.rank < 0) {
    all.why = "no process manager that is known";
  } else if (!all.node.enter(job.here, {all.facts, job.rank})) {
    all.why = "no local socket to meet the processes of this node at";
  } else if (all.node.leads()) {
    sweep_leftovers();
    if (job.is_on_one_node) return;
    if (job.whole.empty()) {
      all.why = "no name of the job that is the same on all nodes";
    } else {
      all.roll_call.tell(job.whole, all.why);
    }
  }
}

std::string number(std::size_t n) {
  return std::to_string(n);
}

// The position of a rank among those of a node, which are in order; -1 if it is not among them.
int position_in(const std::vector<int>& ranks, int rank) noexcept {
  const auto at = std::lower_bound(ranks.begin(), ranks.end(), rank);
  return at == ranks.end() || *at != rank ? -1 : static_cast<int>(at - ranks.begin());
}

int own_rank() noexcept {
  int rank = -1;
  mpi::library.Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

// For all processes of this node.
Agreement agreement_as_leader(Question& all, int size) {
  const std::vector<Member> members = all.node.collect();
  std::vector<int> ranks;
  bool same = true;
  for (const Member& one : members) {
    ranks.push_back(one.rank);
    same = same && one.facts == all.facts;
  }
  std::sort(ranks.begin(), ranks.end());
  const bool distinct = std::adjacent_find(ranks.begin(), ranks.end()) == ranks.end() && ranks.back() < size;
  Agreement answer;
  if (all.roll_call.is_told()) {
    answer = all.roll_call.ask(size, same && distinct ? all.facts : 0, ranks, make_progress);
  } else if (!same || !distinct) {
    answer.why = same ? "two jobs have one name" : "processes differ in settings, build or library";
  } else if (members.size() == static_cast<std::size_t>(size)) {
    answer.agreed = true;
    answer.why = "all " + number(members.size()) + " processes are on this node and have the layer";
  } else {
    answer.why = number(members.size()) + " of " + std::to_string(size) + " processes are known to have the layer";
    if (!all.why.empty()) answer.why += " (" + all.why + ")";
  }
  const int shared =
      same && distinct && is_pairing_wanted() ? make_shared_memory(static_cast<int>(members.size())) : -1;
  if (distinct) answer.ranks = std::move(ranks);
  all.node.announce(answer, shared);
  join_shared_memory(shared, position_in(answer.ranks, own_rank()));
  return answer;
}

Agreement agreement_for_world(Question& all, int size) {
  MPI_Comm parent = MPI_COMM_NULL;
  if (is_vouched_for()) {
    const bool same = all_have(static_cast<std::int64_t>(own_facts(all.why)));
    return {same, same ? "GAPLESS_EVERYWHERE=1" : "GAPLESS_EVERYWHERE=1, but settings, build or library differ", {}};
  }
  if (all.facts == 0) return {false, all.why, {}};
  if (size == 1) return {true, "one process", {0}};
  if (mpi::library.Comm_get_parent(&parent) != MPI_SUCCESS || parent != MPI_COMM_NULL) return {false, "spawned", {}};
  if (all.node.leads()) return agreement_as_leader(all, size);
  if (all.node.is_member()) {
    int shared = -1;
    Agreement answer = all.node.await(make_progress, shared);
    join_shared_memory(shared, position_in(answer.ranks, own_rank()));
    return answer;
  }
  return {false, all.why, {}};
}

// Keeps the ranks of this node if they are those of MPI_COMM_WORLD: this process is among them.
void learn_locations(std::vector<int>&& ranks) {
  if (position_in(ranks, own_rank()) < 0) return;
  here.store(new std::vector<int>(std::move(ranks)), std::memory_order_release);
}

}  // namespace

void before_world() noexcept {
  wire::Segment::make_room_for_descriptor();
  Question& all = question();
  // One that does not take part is missed by the others.
  if (is_vouched_for()) return;
  try {
    enter(all);
  } catch (...) {
    all.facts = 0;
    all.roll_call.leave();
    all.node.leave();
  }
}

void world_began() noexcept {
  Question& all = question();
  int size = 0;
  mpi::library.Comm_size(MPI_COMM_WORLD, &size);
  try {
    Agreement answer = agreement_for_world(all, size);
    agreed.store(answer.agreed, std::memory_order_release);
    all.reason = std::move(answer.why);
    learn_locations(std::move(answer.ranks));
  } catch (...) {  // no memory; where others wait for this process, they get no answer, which is no
  }
  all.roll_call.leave();
  all.node.leave();
}

void world_ends() noexcept {
  agreed.store(false, std::memory_order_release);
  here.store(nullptr, std::memory_order_release);
  question().roll_call.leave();
  question().node.leave();
}

bool world_agreed() noexcept {
  return agreed.load(std::memory_order_acquire);
}

const std::string& reason_of_world() noexcept {
  return question().reason;
}

int number_on_node(int world_rank) noexcept {
  const std::vector<int>* const ranks = here.load(std::memory_order_acquire);
  return ranks == nullptr ? -1 : position_in(*ranks, world_rank);
}

int rank_on_node(int number) noexcept {
  const std::vector<int>* const ranks = here.load(std::memory_order_acquire);
  const auto at = static_cast<std::size_t>(number);
  return ranks == nullptr || at >= ranks->size() ? -1 : (*ranks)[at];
}

Location location_of(int world_rank) noexcept {
  const std::vector<int>* const ranks = here.load(std::memory_order_acquire);
  if (ranks == nullptr) return Location::kUnknown;
  if (position_in(*ranks, world_rank) >= 0) return Location::kHere;
  return world_agreed() ? Location::kElsewhere : Location::kUnknown;
}

}  // namespace gapless::preload
