// What a channel is opened with: the options, the environment, and the text of each refusal.
#include "channel/settings.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>

namespace gapless::channel {
namespace {

class SettingsTest : public testing::Test {
 protected:
  SettingsTest() {
    for (const char* name :
         {"MEETING", "PROVIDER", "DOMAIN", "WAY", "PART", "PARTS", "EAGER", "TARGETS", "CHARGE", "CACHE"})
      unsetenv((std::string("GAPLESS_FABRIC_") + name).c_str());
    unsetenv("GAPLESS_JOB_SECRET");
    options.processes = 2;
    options.meeting = "127.0.0.1:1";
    options.secret = "s";
  }
  ~SettingsTest() override {
    for (const auto& [name, value] : set_) unsetenv(name.c_str());
  }
  void set(const std::string& name, const std::string& value) {
    set_[name] = value;
    setenv(name.c_str(), value.c_str(), 1);
  }
  // The text of the refusal; empty if there is none.
  std::string refusal() const {
    try {
      read_settings(options);
    } catch (const wire::fabric::Failure& failure) {
      EXPECT_EQ(failure.fault(), wire::fabric::Fault::kArgument);
      return failure.what();
    }
    return "";
  }
  std::string refusal_of(const std::string& name, const std::string& value) {
    set(name, value);
    std::string text = refusal();
    unsetenv(name.c_str());
    return text;
  }
  GAPLESS_Channel_options options = GAPLESS_CHANNEL_OPTIONS;

