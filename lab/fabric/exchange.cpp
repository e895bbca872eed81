#include "fabric/exchange.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>

#include "clock.hpp"

namespace gapless::lab::fabric {

namespace {

constexpr char kGap = '\x5a';
constexpr int kPackings = 5;

// Memory that the kernel gives anew each time: no page of it is registered, in a cache of translations, or in use.
class Buffer {
 public:
  explicit Buffer(std::int64_t bytes) : bytes_(bytes) {
    void* got =
        mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (got == MAP_FAILED) throw std::runtime_error("no memory for " + std::to_string(bytes) + " bytes");
    data_ = static_cast<char*>(got);
    clear(bytes);
  }
  ~Buffer() { munmap(data_, static_cast<std::size_t>(bytes_)); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  char* data() const { return data_; }
  void clear(std::int64_t bytes) { std::memset(data_, kGap, static_cast<std::size_t>(bytes)); }

 private:
  std::int64_t bytes_;
  char* data_;
};

// What one rank sends from and receives into.
struct Buffers {
  Buffer out, in;
  explicit Buffers(std::int64_t bytes) : out(bytes), in(bytes) {}
};

// One member of a group, on one rank.
class Player {
 public:
  // `kept`: the memory of all members of a group whose buffers are used for ever; else null.
  Player(const Group& group, const Member& member, const Layout& layout, Link& link, int rank, bool is_wrong,
         Buffers* kept)
      : group_(group), member_(member), layout_(layout), link_(link), rank_(rank), is_wrong_(is_wrong), kept_(kept) {}

  const Member& member() const { return member_; }
  std::vector<double> samples;            // a round trip, or the mean of those of a buffer [ns]
  std::vector<std::vector<double>> uses;  // each round trip of a buffer that is used more than once [ns]
  double first_ns = 0;                    // the very first one
  Json counted;

  // A message each way into memory that was full of another byte; every byte is compared. What was wrong, on rank 0.
  std::string prove() {
    std::string wrong;
    provide();
    memory().in.clear(layout_.span());
    const double ns = round_trip(true);
    if (first_ns == 0) first_ns = ns;
    if (is_wrong_ && rank_ == 0) memory().in.data()[0] ^= 1;
    wrong = layout_.wrong(memory().in.data(), 1 - rank_, version_, kGap);
    if (!wrong.empty()) wrong = "rank " + std::to_string(rank_) + ": " + wrong;
    if (rank_ == 1) {
      link_.tell(static_cast<std::int64_t>(wrong.size()), 0);
      if (!wrong.empty())
        std::cerr << "fabric_exchange: " << group_.id << ", " << member_.name << ": " << wrong << '\n';
    } else if (link_.hear(1) != 0 && wrong.empty()) {
      wrong = "rank 1 received other data than were sent";
    }
    if (group_.reuse > 0) take_away();
    return wrong;
  }
  // As the samples are, but not kept.
  void warm_up() {
    for (std::int64_t done = 0; done < member_.warmup;) done += life(nullptr);
  }
  void sample() {
    const GAPLESS_Channel_counters before = link_.count();
    double sum = 0;
    std::int64_t trips = 0;
    const std::int64_t lives = group_.reuse > 0 ? group_.together : 1;
    for (std::int64_t k = 0; k < lives; ++k) {
      std::vector<double> times;
      trips += life(&times);
      for (const double ns : times) sum += ns;
      if (group_.reuse <= 1)
        samples.insert(samples.end(), times.begin(), times.end());
      else
        samples.push_back(std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size()));
      if (group_.reuse > 1) uses.push_back(std::move(times));
    }
    total_ns_ += sum;
    trips_ += trips;
    add(since(before, link_.count()));
  }
  // A round trip that is not kept [ms].
  double trial_ms() {
    provide();
    const double ns = round_trip(group_.is_fresh);
    if (group_.reuse > 0) take_away();
    return ns / 1e6;
  }
  double total_ns() const { return total_ns_; }  // of all samples
  std::int64_t trips() const { return trips_; }
  void end() { take_away(); }

