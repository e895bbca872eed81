#include "phases.hpp"

#include "mpi_type.hpp"

#include <mpi.h>

#include <cstdlib>
#include <utility>

namespace gapless::lab::exchange {
namespace {

class Stamped final : public Packing {
 public:
  Stamped(std::unique_ptr<Packing> packing, Stamps& stamps) : packing_(std::move(packing)), stamps_(stamps) {}
  int pack(const char* from, char* packed) const override {
    int bytes = 0;
    stamps_.pack.add(stamps_.clock_reading_ns, [&] { bytes = packing_->pack(from, packed); });
    return bytes;
  }
  void unpack(const char* packed, int bytes, char* to) const override {
    stamps_.unpack.add(stamps_.clock_reading_ns, [&] { packing_->unpack(packed, bytes, to); });
  }

 private:
  std::unique_ptr<Packing> packing_;
  Stamps& stamps_;
};

bool has_types(MethodKind method) {
  return !is_by_hand(method) && method != MethodKind::kManual && method != MethodKind::kEngine;
}

bool has_buffer(MethodKind method) {
  return method != MethodKind::kNative && method != MethodKind::kGapless && method != MethodKind::kLocal;
}

}  // namespace

std::unique_ptr<Packing> stamped(std::unique_ptr<Packing> packing, Stamps& stamps) {
  return std::make_unique<Stamped>(std::move(packing), stamps);
}

Preparation prepare_once(MethodKind method, const Message& message) {
  MpiType send, receive;
  // Volatile: what is never used would not be allocated either.
  void* volatile buffer = nullptr;
  const double start_ns = now_ns();
  if (has_types(method)) {
    send = make_type(*message.send.type);
    if (message.has_unlike_ends()) receive = make_type(*message.receive.type);
  }
  if (has_buffer(method)) buffer = std::malloc(static_cast<std::size_t>(message.packed_capacity));
  const double made_ns = now_ns();
  if (has_buffer(method)) std::free(buffer);
  if (has_types(method)) {
    send = MpiType();
    receive = MpiType();
  }
  return {made_ns - start_ns, now_ns() - made_ns};
}

Phases reduce_phases(const std::vector<PhaseSample>& samples, bool ping_pong, Place place) {
  constexpr std::size_t kPhases = 5;
  const double ranks = place.ranks, each = ping_pong ? 1 : ranks;
  std::vector<double> own, all(kPhases * samples.size());
  for (const PhaseSample& of : samples) {
    const Writing &pack = of.stamps.pack, &unpack = of.stamps.unpack;
    // Rank 0 waits while the other one works, so that its round trip has the work of both.
    const double whole_ns = ping_pong && place.rank != 0 ? 0 : of.whole_ns;
    const double known_ns = pack.ns + pack.clock_ns + unpack.ns + unpack.clock_ns + of.writing.ns + of.writing.clock_ns;
    own.insert(own.end(), {of.preparation.create_ns / ranks, pack.ns / each, (whole_ns - known_ns) / each,
                           unpack.ns / each, of.preparation.free_ns / ranks});
  }
  MPI_Reduce(own.data(), all.data(), static_cast<int>(own.size()), MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  Phases phases;
  for (std::size_t at = 0; at < all.size(); at += kPhases) {
    phases.create.push_back(all[at]);
    phases.pack.push_back(all[at + 1]);
    phases.communicate.push_back(all[at + 2]);
    phases.unpack.push_back(all[at + 3]);
    phases.free.push_back(all[at + 4]);
  }
  return phases;
}

}  // namespace gapless::lab::exchange
