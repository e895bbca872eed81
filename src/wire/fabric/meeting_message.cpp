#include "wire/fabric/meeting_message.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace gapless::wire::fabric {

namespace {

constexpr std::array<std::uint8_t, 8> kMagic = {'G', 'A', 'P', 'L', 'M', 'E', 'E', 'T'};

template <class Number>
void put(Bytes& bytes, Number number) {
  for (std::size_t k = 0; k < sizeof number; ++k) bytes.push_back(static_cast<std::uint8_t>(number >> (8 * k)));
}

void put(Bytes& bytes, View view) {
  bytes.insert(bytes.end(), view.begin(), view.end());
}

// Takes from the front; once it has been asked for more than there is, it is not good any more and gives zeros.
class Source {
 public:
  explicit Source(View bytes) noexcept : rest_(bytes) {}
  bool is_good() const noexcept { return is_good_; }
  bool is_at_end() const noexcept { return is_good_ && rest_.empty(); }

  View take(std::size_t bytes) noexcept {
    if (bytes > rest_.size()) {
      is_good_ = false;
      rest_ = {};
      return {};
    }
    const View taken = rest_.first(bytes);
    rest_ = rest_.subspan(bytes);
    return taken;
  }
  template <class Number>
  Number number() noexcept {
    std::uint64_t number = 0;
    const View bytes = take(sizeof(Number));
    for (std::size_t k = 0; k < bytes.size(); ++k) number |= static_cast<std::uint64_t>(bytes[k]) << (8 * k);
    return static_cast<Number>(number);
  }
  void copy(std::array<std::uint8_t, 32>& to) noexcept {
    const View bytes = take(to.size());
    std::copy(bytes.begin(), bytes.end(), to.begin());
  }
  void copy(std::string& to, std::size_t max_bytes) {
    const std::size_t length = number<std::uint16_t>();
    if (length > max_bytes) is_good_ = false;
    if (!is_good_) return;
    const View bytes = take(length);
    to.assign(bytes.begin(), bytes.end());
  }

 private:
  View rest_;
  bool is_good_ = true;
};

void put(Bytes& bytes, const Member& member) {
  for (const std::string* text : {&member.fabric_address, &member.host}) {
    put(bytes, static_cast<std::uint16_t>(text->size()));
    bytes.insert(bytes.end(), text->begin(), text->end());
  }
  put(bytes, member.life_port);
  put(bytes, member.pid);
}

bool take(Source& source, Member& member) {
  source.copy(member.fabric_address, kMaxAddressBytes);
  source.copy(member.host, kMaxHostBytes);
  member.life_port = source.number<std::uint16_t>();
  member.pid = source.number<std::uint64_t>();
  return source.is_good() && is_sound(member);
}

}  // namespace

Bytes bytes_of(const Hello& hello) {
  Bytes bytes(kMagic.begin(), kMagic.end());
  for (const std::uint32_t number : {hello.format, hello.rank, hello.processes}) put(bytes, number);
  put(bytes, View(hello.nonce));
  return bytes;
}

Reading parse(View bytes, Hello& hello) noexcept {
  // A stranger is told by his first byte, and not waited for.
  const std::size_t known = std::min(bytes.size(), kMagic.size());
  if (!std::equal(kMagic.begin(), kMagic.begin() + known, bytes.begin())) return Reading::kRubbish;
  if (bytes.size() < kMagic.size() + 4) return Reading::kMore;
  Source source(bytes.subspan(kMagic.size()));
  hello.format = source.number<std::uint32_t>();
  if (hello.format != kFormat) return Reading::kGood;
  hello.rank = source.number<std::uint32_t>();
  hello.processes = source.number<std::uint32_t>();
  source.copy(hello.nonce);
  return source.is_good() ? Reading::kGood : Reading::kMore;
}

Bytes frame_of(Kind kind, std::initializer_list<View> parts) {
  std::size_t body_bytes = 0;
  for (const View& part : parts) body_bytes += part.size();
  Bytes bytes;
  bytes.reserve(kFrameBytes + body_bytes);
  put(bytes, static_cast<std::uint32_t>(kind));
  put(bytes, static_cast<std::uint32_t>(body_bytes));
  for (const View& part : parts) put(bytes, part);
  return bytes;
}

