// One endpoint of libfabric for all peers: reliable, connectionless (FI_EP_RDM). Frames, one-sided writes and chunks,
// each of which ends as one Completion. This folder alone includes libfabric's headers, and this file's source its data
// path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "wire/fabric/failure.hpp"

namespace gapless::wire::fabric {

// What an operation is known by until its completion has been read. libfabric keeps notes of its own at the front.
struct Operation {
  enum class Kind : std::uint8_t { kFrameIn, kFrameOut, kWrite, kChunkIn, kChunkOut };
  void* provider[8] = {};
  void* owner = nullptr;
  Kind kind = Kind::kFrameOut;
};

struct Completion {
  Operation* operation = nullptr;  // nullptr: a peer has written here
  std::uint32_t data = 0;          // what the peer's last write carried
  std::size_t bytes = 0;           // of a frame
  int error = 0;                   // libfabric's, positive; 0: all is well
};

struct Wanted {
  std::string provider, domain, address;  // empty: the best that there is; any; any
};

// Memory that the network may reach.
struct Registration {
  struct Closer {
    void operator()(void* region) const noexcept;
  };
  std::unique_ptr<void, Closer> region;  // fid_mr
  void* descriptor = nullptr;            // for local use
  std::uint64_t key = 0, base = 0;       // for a peer: its address of the first byte
};

// A piece of local memory and the registration that it lies in.
struct Local {
  void* base;
  std::size_t bytes;
  void* descriptor;
};
// A piece of a peer's memory.
struct Remote {
  std::uint64_t address, bytes, key;
};

class Endpoint {
 public:
  // Throws Failure(kFabric) that names the providers there are.
  explicit Endpoint(const Wanted& wanted);
  ~Endpoint();
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

  const std::string& address() const noexcept { return address_; }    // opaque bytes, for a peer's add()
  const std::string& provider() const noexcept { return provider_; }  // its name
  // Throws Failure(kFabric) if a peer with this address uses another provider.
  void check(const std::string& address) const;
  // Makes a peer known by its address.
  std::uint64_t add(const std::string& address);

  int most_local() const noexcept { return most_local_; }        // pieces of one operation
  int most_remote() const noexcept { return most_remote_; }      // pieces of one write
  int most_receives() const noexcept { return most_receives_; }  // under way
  // Whether a peer's writes are done when the last one is.
  bool is_ordered() const noexcept { return is_ordered_; }
  // Whether the provider asks for registrations of memory that only this process uses.
  bool registers_local() const noexcept { return registers_local_; }

  // Any thread may register. Throws Failure(kFabric).
  Registration make_reachable(void* base, std::size_t bytes, bool by_peers);

  // Each returns 0, or libfabric's error, positive; FI_EAGAIN (is_busy) means: poll, then try again.
  int send(std::uint64_t peer, const Local& frame, Operation& operation) noexcept;
  int receive(const Local& frame, Operation& operation) noexcept;
  // Writes local pieces, one after the other, to remote ones; `last`: with `data` for the peer.
  int write(std::uint64_t peer, std::span<const Local> from, std::span<const Remote> to, bool last, std::uint32_t data,
            Operation& operation) noexcept;
  int send_chunk(std::uint64_t peer, std::span<const Local> from, std::uint64_t tag, Operation& operation) noexcept;
  int receive_chunk(std::uint64_t peer, std::span<const Local> to, std::uint64_t tag, Operation& operation) noexcept;
  // Takes back a receive; it completes with an error, or has completed.
  void cancel(Operation& operation) noexcept;

  // Up to `limit` completions; moves what waits to be moved. Returns how many.
  int poll(Completion* completions, int limit) noexcept;
  static bool is_busy(int error) noexcept;
  static std::string text(int error);

 private:
  struct Handles;
  std::unique_ptr<Handles> handles_;
  std::string address_, provider_;
  int most_local_ = 1, most_remote_ = 1, most_receives_ = 1;
  bool is_ordered_ = false, registers_local_ = false;
};

}  // namespace gapless::wire::fabric