 private:
  // One buffer from its first use to its last, or a sample of one that is kept. How many round trips that is.
  std::int64_t life(std::vector<double>* times) {
    provide();
    const std::int64_t trips = group_.reuse > 0 ? group_.reuse : group_.together;
    for (std::int64_t k = 0; k < trips; ++k) {
      const double ns = round_trip(group_.is_fresh);
      if (times != nullptr) times->push_back(ns);
    }
    if (group_.reuse > 0) take_away();
    return trips;
  }
  double round_trip(bool writes) {
    const int peer = 1 - rank_;
    if (writes) layout_.write(memory().out.data(), rank_, ++version_);
    // Whoever answers has written, too, before the clock runs.
    if (rank_ == 1) {
      link_.tell(0, 0);
      link_.receive(memory().in.data(), 1, layout_.type(), peer);
      link_.send(memory().out.data(), 1, layout_.type(), peer);
      return 0;
    }
    link_.hear(1);
    const double begun_ns = now_ns();
    link_.send(memory().out.data(), 1, layout_.type(), peer);
    link_.receive(memory().in.data(), 1, layout_.type(), peer);
    return now_ns() - begun_ns;
  }
  Buffers& memory() { return kept_ != nullptr ? *kept_ : *buffers_; }
  void provide() {
    if (kept_ != nullptr ? version_ != 0 : buffers_ != nullptr) return;
    if (kept_ == nullptr) buffers_ = std::make_unique<Buffers>(layout_.span());
    layout_.write(memory().out.data(), rank_, ++version_);
  }
  void take_away() {
    if (kept_ == nullptr && !buffers_) return;
    link_.forget(memory().out.data(), layout_.span());
    link_.forget(memory().in.data(), layout_.span());
    buffers_.reset();
  }
  void add(const Json& more) {
    for (const auto& [name, value] : more.items()) {
      const bool adds = counted.contains(name) && name != "endpoints" && name != "memory_bytes" && name != "peer_bytes";
      counted[name] = value.get<std::int64_t>() + (adds ? counted[name].get<std::int64_t>() : 0);
    }
  }

  const Group& group_;
  const Member& member_;
  const Layout& layout_;
  Link& link_;
  const int rank_;
  const bool is_wrong_;
  std::uint32_t version_ = 0;
  double total_ns_ = 0;
  std::int64_t trips_ = 0;
  Buffers* const kept_;
  std::unique_ptr<Buffers> buffers_;
};

class Exchange {
 public:
  Exchange(const Job& job, const Place& place) : job_(job), rank_(place.rank), random_(job.seed) {
    for (const std::string& way : job.ways) links_.emplace(way, std::make_unique<Link>(place, way));
    print({{"kind", "facts"}, {"provider", control().provider()}, {"ways", job.ways}, {"groups", job.groups.size()}});
  }

  bool run() {
    bool all_right = true;
    for (std::size_t k = 0; k < job_.groups.size(); ++k) {
      all_right = measure(job_.groups[k]) && all_right;
      print({{"kind", "progress"}, {"done", k + 1}, {"of", job_.groups.size()}});
    }
    for (auto& [way, link] : links_) link->close();
    return all_right;
  }

 private:
  Link& control() { return *links_.at(job_.ways.front()); }
  void print(Json more) {
    if (rank_ != 0) return;
    Json line{{"schema", kSchema}};
    line.update(more);
    std::cout << line.dump() << '\n' << std::flush;
  }
  // Rank 0 says it, both return it.
  bool agree(bool what) {
    if (rank_ == 0) {
      control().tell(what ? 1 : 0, 1);
      return what;
    }
    return control().hear(0) != 0;
  }

