#include "group.hpp"

#include "agreement.hpp"
#include "clock.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

namespace gapless::lab {
namespace {

// A method at work: with fresh data it writes what it sends before each message.
struct Worker {
  Method& method;
  Buffers& buffers;
  bool fresh;
  double clock_reading;
  Writing writing{};

  void write() {
    if (!fresh) return;
    writing.add(clock_reading, [this] {
      if (method.leaves == Method::Result::kReceivedContiguous)
        buffers.write_packed();
      else
        buffers.write_user();
    });
  }

  void round_trip(int rank) {
    Channel& channel = *method.channel;
    if (rank == 0) {
      write();
      channel.send(1);
      channel.receive(1);
    } else {
      channel.receive(0);
      write();
      channel.send(0);
    }
  }

  // Of what sends nothing. Nobody writes what is unpacked.
  bool packs() const { return method.leaves == Method::Result::kPackedInScratch; }
};

// After a zero-byte exchange neither rank is late: each has heard from the other.
void synchronise(int rank) {
  constexpr int kTag = 8;
  MPI_Sendrecv(nullptr, 0, MPI_BYTE, 1 - rank, kTag, nullptr, 0, MPI_BYTE, 1 - rank, kTag, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

// What this rank knows of a sample; on rank 0 the time is that of all its round trips.
struct Sample {
  double ns;
  Writing writing;  // part of it, on this rank
};

// The methods take turns, so each finds the caches and the library as another one left them. One round trip (or call)
// that is not timed lets every method start from its own.
Sample sample_of(Worker worker, int round_trips, int rank) {
  if (!worker.method.sends()) {
    // The other rank waits for the next message meanwhile, as it does while this one packs for real.
    synchronise(rank);
    double ns = 0;
    for (int i = -1; i < round_trips; ++i) {
      if (worker.fresh && worker.packs()) rank == 0 ? worker.write() : worker.buffers.skip();
      if (rank != 0) continue;
      const double start_ns = now_ns();
      worker.method.channel->send(1);
      if (i >= 0) ns += now_ns() - start_ns - worker.clock_reading;
    }
    return {ns, {}};
  }
  worker.round_trip(rank);
  worker.writing = {};
  synchronise(rank);
  const double start_ns = now_ns();
  for (int i = 0; i < round_trips; ++i) worker.round_trip(rank);
  return {now_ns() - start_ns, worker.writing};
}

// Fisher-Yates on the raw generator: std::shuffle may differ between the standard libraries of two hosts.
void shuffle(std::vector<std::size_t>& order, std::mt19937_64& random) {
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
}

void prove_type_maps(const std::vector<ByteRun>& expected, const std::vector<Description>& descriptions,
                     const std::string& group) {
  const auto same = [](const ByteRun& a, const ByteRun& b) {
    return a.displacement_bytes == b.displacement_bytes && a.bytes == b.bytes;
  };
  for (const Description& description : descriptions) {
    const std::vector<ByteRun> found = runs_of(description.type, description.count);
    std::optional<std::string> failure;
    const auto at = std::mismatch(expected.begin(), expected.end(), found.begin(), found.end(), same);
    if (found.size() != expected.size())
      failure = "type map of " + std::to_string(found.size()) + " runs, not " + std::to_string(expected.size());
    else if (at.first != expected.end())
      failure = "type map differs at run " + std::to_string(at.first - expected.begin()) + ": " +
                std::to_string(at.second->bytes) + " bytes at " + std::to_string(at.second->displacement_bytes) +
                ", not " + std::to_string(at.first->bytes) + " at " + std::to_string(at.first->displacement_bytes);
    agree_or_throw(failure, group + " " + description.name);
  }
}

void prove_transfer(Worker worker, const LayerSwitch& layer, int rank, const std::string& where) {
  using Result = Method::Result;
  using Packed = Buffers::Packed;
  Method& method = worker.method;
  Buffers& buffers = worker.buffers;
  buffers.reset(method.leaves == Result::kReceivedContiguous    ? Packed::kOwnPayload
                : method.leaves == Result::kUnpackedFromScratch ? Packed::kPeersPayload
                                                                : Packed::kNothing);
  const long long before = layer.conversions();
  layer.set(method.layer_on);
  // Twice with fresh data: who kept the first message's would be seen to send it again.
  for (int i = 0; i < (worker.fresh ? 2 : 1); ++i) {
    if (method.sends()) {
      worker.round_trip(rank);
    } else {
      if (worker.packs()) worker.write();
      method.channel->send(1 - rank);
    }
  }
  layer.set(false);
  if (before >= 0 && method.layer_on) method.result.layer_acts = layer.conversions() > before;
  agree_or_throw(method.leaves == Result::kReceivedContiguous ? buffers.check_packed()
                 : method.leaves == Result::kPackedInScratch  ? buffers.check_scratch()
                                                              : buffers.check_user(),
                 where + " " + method.result.description + " " + method.result.method);
}

// Half of a round trip each, without and with the writing of both ranks.
void collect(std::vector<Method>& methods, const std::vector<std::vector<Sample>>& samples, int round_trips,
             bool fresh) {
  std::vector<double> own, both;
  for (const auto& of : samples)
    for (const Sample& sample : of) own.insert(own.end(), {sample.writing.ns, sample.writing.clock_ns});
  both.resize(own.size());
  MPI_Reduce(own.data(), both.data(), static_cast<int>(own.size()), MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  auto at = both.cbegin();
  for (std::size_t i = 0; i < methods.size(); ++i) {
    const double share = (methods[i].sends() ? 2.0 : 1.0) * round_trips;
    for (const Sample& sample : samples[i]) {
      const double writing_ns = *at++, cycle_ns = sample.ns - *at++;
      methods[i].result.samples_ns.push_back((cycle_ns - writing_ns) / share);
      if (fresh && methods[i].sends()) methods[i].result.cycle_ns.push_back(cycle_ns / share);
    }
  }
}

// Committed with the layer on, as in a program that starts under it.
std::vector<DescribedTypes> make_types(const Exchange& exchange, bool basic_only, const LayerSwitch& layer) {
  layer.set(true);
  std::vector<DescribedTypes> types;
  for (std::size_t i = 0; i < (basic_only ? 1 : exchange.send.descriptions.size()); ++i) {
    const Description &sent = exchange.send.descriptions[i], &received = exchange.receive.descriptions[i];
    types.push_back({&sent, sent.type.commit(), &received, received.type.commit()});
  }
  layer.set(false);
  return types;
}

}  // namespace

std::vector<MethodResult> run_group(const std::string& group, const Subject& subject, const Options& options,
                                    const GroupSettings& settings, const LayerSwitch& layer, int rank) {
  prove_type_maps(subject.sent, subject.exchange.send.descriptions, group + " sent as");
  prove_type_maps(subject.received, subject.exchange.receive.descriptions, group + " received as");
  const std::vector<DescribedTypes> types = make_types(subject.exchange, options.basic_only, layer);
  int packed_bytes = 0;
  for (const DescribedTypes& of : types)
    for (const auto& [count, type] : {std::pair{of.ends().send_count, of.ends().send_type},
                                      std::pair{of.ends().receive_count, of.ends().receive_type}}) {
      int bound_bytes = 0;
      MPI_Pack_size(count, type, MPI_COMM_WORLD, &bound_bytes);
      packed_bytes = std::max(packed_bytes, bound_bytes);
    }

  Buffers buffers(subject, static_cast<std::size_t>(packed_bytes), rank);
  std::vector<Method> methods = make_methods(options, subject, types, buffers, layer);
  const double clock = clock_reading_ns();
  const auto worker = [&](std::size_t at) { return Worker{methods[at], buffers, options.fresh, clock, {}}; };
  for (std::size_t i = 0; i < methods.size(); ++i) prove_transfer(worker(i), layer, rank, group + " before timing:");

  std::vector<std::vector<Sample>> samples(methods.size());
  std::vector<std::size_t> order(methods.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 random(settings.seed);
  for (int rep = -settings.warmup_reps; rep < settings.reps; ++rep) {
    shuffle(order, random);
    for (std::size_t at : order) {
      layer.set(methods[at].layer_on);
      const Sample sample = sample_of(worker(at), settings.round_trips_per_sample, rank);
      layer.set(false);
      if (rep >= 0) samples[at].push_back(sample);
    }
  }

  for (std::size_t i = 0; i < methods.size(); ++i) prove_transfer(worker(i), layer, rank, group + " after timing:");
  collect(methods, samples, settings.round_trips_per_sample, options.fresh);
  std::vector<MethodResult> results;
  for (Method& method : methods) results.push_back(std::move(method.result));
  return results;
}

}  // namespace gapless::lab
