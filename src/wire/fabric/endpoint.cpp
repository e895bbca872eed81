#include "wire/fabric/endpoint.hpp"

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <set>
#include <vector>

#include "wire/fabric/proof.hpp"

namespace gapless::wire::fabric {

namespace {

constexpr int kVersion = FI_VERSION(1, 11);
constexpr int kMostPieces = 32;
constexpr std::size_t kCompletions = 4096;  // that wait to be read

struct CloseFid {
  void operator()(void* object) const noexcept { fi_close(static_cast<fid*>(object)); }
};
template <class Object>
struct Close {
  void operator()(Object* object) const noexcept { fi_close(&object->fid); }
};
template <class Object>
using Owned = std::unique_ptr<Object, Close<Object>>;
struct FreeInfo {
  void operator()(fi_info* info) const noexcept { fi_freeinfo(info); }
};
using Info = std::unique_ptr<fi_info, FreeInfo>;

void must(int error, const char* what) {
  if (error != 0) throw Failure(Fault::kFabric, std::string("libfabric: ") + what + ": " + Endpoint::text(-error));
}

std::string providers() {
  fi_info* all = nullptr;
  std::set<std::string> names;
  Info hints(fi_allocinfo());
  hints->ep_attr->type = FI_EP_RDM;
  if (fi_getinfo(kVersion, nullptr, nullptr, 0, hints.get(), &all) != 0) return "none";
  Info list(all);
  for (const fi_info* one = all; one != nullptr; one = one->next) names.insert(one->fabric_attr->prov_name);
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

// nullptr if there is none; *error says why.
Info find(const std::string& provider, const std::string& domain, const std::string& address, int* error) {
  Info hints(fi_allocinfo());
  if (!hints) throw std::bad_alloc();
  hints->ep_attr->type = FI_EP_RDM;
  hints->caps = FI_MSG | FI_TAGGED | FI_RMA;
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
  hints->domain_attr->threading = FI_THREAD_SAFE;  // registrations are made by a thread of their own
  hints->domain_attr->av_type = FI_AV_TABLE;
  // A frame that shows a layout comes before the one that uses it.
  hints->tx_attr->msg_order = hints->rx_attr->msg_order = FI_ORDER_SAS;
  if (!provider.empty()) hints->fabric_attr->prov_name = strdup(provider.c_str());
  if (!domain.empty()) hints->domain_attr->name = strdup(domain.c_str());
  fi_info* found = nullptr;
  const bool by_address = !address.empty();
  *error = -fi_getinfo(kVersion, by_address ? address.c_str() : nullptr, nullptr, by_address ? FI_SOURCE : 0,
                       hints.get(), &found);
  return Info(found);
}

// What no address of IP leads to.
bool has_own_addresses(const std::string& provider) {
  return provider == "shm" || provider == "cxi" || provider == "efa" || provider == "psm3" || provider == "opx";
}

Info find(const Wanted& wanted) {
  // Fabrics that move data by themselves first. Not shm: peers may be on other nodes.
  static const std::vector<std::string> kPreferred{"cxi", "efa", "psm3", "verbs", "tcp"};
  const std::vector<std::string> one{wanted.provider};
  int error = 0;
  for (const std::string& provider : wanted.provider.empty() ? kPreferred : one)
    if (Info info = find(provider, wanted.domain, has_own_addresses(provider) ? "" : wanted.address, &error))
      return info;
  throw Failure(Fault::kFabric, "libfabric has no provider" +
                                    (wanted.provider.empty() ? "" : " '" + wanted.provider + "'") +
                                    " with connectionless endpoints, tagged messages and one-sided writes" +
                                    (wanted.domain.empty() ? "" : " of domain '" + wanted.domain + "'") +
                                    (wanted.address.empty() ? "" : " at address " + wanted.address) + " (" +
                                    Endpoint::text(error) + "); there are: " + providers());
}

}  // namespace

void Registration::Closer::operator()(void* region) const noexcept {
  fi_close(&static_cast<fid_mr*>(region)->fid);
}

// Destroyed in the reverse order: what was opened from something closes before it.
struct Endpoint::Handles {
  Info info;
  Owned<fid_fabric> fabric;
  Owned<fid_domain> domain;
  Owned<fid_av> addresses;
  Owned<fid_cq> completions;
  Owned<fid_ep> endpoint;
};

namespace {

// A key that nobody can guess: whoever reaches the endpoint may write where he knows the key.
std::uint64_t draw_key(std::size_t key_bytes) {
  const Nonce random = draw_nonce();
  std::uint64_t key = 0;
  std::memcpy(&key, random.data(), std::min(key_bytes, sizeof key));
  return key;
}

}  // namespace

Endpoint::Endpoint(const Wanted& wanted) : handles_(std::make_unique<Handles>()) {
  Handles& h = *handles_;
  h.info = find(wanted);
  fi_info* info = h.info.get();
  fid_fabric* fabric = nullptr;
  must(fi_fabric(info->fabric_attr, &fabric, nullptr), "opening the fabric");
  h.fabric.reset(fabric);
  fid_domain* domain = nullptr;
  must(fi_domain(fabric, info, &domain, nullptr), "opening the domain");
  h.domain.reset(domain);
  fi_av_attr addresses{};
  addresses.type = info->domain_attr->av_type;
  fid_av* av = nullptr;
  must(fi_av_open(domain, &addresses, &av, nullptr), "making the table of addresses");
  h.addresses.reset(av);
  fi_cq_attr completions{};
  completions.format = FI_CQ_FORMAT_TAGGED;
  completions.wait_obj = FI_WAIT_NONE;
  completions.size = kCompletions;
  fid_cq* cq = nullptr;
  must(fi_cq_open(domain, &completions, &cq, nullptr), "making the queue of completions");
  h.completions.reset(cq);
  fid_ep* endpoint = nullptr;
  must(fi_endpoint(domain, info, &endpoint, nullptr), "making the endpoint");
  h.endpoint.reset(endpoint);
  must(fi_ep_bind(endpoint, &av->fid, 0), "binding the addresses");
  must(fi_ep_bind(endpoint, &cq->fid, FI_TRANSMIT | FI_RECV), "binding the queue");
  must(fi_enable(endpoint), "enabling the endpoint");
  std::array<char, 512> name{};
  std::size_t length = name.size();
  must(fi_getname(&endpoint->fid, name.data(), &length), "asking for the endpoint's address");
  provider_ = info->fabric_attr->prov_name;
  address_ = provider_ + '\0' + std::string(name.data(), length);
  const auto pieces = [](std::size_t limit) {
    return static_cast<int>(std::clamp<std::size_t>(limit, 1, kMostPieces));
  };
  most_local_ = pieces(std::min(info->tx_attr->iov_limit, info->rx_attr->iov_limit));
  most_remote_ = pieces(info->tx_attr->rma_iov_limit);
  most_receives_ = static_cast<int>(std::clamp<std::size_t>(info->rx_attr->size, 1, kCompletions));
  is_ordered_ = (info->tx_attr->msg_order & (FI_ORDER_WAW | FI_ORDER_RMA_WAW)) != 0 &&
                info->ep_attr->max_order_waw_size == SIZE_MAX;
  registers_local_ = (info->domain_attr->mr_mode & FI_MR_LOCAL) != 0;
}

Endpoint::~Endpoint() = default;

void Endpoint::check(const std::string& address) const {
  if (address.compare(0, provider_.size() + 1, provider_ + '\0') != 0)
    throw Failure(Fault::kFabric, "a peer uses provider '" + address.substr(0, address.find('\0')) +
                                      "', and this process '" + provider_ +
                                      "': set GAPLESS_FABRIC_PROVIDER to one that all have");
}

std::uint64_t Endpoint::add(const std::string& address) {
  check(address);
  fi_addr_t added = FI_ADDR_NOTAVAIL;
  if (fi_av_insert(handles_->addresses.get(), address.data() + provider_.size() + 1, 1, &added, 0, nullptr) != 1)
    throw Failure(Fault::kFabric, "libfabric: a peer's address is none of provider " + provider_);
  return added;
}

Registration Endpoint::make_reachable(void* base, std::size_t bytes, bool by_peers) {
  Handles& h = *handles_;
  const std::uint64_t access = FI_SEND | FI_RECV | FI_WRITE | (by_peers ? FI_REMOTE_WRITE : 0);
  fid_mr* region = nullptr;
  int error = -FI_ENOKEY;
  // Short keys may be drawn twice.
  for (int tries = 0; tries < 100 && error == -FI_ENOKEY; ++tries)
    error = fi_mr_reg(h.domain.get(), base, bytes, access, 0, draw_key(h.info->domain_attr->mr_key_size), 0, &region,
                      nullptr);
  must(error, "registering memory");
  Registration made;
  made.region.reset(region);
  if ((h.info->domain_attr->mr_mode & FI_MR_ENDPOINT) != 0) {
    must(fi_mr_bind(region, &h.endpoint->fid, 0), "binding memory");
    must(fi_mr_enable(region), "enabling memory");
  }
  made.descriptor = fi_mr_desc(region);
  made.key = fi_mr_key(region);
  made.base = (h.info->domain_attr->mr_mode & FI_MR_VIRT_ADDR) != 0 ? reinterpret_cast<std::uint64_t>(base) : 0;
  return made;
}

int Endpoint::send(std::uint64_t peer, const Local& frame, Operation& operation) noexcept {
  return static_cast<int>(
      -fi_send(handles_->endpoint.get(), frame.base, frame.bytes, frame.descriptor, peer, &operation));
}

int Endpoint::receive(const Local& frame, Operation& operation) noexcept {
  return static_cast<int>(
      -fi_recv(handles_->endpoint.get(), frame.base, frame.bytes, frame.descriptor, FI_ADDR_UNSPEC, &operation));
}

namespace {

struct Pieces {
  std::array<iovec, kMostPieces> memory;
  std::array<void*, kMostPieces> descriptors;
  explicit Pieces(std::span<const Local> list) noexcept {
    for (std::size_t k = 0; k < list.size(); ++k) {
      memory[k] = {list[k].base, list[k].bytes};
      descriptors[k] = list[k].descriptor;
    }
  }
};

}  // namespace

int Endpoint::write(std::uint64_t peer, std::span<const Local> from, std::span<const Remote> to, bool last,
                    std::uint32_t data, Operation& operation) noexcept {
  Pieces local(from);
  std::array<fi_rma_iov, kMostPieces> remote;
  for (std::size_t k = 0; k < to.size(); ++k) remote[k] = {to[k].address, to[k].bytes, to[k].key};
  fi_msg_rma message{};
  message.msg_iov = local.memory.data();
  message.desc = local.descriptors.data();
  message.iov_count = from.size();
  message.addr = peer;
  message.rma_iov = remote.data();
  message.rma_iov_count = to.size();
  message.context = &operation;
  message.data = data;
  return static_cast<int>(
      -fi_writemsg(handles_->endpoint.get(), &message, FI_COMPLETION | (last ? FI_REMOTE_CQ_DATA : 0)));
}

int Endpoint::send_chunk(std::uint64_t peer, std::span<const Local> from, std::uint64_t tag,
                         Operation& operation) noexcept {
  Pieces local(from);
  return static_cast<int>(-fi_tsendv(handles_->endpoint.get(), local.memory.data(), local.descriptors.data(),
                                     from.size(), peer, tag, &operation));
}

int Endpoint::receive_chunk(std::uint64_t peer, std::span<const Local> to, std::uint64_t tag,
                            Operation& operation) noexcept {
  Pieces local(to);
  return static_cast<int>(-fi_trecvv(handles_->endpoint.get(), local.memory.data(), local.descriptors.data(), to.size(),
                                     peer, tag, 0, &operation));
}

void Endpoint::cancel(Operation& operation) noexcept {
  fi_cancel(&handles_->endpoint->fid, &operation);
}

int Endpoint::poll(Completion* completions, int limit) noexcept {
  constexpr int kBatch = 16;
  std::array<fi_cq_tagged_entry, kBatch> entries;
  fid_cq* queue = handles_->completions.get();
  const ssize_t got = fi_cq_read(queue, entries.data(), static_cast<std::size_t>(std::min(limit, kBatch)));
  if (got == -FI_EAVAIL) {
    fi_cq_err_entry failed{};
    if (fi_cq_readerr(queue, &failed, 0) != 1) return 0;
    completions[0] = {static_cast<Operation*>(failed.op_context), 0, 0, failed.err != 0 ? failed.err : FI_EIO};
    return 1;
  }
  if (got <= 0) return 0;
  for (ssize_t k = 0; k < got; ++k) {
    const fi_cq_tagged_entry& entry = entries[static_cast<std::size_t>(k)];
    const bool is_written = (entry.flags & FI_REMOTE_WRITE) != 0;
    completions[k] = {is_written ? nullptr : static_cast<Operation*>(entry.op_context),
                      static_cast<std::uint32_t>(entry.data), entry.len, 0};
  }
  return static_cast<int>(got);
}

// shm says "no memory" where its queue is full.
bool Endpoint::is_busy(int error) noexcept {
  return error == FI_EAGAIN || error == FI_ENOMEM;
}
std::string Endpoint::text(int error) {
  return fi_strerror(error);
}

}  // namespace gapless::wire::fabric