  bool measure(const Group& group) {
    const Layout typed(group.layout.type, group.layout.loops, group.layout.run_bytes);
    const Layout array("contiguous(" + std::to_string(typed.bytes()) + ", byte)", {}, typed.bytes());
    std::unique_ptr<Buffers> kept;
    if (group.reuse == 0) kept = std::make_unique<Buffers>(std::max(typed.span(), array.span()));
    std::vector<std::unique_ptr<Player>> players;
    for (const Member& member : group.members) {
      const bool is_array = member.is_array || (group.is_one_sided && rank_ == 1);
      players.push_back(std::make_unique<Player>(group, member, is_array ? array : typed, *links_.at(member.way), rank_,
                                                 member.name == job_.wrong, kept.get()));
    }
    bool right = prove(group, players);
    refuse_slow(group, players);
    for (auto& player : players) player->warm_up();
    std::vector<std::size_t> order(players.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
    const double begun_ns = now_ns();
    for (std::int64_t sample = 0; !players.empty() && sample < group.most; ++sample) {
      if (!agree(sample < group.fewest || now_ns() - begun_ns < group.budget_ms * 1e6)) break;
      std::shuffle(order.begin(), order.end(), random_);  // alike on both: the same seed
      for (const std::size_t k : order) players[k]->sample();
    }
    right = prove(group, players) && right;
    for (auto& player : players) report(group, *player, typed.bytes());
    if (rank_ == 0) packing(group, typed);
    for (auto& player : players) player->end();
    return right;
  }

  // A member whose data are wrong is not measured.
  bool prove(const Group& group, std::vector<std::unique_ptr<Player>>& players) {
    bool all_right = true;
    for (auto player = players.begin(); player != players.end();) {
      const std::string wrong = (*player)->prove();
      if (agree(wrong.empty())) {
        ++player;
        continue;
      }
      all_right = false;
      print({{"kind", "error"},
             {"experiment", "fabric"},
             {"group", group.id},
             {"member", (*player)->member().name},
             {"reason", "wrong data: " + wrong}});
      (*player)->end();
      player = players.erase(player);
    }
    return all_right;
  }

  void refuse_slow(const Group& group, std::vector<std::unique_ptr<Player>>& players) {
    std::erase_if(players, [&](const std::unique_ptr<Player>& player) {
      if (player->member().is_array || agree(player->trial_ms() <= group.limit_ms)) return false;
      print({{"kind", "refused"},
             {"experiment", "fabric"},
             {"group", group.id},
             {"member", player->member().name},
             {"reason", "longer than a member of this group may take"}});
      player->end();
      return true;
    });
  }

  void report(const Group& group, const Player& player, std::int64_t bytes) {
    Json uses = Json::array();
    for (const std::vector<double>& of : player.uses) uses.push_back(tenths(of));
    print({{"kind", "samples"},
           {"experiment", "fabric"},
           {"group", group.id},
           {"member", player.member().name},
           {"way", player.member().way},
           {"bytes", bytes},
           {"samples", tenths(player.samples)},
           {"first", tenth(player.first_ns)},
           {"verified", true}});
    print({{"kind", "counts"},
           {"experiment", "fabric"},
           {"what", "transfers"},
           {"group", group.id},
           {"member", player.member().name},
           {"uses", std::move(uses)},
           {"timed_ns", tenth(player.total_ns())},
           {"trips", player.trips()},
           {"counters", player.counted}});
  }

  // What packing and unpacking take by themselves.
  void packing(const Group& group, const Layout& layout) {
    Buffer memory(layout.span()), packed(layout.bytes());
    std::vector<double> pack, unpack;
    for (int k = 0; k < kPackings; ++k) {
      layout.write(memory.data(), 0, static_cast<std::uint32_t>(k));
      std::int64_t moved = 0;
      const double begun_ns = now_ns();
      const gapless_status one =
          gapless_pack(memory.data(), 1, layout.type(), 0, packed.data(), layout.bytes(), &moved);
      const double between_ns = now_ns();
      const gapless_status other =
          gapless_unpack(packed.data(), layout.bytes(), 0, memory.data(), 1, layout.type(), &moved);
      const double ended_ns = now_ns();
      if (one != GAPLESS_SUCCESS || other != GAPLESS_SUCCESS) throw std::runtime_error(gapless_last_error());
      pack.push_back(between_ns - begun_ns);
      unpack.push_back(ended_ns - between_ns);
    }
    print({{"kind", "counts"},
           {"experiment", "fabric"},
           {"what", "packing"},
           {"group", group.id},
           {"bytes", layout.bytes()},
           {"runs", layout.runs()},
           {"span", layout.span()},
           {"pack", tenths(pack)},
           {"unpack", tenths(unpack)}});
  }

  const Job& job_;
  const int rank_;
  std::mt19937_64 random_;
  std::map<std::string, std::unique_ptr<Link>> links_;
};

}  // namespace

bool exchange(const Job& job, const Place& place) {
  return Exchange(job, place).run();
}

}  // namespace gapless::lab::fabric
