// The ways in which a cell's message is moved, and one timed transfer of each.
#pragma once

#include "cell.hpp"
#include "layer_switch.hpp"

#include <stdexcept>
#include <string>
#include <vector>

namespace gapless::lab::tune {

struct WrongData : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class Kind {
  kBoth,      // to and fro, typed on both sides
  kSend,      // typed at the sender alone
  kReceive,   // typed at the receiver alone
  kExchange,  // nonblocking, both ways at once, typed on both sides
  kPack,      // MPI_Pack
  kUnpack,    // MPI_Unpack
};

// What is done with the type on a side. By the rules: natively or packed, as they say. Paired: through memory that both
// processes share.
enum class Deed { kNative, kPacked, kPackedPast, kByRules, kPaired };

struct Way {
  std::string name;
  Kind kind;
  Deed sent, received;
};
// The native and the packed ones; and the paired ones, each with what the rules decide where nothing is paired.
const std::vector<Way>& ways();
const std::vector<Way>& paired_ways();

// Moves a cell's messages between the two ranks.
class Mover {
 public:
  Mover(int rank, const LayerSwitch& layer, bool fresh) : rank_(rank), peer_(1 - rank), layer_(layer), fresh_(fresh) {}
  // On both ranks. Each writes its data anew, untimed, unless they are to stay as they are; then one transfer is timed,
  // or several short ones. Returns, on rank 0, the nanoseconds of one message (to and fro is two). Throws WrongData
  // where something else arrived than was sent.
  double time(Cell& cell, const Way& way);

 private:
  void become(Deed deed) const;
  void send(Cell& cell, const Way& way);
  void receive(Cell& cell, const Way& way);
  void exchange(Cell& cell, const Way& way);
  void move(Cell& cell, const Way& way);
  void check(Cell& cell, const Way& way, unsigned char value) const;
  int rank_, peer_;
  const LayerSwitch& layer_;
  const bool fresh_;
  unsigned char round_ = 0;
};

}  // namespace gapless::lab::tune
