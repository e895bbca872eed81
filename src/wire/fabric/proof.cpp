#include "wire/fabric/proof.hpp"

#include <sodium.h>

#include <algorithm>

#include "wire/fabric/failure.hpp"

namespace gapless::wire::fabric {

namespace {

// What keys a hash before there is a key. Another form of the messages that follow needs another text here.
constexpr std::string_view kSecretLabel = "gapless: the secret of a job (1)";
static_assert(kSecretLabel.size() == sizeof(Key));

// Chooses the machine's fastest code and opens the source of random numbers.
void begin_sodium() {
  static const bool is_ready = sodium_init() >= 0;
  if (!is_ready) throw Failure(Fault::kFabric, "libsodium finds no source of random numbers");
}

std::array<std::uint8_t, 8> little_endian(std::uint64_t number) noexcept {
  std::array<std::uint8_t, 8> bytes;
  for (std::size_t k = 0; k < bytes.size(); ++k) bytes[k] = static_cast<std::uint8_t>(number >> (8 * k));
  return bytes;
}

View bytes_of(std::string_view text) noexcept {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace

Key digest(const Key& key, std::string_view purpose, std::initializer_list<View> parts) {
  begin_sodium();
  crypto_generichash_state state;
  Key result;
  crypto_generichash_init(&state, key.data(), key.size(), result.size());
  // The length before each part, so that the bytes say where a part ends.
  const auto add = [&](View part) {
    const auto length = little_endian(part.size());
    crypto_generichash_update(&state, length.data(), length.size());
    crypto_generichash_update(&state, part.data(), part.size());
  };
  add(bytes_of(purpose));
  for (const View& part : parts) add(part);
  crypto_generichash_final(&state, result.data(), result.size());
  sodium_memzero(&state, sizeof state);
  return result;
}

Key secret_key(std::string_view secret) {
  if (secret.empty()) throw Failure(Fault::kArgument, "the job's secret is empty: whoever likes could join");
  Key label;
  std::copy(kSecretLabel.begin(), kSecretLabel.end(), label.begin());
  return digest(label, "secret", {bytes_of(secret)});
}

Key job_key(const Key& secret, std::span<const Nonce> nonces_by_rank) {
  return digest(secret, "job", {View(nonces_by_rank.data()->data(), nonces_by_rank.size() * sizeof(Nonce))});
}

Nonce draw_nonce() {
  begin_sodium();
  Nonce nonce;
  randombytes_buf(nonce.data(), nonce.size());
  return nonce;
}

bool are_equal(const Key& a, const Key& b) noexcept {
  return sodium_memcmp(a.data(), b.data(), a.size()) == 0;
}

Seal::Seal(const Key& job, int from, int to) {
  static_assert(crypto_shorthash_KEYBYTES == sizeof key_ && crypto_shorthash_BYTES == 8);
  const Key key = digest(
      job, "frames", {little_endian(static_cast<std::uint64_t>(from)), little_endian(static_cast<std::uint64_t>(to))});
  std::copy_n(key.begin(), key_.size(), key_.begin());
}

std::uint64_t Seal::tag(std::span<const std::byte> frame) const noexcept {
  std::uint8_t bytes[8];
  crypto_shorthash(bytes, reinterpret_cast<const std::uint8_t*>(frame.data()), frame.size(), key_.data());
  std::uint64_t tag = 0;
  for (std::size_t k = 0; k < sizeof bytes; ++k) tag |= static_cast<std::uint64_t>(bytes[k]) << (8 * k);
  return tag;
}

bool Seal::is_right(std::span<const std::byte> frame, std::uint64_t tag) const noexcept {
  const std::uint64_t right = this->tag(frame);
  return sodium_memcmp(&right, &tag, sizeof tag) == 0;
}

}  // namespace gapless::wire::fabric