Reading read_head(View bytes, std::size_t max_body, Kind& kind, std::size_t& body_bytes) noexcept {
  if (bytes.size() < kFrameBytes) return Reading::kMore;
  Source source(bytes);
  const auto number = source.number<std::uint32_t>();
  body_bytes = source.number<std::uint32_t>();
  if (number < 1 || number > 5 || body_bytes > max_body) return Reading::kRubbish;
  kind = static_cast<Kind>(number);
  return Reading::kGood;
}

Reading parse(View bytes, std::size_t max_body, Frame& frame) noexcept {
  std::size_t body_bytes = 0;
  const Reading head = read_head(bytes, max_body, frame.kind, body_bytes);
  if (head != Reading::kGood) return head;
  if (bytes.size() - kFrameBytes < body_bytes) return Reading::kMore;
  frame.body = bytes.subspan(kFrameBytes, body_bytes);
  return Reading::kGood;
}

Bytes frame_of(const Refusal& refusal) {
  Bytes body;
  for (const std::uint32_t number : {static_cast<std::uint32_t>(refusal.reason), refusal.a, refusal.b})
    put(body, number);
  return frame_of(Kind::kRefused, {body});
}

bool parse(View body, Refusal& refusal) noexcept {
  Source source(body);
  const auto reason = source.number<std::uint32_t>();
  refusal.a = source.number<std::uint32_t>();
  refusal.b = source.number<std::uint32_t>();
  if (!source.is_at_end() || reason < 1 || reason > 5) return false;
  refusal.reason = static_cast<Reason>(reason);
  return true;
}

bool is_sound(const Member& member) noexcept {
  Address address;
  return member.fabric_address.size() <= kMaxAddressBytes && member.host.size() <= kMaxHostBytes &&
         member.life_port != 0 && numeric_address(member.host, member.life_port, address);
}

Bytes bytes_of(const Member& member) {
  Bytes bytes;
  put(bytes, member);
  return bytes;
}

bool parse(View body, Member& member) {
  Source source(body);
  return take(source, member) && source.is_at_end();
}

Bytes table_of(std::span<const Member> members, std::span<const Nonce> nonces) {
  Bytes bytes;
  put(bytes, static_cast<std::uint32_t>(members.size()));
  for (std::size_t rank = 0; rank < members.size(); ++rank) {
    put(bytes, View(nonces[rank]));
    put(bytes, members[rank]);
  }
  return bytes;
}

bool parse(View body, std::size_t processes, std::vector<Member>& members, std::vector<Nonce>& nonces) {
  Source source(body);
  if (source.number<std::uint32_t>() != processes) return false;
  members.assign(processes, {});
  nonces.assign(processes, {});
  for (std::size_t rank = 0; rank < processes; ++rank) {
    source.copy(nonces[rank]);
    if (!take(source, members[rank])) return false;
  }
  return source.is_at_end();
}

Key member_proof(const Key& secret, const Hello& hello, const Nonce& challenge, View member) {
  return digest(secret, "member", {bytes_of(hello), challenge, member});
}

Key host_proof(const Key& secret, const Hello& hello, const Nonce& challenge) {
  return digest(secret, "host", {bytes_of(hello), challenge});
}

Key table_digest(const Key& secret, View table) {
  return digest(secret, "members", {table});
}

Key table_proof(const Key& secret, const Hello& hello, const Nonce& challenge, const Key& table_digest) {
  return digest(secret, "table", {bytes_of(hello), challenge, table_digest});
}

std::string ranks_text(std::span<const int> ranks) {
  std::string text;
  for (std::size_t k = 0, next; k < ranks.size(); k = next) {
    for (next = k + 1; next < ranks.size() && ranks[next] == ranks[next - 1] + 1;) ++next;
    if (text.size() > 200) return text + ", ...";
    if (k > 0) text += ", ";
    text += std::to_string(ranks[k]);
    if (next > k + 1) text += (next > k + 2 ? "-" : ", ") + std::to_string(ranks[next - 1]);
  }
  return text;
}

}  // namespace gapless::wire::fabric
