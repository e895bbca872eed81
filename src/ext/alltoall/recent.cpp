#include "ext/alltoall/recent.hpp"

namespace gapless::ext::regular {

Recent::Entry* Recent::find(const Call& call) noexcept {
  const Arguments& a = call.arguments;
  for (Entry& entry : entries_) {
    const Arguments& b = entry.arguments;
    if (entry.receive != nullptr && a.sendbuf == b.sendbuf && a.recvbuf == b.recvbuf && a.recvcount == b.recvcount &&
        a.recvtype == b.recvtype && call.receive == entry.receive.get() && call.send == entry.send.get() &&
        (call.send == nullptr || (a.sendcount == b.sendcount && a.sendtype == b.sendtype)) &&
        (a.algorithm == nullptr ? b.algorithm == nullptr : b.algorithm != nullptr && entry.name == a.algorithm))
      return &entry;
  }
  return nullptr;
}

Recent::Entry& Recent::add(const Arguments& arguments, const Checked& checked) {
  Entry made;
  made.arguments = arguments;
  if (arguments.algorithm != nullptr) made.name = arguments.algorithm;
  if (!checked.is_in_place) made.send = checked.send->shared_facts();
  made.receive = checked.receive->shared_facts();
  made.algorithm = checked.choice.algorithm;
  Entry& entry = entries_[next_];
  next_ = (next_ + 1) % entries_.size();
  entry = std::move(made);
  return entry;
}

Kept& kept_of(PrivateComm& comm) {
  if (comm.kept == nullptr) comm.kept = std::make_unique<Kept>();
  return static_cast<Kept&>(*comm.kept);
}

}  // namespace gapless::ext::regular
