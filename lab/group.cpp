#include "group.hpp"

#include "agreement.hpp"

#include <algorithm>
#include <ctime>
#include <numeric>
#include <random>

namespace gapless::lab {
namespace {

double now_ns() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

void round_trip(Channel& channel, int rank) {
  if (rank == 0) {
    channel.send(1);
    channel.receive(1);
  } else {
    channel.receive(0);
    channel.send(0);
  }
}

// After a zero-byte exchange neither rank is late: each has heard from the other.
void synchronise(int rank) {
  constexpr int kTag = 8;
  MPI_Sendrecv(nullptr, 0, MPI_BYTE, 1 - rank, kTag, nullptr, 0, MPI_BYTE, 1 - rank, kTag, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

// The methods take turns, so each finds the caches and the library as another one left them. One round trip (or call)
// that is not timed lets every method start from its own.
double sample_ns(Method& method, int round_trips, int rank) {
  Channel& channel = *method.channel;
  if (!method.sends()) {
    // The other rank waits for the next message meanwhile, as it does while this one packs for real.
    synchronise(rank);
    if (rank != 0) return 0;
    channel.send(1);
    const double start_ns = now_ns();
    for (int i = 0; i < round_trips; ++i) channel.send(1);
    return (now_ns() - start_ns) / round_trips;
  }
  round_trip(channel, rank);
  synchronise(rank);
  const double start_ns = now_ns();
  for (int i = 0; i < round_trips; ++i) round_trip(channel, rank);
  return (now_ns() - start_ns) / (2.0 * round_trips);
}

// Fisher-Yates on the raw generator: std::shuffle may differ between the standard libraries of two hosts.
void shuffle(std::vector<std::size_t>& order, std::mt19937_64& random) {
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
}

void prove_type_maps(const Layout& layout, const std::vector<Description>& descriptions, const std::string& group) {
  const TypeMap expected = layout.type_map();
  for (const Description& description : descriptions) {
    const TypeMap found = description.type.type_map(description.count, layout.element_bytes);
    std::optional<std::string> failure;
    if (found.size() != expected.size()) {
      failure = "type map of " + std::to_string(found.size()) + " elements, not " + std::to_string(expected.size());
    } else if (found != expected) {
      const auto at = std::mismatch(expected.begin(), expected.end(), found.begin());
      failure = "type map differs at element " + std::to_string(at.first - expected.begin()) + ": " +
                std::to_string(*at.second) + " bytes, not " + std::to_string(*at.first);
    }
    agree_or_throw(failure, group + " " + description.name);
  }
}

void prove_transfer(Method& method, Buffers& buffers, const LayerSwitch& layer, int rank, const std::string& where) {
  using Result = Method::Result;
  using Packed = Buffers::Packed;
  buffers.reset(method.leaves == Result::kReceivedContiguous    ? Packed::kOwnPayload
                : method.leaves == Result::kUnpackedFromScratch ? Packed::kPeersPayload
                                                                : Packed::kNothing);
  const long long before = layer.conversions();
  layer.set(method.layer_on);
  if (method.sends())
    round_trip(*method.channel, rank);
  else
    method.channel->send(1 - rank);
  layer.set(false);
  if (before >= 0 && method.layer_on) method.result.layer_acts = layer.conversions() > before;
  agree_or_throw(method.leaves == Result::kReceivedContiguous ? buffers.check_packed()
                 : method.leaves == Result::kPackedInScratch  ? buffers.check_scratch()
                                                              : buffers.check_user(),
                 where + " " + method.result.description + " " + method.result.method);
}

}  // namespace

GroupResult run_group(const Case& one, const Options& options, const GroupSettings& settings, const LayerSwitch& layer,
                      int rank) {
  const std::string group = one.name();
  const Layout layout = one.layout();
  GroupResult result;
  std::vector<Description> descriptions = describe(layout, one.variant, result.skipped);
  if (options.basic_only) {
    descriptions.erase(descriptions.begin() + 1, descriptions.end());
    result.skipped.clear();
  }
  prove_type_maps(layout, descriptions, group);

  // Types are made with the layer on, as in a program that starts under it.
  layer.set(true);
  std::vector<MpiType> types;
  int packed_bytes = 0;
  for (const Description& description : descriptions) {
    types.push_back(description.type.commit());
    int bound_bytes = 0;
    MPI_Pack_size(description.count, types.back().handle(), MPI_COMM_WORLD, &bound_bytes);
    packed_bytes = std::max(packed_bytes, bound_bytes);
  }
  layer.set(false);

  Buffers buffers(layout, static_cast<std::size_t>(packed_bytes), rank);
  std::vector<Method> methods = make_methods(options, layout, descriptions, types, buffers, layer);
  for (Method& method : methods) prove_transfer(method, buffers, layer, rank, group + " before timing:");

  std::vector<std::size_t> order(methods.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 random(settings.seed);
  for (int rep = -settings.warmup_reps; rep < settings.reps; ++rep) {
    shuffle(order, random);
    for (std::size_t at : order) {
      Method& method = methods[at];
      layer.set(method.layer_on);
      const double ns = sample_ns(method, settings.round_trips_per_sample, rank);
      layer.set(false);
      if (rep >= 0) method.result.samples_ns.push_back(ns);
    }
  }

  for (Method& method : methods) prove_transfer(method, buffers, layer, rank, group + " after timing:");
  for (Method& method : methods) result.methods.push_back(std::move(method.result));
  return result;
}

}  // namespace gapless::lab
