// The run-time switch of the Gapless layer, found at run time: the lab neither links nor needs the layer.
#pragma once

#include "gapless/gapless_layer.h"

#include <optional>

namespace gapless::lab {

class LayerSwitch {
 public:
  LayerSwitch();
  // Whether the layer sits under this process.
  bool present() const { return switch_ != nullptr; }
  // How many calls of MPI_Send, MPI_Recv and their nonblocking forms the layer has converted in this process, and how
  // many of them went through memory that processes share; nothing where it does not count.
  struct Counted {
    long long converted = 0, paired = 0;
  };
  std::optional<Counted> counted() const;
  // How many messages this process has received by each way that copies out of the sender's memory; nothing where the
  // layer does not count.
  struct Received {
    long long kernel = 0, direct = 0;
  };
  std::optional<Received> received() const;
  // Turns the layer on or off; does nothing where it is absent. Never called inside a timed section.
  void set(bool on) const;
  // On, and what is sent is packed past the caches.
  void set_past() const;
  // The same for collectives too: to be called by all ranks alike.
  void set_all(bool on) const;
  // Collectives on, and all-to-alls by the layer's own algorithms or by none of them: to be called by all ranks alike.
  void set_own_alltoall(bool on) const;
  // Whether messages may go through memory that processes share: to be called by all ranks alike.
  void set_paired(bool on) const;
  // Whether it has several ways for a message between two processes of a node, and the one to take from now on, of
  // GAPLESS_WAY_*: to be called by both ends alike.
  bool has_ways() const { return way_ != nullptr; }
  void set_way(int way) const;

 private:
  std::optional<GAPLESS_Counters> count(const char* of) const;
  int (*switch_)(int on) = nullptr;
  int (*collectives_)(int on) = nullptr;
  int (*paired_)(int on) = nullptr;
  int (*way_)(int way) = nullptr;
  int (*count_)(const char* of, GAPLESS_Counters* counters) = nullptr;
};

}  // namespace gapless::lab
