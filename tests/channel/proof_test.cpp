// The keys of a job, and the tags of its frames.
#include "wire/fabric/proof.hpp"

#include <gtest/gtest.h>
#include <sodium.h>

#include <string>
#include <vector>

#include "wire/fabric/failure.hpp"

namespace gapless::wire::fabric {
namespace {

TEST(Proof, EachSecretHasItsKey) {
  EXPECT_EQ(secret_key("of this job"), secret_key("of this job"));
  EXPECT_NE(secret_key("of this job"), secret_key("of this job "));
  // The same on all machines, and in all versions that meet by the same format: Python's hashlib.blake2b says so, too.
  const Key key = secret_key("of this job");
  char text[65];
  EXPECT_STREQ(sodium_bin2hex(text, sizeof text, key.data(), key.size()),
               "fbbcd42f83db192916b6ef00596ae015ab71054bdc291d97146ac36c44489295");
  try {
    secret_key("");
    FAIL() << "an empty secret is none";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.fault(), Fault::kArgument);
  }
}

TEST(Proof, PartsAndPurposesAreToldApart) {
  const Key key = secret_key("s");
  const std::vector<std::uint8_t> a = {1}, ab = {1, 2}, b = {2}, none;
  EXPECT_NE(digest(key, "x", {ab}), digest(key, "x", {a, b}));
  EXPECT_NE(digest(key, "x", {none, a}), digest(key, "x", {a, none}));
  EXPECT_NE(digest(key, "x", {a}), digest(key, "y", {a}));
  EXPECT_NE(digest(key, "x", {a}), digest(secret_key("t"), "x", {a}));
}

TEST(Proof, TheJobsKeyDependsOnEachNonceAndOnTheirOrder) {
  const Key secret = secret_key("s");
  std::vector<Nonce> nonces = {draw_nonce(), draw_nonce(), draw_nonce()};
  const Key key = job_key(secret, nonces);
  EXPECT_EQ(key, job_key(secret, nonces));
  EXPECT_NE(key, job_key(secret_key("t"), nonces));
  std::swap(nonces[0], nonces[1]);
  EXPECT_NE(key, job_key(secret, nonces));
  std::swap(nonces[0], nonces[1]);
  nonces[2][31] ^= 1;
  EXPECT_NE(key, job_key(secret, nonces));
}

TEST(Proof, ASealIsOfOneDirectionAndOneJob) {
  const Key job = secret_key("job");
  const Seal seal(job, 3, 5);
  std::vector<std::byte> frame(100);
  for (std::size_t k = 0; k < frame.size(); ++k) frame[k] = static_cast<std::byte>(k);
  const std::uint64_t tag = seal.tag(frame);
  EXPECT_TRUE(seal.is_right(frame, tag));
  EXPECT_TRUE(Seal(job, 3, 5).is_right(frame, tag));
  EXPECT_FALSE(Seal(job, 5, 3).is_right(frame, tag));
  EXPECT_FALSE(Seal(job, 3, 4).is_right(frame, tag));
  EXPECT_FALSE(Seal(secret_key("other"), 3, 5).is_right(frame, tag));
  for (int bit = 0; bit < 64; ++bit) EXPECT_FALSE(seal.is_right(frame, tag ^ (std::uint64_t{1} << bit)));
  for (std::byte& one : frame) {
    one ^= std::byte{0x10};
    EXPECT_FALSE(seal.is_right(frame, tag));
    one ^= std::byte{0x10};
  }
  EXPECT_FALSE(seal.is_right(std::span(frame).first(99), tag));
  EXPECT_TRUE(seal.is_right({}, seal.tag({})));
}

}  // namespace
}  // namespace gapless::wire::fabric