 private:
  std::map<std::string, std::string> set_;
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(SettingsTest, Defaults) {
  const Settings settings = read_settings(options);
  EXPECT_EQ(settings.provider, "") << "whichever there is";
  EXPECT_EQ(settings.domain, "");
  EXPECT_EQ(settings.address, "");
  EXPECT_FALSE(settings.way);
  EXPECT_EQ(settings.timeout_ns, 60'000'000'000);
  EXPECT_EQ(settings.part, 128 * 1024);
  EXPECT_EQ(settings.parts, 4U);
  EXPECT_EQ(settings.eager, static_cast<std::int64_t>(kEagerBytes));
  EXPECT_EQ(settings.targets, 16U);
  EXPECT_EQ(settings.charge.ns, 0);
  EXPECT_FALSE(settings.registers_again);
}

TEST_F(SettingsTest, OptionsComeBeforeTheEnvironment) {
  set("GAPLESS_FABRIC_PROVIDER", "shm");
  set("GAPLESS_FABRIC_DOMAIN", "there");
  set("GAPLESS_FABRIC_WAY", "lists");
  set("GAPLESS_FABRIC_MEETING", "10.0.0.1:5");
  set("GAPLESS_JOB_SECRET", "of the environment");
  options.meeting = options.secret = nullptr;
  Settings settings = read_settings(options);
  EXPECT_EQ(settings.provider, "shm");
  EXPECT_EQ(settings.domain, "there");
  EXPECT_EQ(settings.way, Way::kLists);
  EXPECT_EQ(settings.meeting, "10.0.0.1:5");
  EXPECT_EQ(settings.secret, "of the environment");
  options.provider = "verbs";
  options.domain = "here";
  options.way = "adaptive";
  options.meeting = "10.0.0.2:6";
  options.secret = "of the options";
  settings = read_settings(options);
  EXPECT_EQ(settings.provider, "verbs");
  EXPECT_EQ(settings.domain, "here");
  EXPECT_FALSE(settings.way);
  EXPECT_EQ(settings.meeting, "10.0.0.2:6");
  EXPECT_EQ(settings.secret, "of the options");
}

TEST_F(SettingsTest, RanksAndProcesses) {
  options.processes = 0;
  EXPECT_TRUE(has(refusal(), "a job has 1 to 65536 processes, not 0"));
  options.processes = 65537;
  EXPECT_TRUE(has(refusal(), "not 65537"));
  options.processes = -1;
  EXPECT_TRUE(has(refusal(), "not -1"));
  options.processes = 3;
  options.rank = 3;
  EXPECT_TRUE(has(refusal(), "rank 3 is not one of the job's 3"));
  options.rank = -1;
  EXPECT_TRUE(has(refusal(), "rank -1 is not one of the job's 3"));
  options.rank = 2;
  EXPECT_EQ(refusal(), "");
}

TEST_F(SettingsTest, MeetingAndSecret) {
  options.meeting = "";
  EXPECT_TRUE(has(refusal(), "no meeting: say where rank 0 listens, HOST:PORT"));
  options.processes = 1;
  EXPECT_EQ(refusal(), "") << "one process meets nobody";
  options.secret = "";
  EXPECT_TRUE(has(refusal(), "no secret"));
  EXPECT_TRUE(has(refusal(), "GAPLESS_JOB_SECRET"));
}

TEST_F(SettingsTest, OptionsOfOtherVersions) {
  options.size = offsetof(GAPLESS_Channel_options, secret) - 1;
  EXPECT_TRUE(has(refusal(), "the options' size is"));
  options.size = sizeof options + 1;
  EXPECT_TRUE(has(refusal(), "the options' size is " + std::to_string(sizeof options + 1)));
  options.size = 0;
  EXPECT_TRUE(has(refusal(), "begin with GAPLESS_CHANNEL_OPTIONS"));
  // Of an older version: what it did not know yet is as by default.
  options.size = offsetof(GAPLESS_Channel_options, provider);
  options.provider = "shm";
  options.timeout_s = 1;
  EXPECT_EQ(read_settings(options).provider, "");
  EXPECT_EQ(read_settings(options).timeout_ns, 60'000'000'000);
}

TEST_F(SettingsTest, Timeouts) {
  const auto timeout = [&](double seconds) {
    options.timeout_s = seconds;
    return read_settings(options).timeout_ns;
  };
  EXPECT_EQ(timeout(-1), -1);
  EXPECT_EQ(timeout(-INFINITY), -1);
  EXPECT_EQ(timeout(0), 0);
  EXPECT_EQ(timeout(0.5), 500'000'000);
  EXPECT_EQ(timeout(1e300), 1'000'000'000'000'000'000);
  EXPECT_EQ(timeout(INFINITY), 1'000'000'000'000'000'000);
  EXPECT_EQ(timeout(NAN), 1'000'000'000'000'000'000) << "no number, and no accident";
}

TEST_F(SettingsTest, Ways) {
  for (const auto& [name, way] :
       {std::pair{"host", Way::kHost}, {"lists", Way::kLists}, {"segments", Way::kSegments}}) {
    options.way = name;
    EXPECT_EQ(read_settings(options).way, way);
  }
  options.way = "fast";
  EXPECT_EQ(refusal(), "the way (GAPLESS_FABRIC_WAY) is 'fast', which is not adaptive, host, lists or segments");
}

TEST_F(SettingsTest, Numbers) {
  struct Limits {
    const char* name;
    std::int64_t least, most;
  };
  for (const auto& [name, least, most] : {Limits{"GAPLESS_FABRIC_PART", 4096, kLongestPart},
                                          {"GAPLESS_FABRIC_PARTS", 1, 64},
                                          {"GAPLESS_FABRIC_EAGER", 0, kEagerBytes},
                                          {"GAPLESS_FABRIC_TARGETS", 1, Immediate::kTargets}}) {
    SCOPED_TRACE(name);
    EXPECT_EQ(refusal_of(name, std::to_string(least)), "");
    EXPECT_EQ(refusal_of(name, std::to_string(most)), "");
    for (const std::string& wrong : {std::to_string(least - 1), std::to_string(most + 1), std::string("many"),
                                     std::string("8x"), std::string(" ")})
      EXPECT_EQ(refusal_of(name, wrong), std::string(name) + " is '" + wrong + "', which is not a number from " +
                                             std::to_string(least) + " to " + std::to_string(most));
  }
  set("GAPLESS_FABRIC_PART", "64K");
  set("GAPLESS_FABRIC_PARTS", "7");
  set("GAPLESS_FABRIC_EAGER", "0");
  set("GAPLESS_FABRIC_TARGETS", "3");
  const Settings settings = read_settings(options);
  EXPECT_EQ(settings.part, 65536);
  EXPECT_EQ(settings.parts, 7U);
  EXPECT_EQ(settings.eager, 0);
  EXPECT_EQ(settings.targets, 3U);
}

TEST_F(SettingsTest, Charges) {
  const auto charge = [&](const std::string& text) {
    set("GAPLESS_FABRIC_CHARGE", text);
    const wire::fabric::Charge read = read_settings(options).charge;
    return std::pair(read.ns, read.ns_per_page);
  };
  EXPECT_EQ(charge("20000,100"), (std::pair<std::int64_t, std::int64_t>(20000, 100)));
  EXPECT_EQ(charge("20000"), (std::pair<std::int64_t, std::int64_t>(20000, 0)));
  EXPECT_EQ(charge("0,1000000000"), (std::pair<std::int64_t, std::int64_t>(0, 1000000000)));
  for (const char* wrong :
       {"-1", "1,", "1,-1", ",1", "1,2,3", "1;2", "a", "1000000001", "1,1000000001", "1 ,2", "99999999999999999999"})
    EXPECT_EQ(refusal_of("GAPLESS_FABRIC_CHARGE", wrong),
              std::string("GAPLESS_FABRIC_CHARGE is '") + wrong +
                  "', which is not NS,NS_PER_PAGE, each from 0 to 1000000000");
}

TEST_F(SettingsTest, Cache) {
  set("GAPLESS_FABRIC_CACHE", "0");
  EXPECT_TRUE(read_settings(options).registers_again);
  set("GAPLESS_FABRIC_CACHE", "1");
  EXPECT_FALSE(read_settings(options).registers_again);
}

}  // namespace
}  // namespace gapless::channel
