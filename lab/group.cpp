#include "group.hpp"

#include "agreement.hpp"

#include <algorithm>
#include <ctime>
#include <numeric>
#include <random>

namespace gapless::lab {
namespace {

struct Method {
  MethodResult result;
  bool layer_on;
  bool lands_packed;  // the payload ends in the contiguous buffer, not in the user's
  std::unique_ptr<Channel> channel;
};

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

double sample_ns(Channel& channel, int round_trips, int rank) {
  // The methods take turns, so each finds the caches and the library as another one left them. One round trip
  // that is not timed lets every method start from its own.
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
    const TypeMap found = description.type.type_map(description.count);
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
  buffers.reset(method.lands_packed);
  layer.set(method.layer_on);
  round_trip(*method.channel, rank);
  layer.set(false);
  agree_or_throw(method.lands_packed ? buffers.check_packed() : buffers.check_user(),
                 where + " " + method.result.description + " " + method.result.method);
}

std::vector<Method> make_methods(const Layout& layout, const std::vector<Description>& descriptions,
                                 const std::vector<MpiType>& types, Buffers& buffers, bool layer_present) {
  std::vector<Method> methods;
  methods.push_back({{"contiguous", "int32", "contiguous", {"ET1"}, {}},
                     false,
                     true,
                     make_contiguous_channel(buffers, static_cast<int>(layout.payload_elements()))});
  methods.push_back({{"manual", "int32", "manual", {}, {}}, false, false, make_manual_channel(buffers, layout)});
  for (std::size_t i = 0; i < descriptions.size(); ++i) {
    const Description& description = descriptions[i];
    const auto add = [&](const char* name, bool layer_on, std::unique_ptr<Channel> channel) {
      methods.push_back({{description.name, description.type.text(), name, description.tests, {}},
                         layer_on,
                         false,
                         std::move(channel)});
    };
    add("pack", false, make_pack_channel(buffers, description.count, types[i].handle()));
    add("native", false, make_typed_channel(buffers, description.count, types[i].handle()));
    if (layer_present) add("gapless", true, make_typed_channel(buffers, description.count, types[i].handle()));
  }
  return methods;
}

}  // namespace

GroupResult run_group(const Case& one, const GroupSettings& settings, const LayerSwitch& layer, int rank) {
  const std::string group = one.name();
  const Layout layout = one.layout();
  GroupResult result;
  const std::vector<Description> descriptions = describe(layout, one.variant, result.skipped);
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
  std::vector<Method> methods = make_methods(layout, descriptions, types, buffers, layer.present());
  for (Method& method : methods) prove_transfer(method, buffers, layer, rank, group + " before timing:");

  std::vector<std::size_t> order(methods.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 random(settings.seed);
  for (int rep = -settings.warmup_reps; rep < settings.reps; ++rep) {
    shuffle(order, random);
    for (std::size_t at : order) {
      Method& method = methods[at];
      layer.set(method.layer_on);
      const double half_round_trip_ns = sample_ns(*method.channel, settings.round_trips_per_sample, rank);
      layer.set(false);
      if (rep >= 0) method.result.half_round_trip_ns.push_back(half_round_trip_ns);
    }
  }

  for (Method& method : methods) prove_transfer(method, buffers, layer, rank, group + " after timing:");
  for (Method& method : methods) result.methods.push_back(std::move(method.result));
  return result;
}

}  // namespace gapless::lab
