// The text of the rules, and the files that hold it: what is taken, what is refused and why, and what is then decided.
#include "preload/policy/rules.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "preload/policy/rules_file.hpp"

namespace gapless::preload {
namespace {

constexpr const char* kLibrary = "MPICH Version: 5.0.2";

const std::string kText = R"(gapless-rules 1
# for people
machine some-machine
library Open MPI
runs 4
table * * *
  32 -
library MPICH Version: 5.0.2
made 2026-11-23 gapless tune
runs 8 64 512
table send near vector
  256   +--
  65536 +>-
table receive * nest
  32 +-+
end
)";

Reading read(const std::string& text, Rules& rules, const char* library = kLibrary,
             const char* vendor = "GenuineIntel") {
  return read_rules(text, {.library = library, .vendor = vendor}, rules);
}

void expect_wrong(const std::string& text, int line, const std::string& reason) {
  Rules rules;
  const Reading reading = read(text, rules);
  EXPECT_EQ(reading.outcome, Reading::Outcome::kWrong) << text;
  EXPECT_EQ(reading.line, line) << text;
  EXPECT_EQ(reading.reason, reason) << text;
  EXPECT_EQ(rules, Rules()) << "rules changed by a text that is wrong";
}

TEST(Rules, ACellDecidesForWhatIsNearestToIt) {
  Rules rules;
  ASSERT_EQ(read(kText, rules).outcome, Reading::Outcome::kTaken);
  const Table& send = rules.table(Operation::kSend, Distance::kNear, Shape::kVector);
  EXPECT_TRUE(send.packs(256, 8));
  EXPECT_FALSE(send.packs(256, 64));
  EXPECT_TRUE(send.packs(65536, 64));
  EXPECT_FALSE(send.packs(65536, 512));
  // By ratio: between 256 and 65536 lies 4096, between 8 and 64 some 22.
  EXPECT_FALSE(send.packs(3071, 64));
  EXPECT_TRUE(send.packs(4096, 64));
  EXPECT_TRUE(send.packs(256, 23));  // of the class of 16 to 23
  EXPECT_FALSE(send.packs(256, 24));
  // Beyond the ends as at the ends.
  EXPECT_TRUE(send.packs(1, 1));
  EXPECT_FALSE(send.packs(std::int64_t{1} << 40, std::int64_t{1} << 30));
}

TEST(Rules, AStarIsAllOfThem) {
  Rules rules;
  ASSERT_EQ(read(kText, rules).outcome, Reading::Outcome::kTaken);
  for (const Distance distance : {Distance::kNear, Distance::kFar, Distance::kAny}) {
    EXPECT_TRUE(rules.table(Operation::kReceive, distance, Shape::kNest).packs(1000, 1000));
    EXPECT_FALSE(rules.table(Operation::kReceive, distance, Shape::kNest).packs(1000, 64));
    EXPECT_EQ(rules.table(Operation::kReceive, distance, Shape::kList), Table());
  }
}

TEST(Rules, WhatIsPackedPastTheCachesIsPacked) {
  Rules rules;
  ASSERT_EQ(read(kText, rules).outcome, Reading::Outcome::kTaken);
  const Table& send = rules.table(Operation::kSend, Distance::kNear, Shape::kVector);
  EXPECT_EQ(send.verdict(65536, 8), Verdict::kPacked);
  EXPECT_EQ(send.verdict(65536, 64), Verdict::kPackedPast);
  EXPECT_EQ(send.verdict(65536, 512), Verdict::kNative);
}

TEST(Rules, WhatATextDoesNotSayStaysAsItWas) {
  Rules rules;
  ASSERT_EQ(read("gapless-rules 1\nlibrary *\nruns 4\ntable * * *\n 32 +\nend\n", rules).outcome,
            Reading::Outcome::kTaken);
  ASSERT_EQ(read(kText, rules).outcome, Reading::Outcome::kTaken);
  EXPECT_TRUE(rules.table(Operation::kPack, Distance::kAny, Shape::kVector).packs(1000, 8));
  EXPECT_FALSE(rules.table(Operation::kSend, Distance::kNear, Shape::kVector).packs(256, 64));
}

// A word of older texts: what it was for goes by `send` and `receive`.
TEST(Rules, ATableOfReplaceDecidesNothing) {
  Rules rules, without;
  const std::string head = "gapless-rules 1\nlibrary *\nruns 4\n", send = "table send near vector\n 32 +\n";
  ASSERT_EQ(read(head + send + "end\n", without).outcome, Reading::Outcome::kTaken);
  ASSERT_EQ(read(head + send + "table replace * *\n 32 -\nend\n", rules).outcome, Reading::Outcome::kTaken);
  EXPECT_TRUE(rules == without);
}

TEST(Rules, TheFirstSectionThatFitsIsTaken) {
  const std::string text =
      "gapless-rules 1\nlibrary *\nruns 4\ntable * * *\n 32 >\nlibrary MPICH\n"
      "runs 4\ntable * * *\n 32 +\nend\n";
  Rules rules;
  ASSERT_EQ(read(text, rules).outcome, Reading::Outcome::kTaken);
  EXPECT_EQ(rules.tables[0][0][0].verdict(32, 4), Verdict::kPackedPast);
}

TEST(Rules, ASectionMayHoldForOneVendorsProcessors) {
  const std::string text = R"(gapless-rules 1
library MPICH
vendor AuthenticAMD
paired 111
library MPICH
made 2026-11-27 gapless tune
vendor GenuineIntel
paired 222
library MPICH
paired 333
library Open MPI
vendor GenuineIntel
paired 444
end
)";
  const auto smallest = [&](const char* library, const char* vendor) {
    Rules rules;
    rules.smallest_paired = 0;
    const Reading reading = read(text, rules, library, vendor);
    EXPECT_EQ(reading.outcome == Reading::Outcome::kForeign, rules.smallest_paired == 0);
    return rules.smallest_paired;
  };
  EXPECT_EQ(smallest(kLibrary, "AuthenticAMD"), 111);
  EXPECT_EQ(smallest(kLibrary, "GenuineIntel"), 222);
  EXPECT_EQ(smallest(kLibrary, "CentaurHauls"), 333);
  EXPECT_EQ(smallest(kLibrary, ""), 333);
  EXPECT_EQ(smallest("Open MPI v5", "GenuineIntel"), 444);
  EXPECT_EQ(smallest("Open MPI v5", "AuthenticAMD"), 0);
}

TEST(Rules, ASectionSaysFromWhichSizeOnMessagesArePaired) {
  Rules rules;
  const std::int64_t built_in = rules.smallest_paired;
  const auto paired = [](const std::string& library, int bytes) {
    return "gapless-rules 1\nlibrary " + library + "\npaired " + std::to_string(bytes) + "\nend\n";
  };
  ASSERT_EQ(read(paired("MPICH", 70000), rules).outcome, Reading::Outcome::kTaken);
  EXPECT_EQ(rules.smallest_paired, 70000);
  Rules others;
  ASSERT_EQ(read(paired("Open MPI", 70000), others).outcome, Reading::Outcome::kForeign);
  EXPECT_EQ(others.smallest_paired, built_in);
  Rules never;
  ASSERT_EQ(read("gapless-rules 1\nlibrary MPICH\npaired never\nend\n", never).outcome, Reading::Outcome::kTaken);
  EXPECT_EQ(never.smallest_paired, kNeverPaired);
}

TEST(Rules, ASectionSaysWhichMessagesGoInTwoPieces) {
  const auto split = [](const std::string& words) {
    Rules rules;
    rules.split = {.from = 5, .to = 6};
    const Reading reading = read("gapless-rules 1\nlibrary MPICH\nsplit" + words + "\nend\n", rules);
    return reading.outcome == Reading::Outcome::kTaken ? rules.split : Split{.from = -1, .to = -1};
  };
  const Split wrong{.from = -1, .to = -1};
  const Split some = split(" 4017 65536");
  EXPECT_TRUE(some.has(4017) && some.has(65536));
  EXPECT_FALSE(some.has(4016) || some.has(65537));
  EXPECT_FALSE(split(" never").has(5));
  EXPECT_TRUE(split(" 7 7").has(7));
  for (const char* const words : {"", " 4017", " 0 9", " 9 8", " 4017 65536 1", " never 1", " some 9"}) {
    EXPECT_EQ(split(words), wrong) << words;
  }
}

TEST(Rules, ATableSaysWhichOfThemArePaired) {
  Rules rules;
  const std::string text =
      "gapless-rules 1\nlibrary MPICH\nruns 8 4096\ntable paired near nest\n 8192 +-\n 65536 ++\nend\n";
  ASSERT_EQ(read(text, rules).outcome, Reading::Outcome::kTaken);
  const Table& paired = rules.table(Operation::kPaired, Distance::kNear, Shape::kNest);
  EXPECT_TRUE(paired.packs(8192, 8));
  EXPECT_FALSE(paired.packs(8192, 4096));
  EXPECT_TRUE(paired.packs(65536, 4096));
  EXPECT_EQ(rules.table(Operation::kSend, Distance::kNear, Shape::kNest), Table());
  EXPECT_EQ(rules.table(Operation::kIpaired, Distance::kNear, Shape::kNest), paired) << "it says nothing else of them";
  Rules apart;
  ASSERT_EQ(read(text.substr(0, text.size() - 4) + "table ipaired near nest\n 8192 -+\nend\n", apart).outcome,
            Reading::Outcome::kTaken);
  EXPECT_TRUE(apart.table(Operation::kPaired, Distance::kNear, Shape::kNest).packs(8192, 8));
  EXPECT_FALSE(apart.table(Operation::kIpaired, Distance::kNear, Shape::kNest).packs(8192, 8));
}

TEST(Rules, AForeignTextIsNotTaken) {
  Rules rules;
  const Reading reading = read(kText, rules, "Intel(R) MPI Library 2021.19.0 for Linux* OS");
  EXPECT_EQ(reading.outcome, Reading::Outcome::kForeign);
  EXPECT_STREQ(reading.reason, "it has no section for this MPI library and processor");
  EXPECT_EQ(rules, Rules());
}

TEST(Rules, AVendorIsAWordBehindALibrary) {
  const auto text = [](const std::string& lines) { return "gapless-rules 1\n" + lines + "end\n"; };
  expect_wrong(text("vendor GenuineIntel\n"), 2, "'vendor' that does not follow 'library'");
  expect_wrong(text("library *\npaired 1\nvendor GenuineIntel\n"), 4, "'vendor' that does not follow 'library'");
  expect_wrong(text("library *\nvendor A\nvendor B\n"), 4, "'vendor' that does not follow 'library'");
  expect_wrong(text("library *\nvendor\n"), 3, "'vendor' without a name, one word");
  expect_wrong(text("library *\nvendor Genuine Intel\n"), 3, "'vendor' without a name, one word");
}

TEST(Rules, WhatIsWrongIsRefusedWithItsLine) {
  const std::string head = "gapless-rules 1\nlibrary MPICH\n";
  expect_wrong("", 0, "it is empty");
  expect_wrong("# nothing\n\n", 0, "it is empty");
  expect_wrong("{\"schema\": 1}\n", 1, "it does not begin with 'gapless-rules 1'");
  expect_wrong("gapless-rules one\n", 1, "it does not begin with 'gapless-rules 1'");
  expect_wrong("gapless-rules 2\nlibrary *\npairs\n", 1, "rules of another version than 1");
  expect_wrong("gapless-rules 1\nruns 4\n", 2, "'runs' before any 'library'");
  expect_wrong("gapless-rules 1\nlibrary\n", 2, "a library without a name");
  expect_wrong(head + "unknown 5\n", 3, "a word that is not known");
  expect_wrong("gapless-rules 1\npaired 4096\n", 2, "'paired' before any 'library'");
  for (const char* const line : {"paired", "paired 0", "paired 4096 more", "paired never again", "paired nevermore"}) {
    expect_wrong(head + line + '\n', 3, "'paired' without the smallest message, a number of bytes, or 'never'");
  }
  expect_wrong(head + "table send near vector\n", 3, "'table' before any 'runs'");
  expect_wrong(head + "runs 4 8 8\n", 3, "the runs' lengths do not ascend");
  expect_wrong(head + "runs 0\n", 3, "a run's length is no number of bytes");
  expect_wrong(head + "runs 4 9999999999999999999999\n", 3, "a run's length is no number of bytes");
  expect_wrong(head + "runs -4\n", 3, "a run's length is no number of bytes");
  expect_wrong(head + "runs 4\ntable talk near vector\n", 4, "an operation that is not known");
  expect_wrong(head + "runs 4\ntable replace here vector\n", 4, "a distance that is not known");
  expect_wrong(head + "runs 4\ntable send here vector\n", 4, "a distance that is not known");
  expect_wrong(head + "runs 4\ntable send near heap\n", 4, "a shape that is not known");
  expect_wrong(head + "runs 4\ntable send near vector\nruns 8\n", 5, "a table without rows");
  expect_wrong(head + "runs 4\n  32 +\n", 4, "a row outside of a table");
  expect_wrong(head + "runs 4 8\ntable send near vector\n  32 +\n", 5, "not a cell for each length of runs");
  expect_wrong(head + "runs 4 8\ntable send near vector\n  32 +?\n", 5, "a cell that is none of + - >");
  expect_wrong(head + "runs 4\ntable send near vector\n  32 +\n  32 +\n", 6, "the messages' sizes do not ascend");
  expect_wrong(head + "runs 4\ntable send near vector\n  32 + +\n", 5, "more than a size and its cells");
  expect_wrong(head + "made \x01\n", 3, "a control character");
  expect_wrong(kText + "library Other\n", 17, "something behind 'end'");
  const std::string open = kText.substr(0, kText.size() - 4);
  expect_wrong(open, 0, "it was cut off: no 'end'");
  expect_wrong(open + "library Other\nbroken\n", 17, "a word that is not known");
  expect_wrong(open + "end of it\n", 16, "more than 'end'");
}

TEST(Rules, TooMuchOfAnythingIsRefused) {
  std::string runs = "gapless-rules 1\nlibrary *\nruns", rows = "gapless-rules 1\nlibrary *\nruns 4\ntable * * *\n";
  for (int k = 1; k < 1000; ++k) {
    runs += ' ' + std::to_string(k);
    rows += std::to_string(k) + " +\n";
  }
  expect_wrong(runs, 3, "too many lengths of runs");
  expect_wrong(rows, 53, "too many rows");
}

TEST(Rules, ATextThatWasCutOffIsRefused) {
  for (std::size_t length = 0; length <= kText.size(); ++length) {
    Rules rules;
    const Reading reading = read(kText.substr(0, length), rules);
    if (length + 1 >= kText.size()) {
      EXPECT_EQ(reading.outcome, Reading::Outcome::kTaken) << length;
      continue;
    }
    EXPECT_EQ(reading.outcome, Reading::Outcome::kWrong) << length;
    EXPECT_EQ(rules, Rules()) << length;
    EXPECT_STRNE(reading.reason, "") << length;
  }
}

TEST(Rules, NamesAreThoseOfTheCommand) {
  char name[kMaxRulesNameLength + 1];
  rules_name("MPICH Version: 5.0.2", name);
  EXPECT_STREQ(name, "mpich-version-5-0-2");
  rules_name("Open MPI v5.0.11, package: Open MPI user@localhost", name);
  EXPECT_STREQ(name, "open-mpi-v5-0-11");
  rules_name("Intel(R) MPI Library 2021.19.0 for Linux* OS", name);
  EXPECT_STREQ(name, "intel-r-mpi-library-2021-19-0-for-linux-os");
  EXPECT_EQ(rules_name("../../etc/passwd", name), 10);
  EXPECT_STREQ(name, "etc-passwd");
  EXPECT_EQ(rules_name(" ,x", name), 0);
  EXPECT_EQ(rules_name(std::string(200, 'x'), name), kMaxRulesNameLength);
}

// Files, in a folder of their own.
class RulesFile : public testing::Test {
 protected:
  void SetUp() override {
    char path[] = "/tmp/gapless-rules-test.XXXXXX";
    ASSERT_NE(mkdtemp(path), nullptr);
    folder_ = path;
  }
  void TearDown() override {
    unsetenv("GAPLESS_RULES");
    std::system(("rm -rf " + folder_).c_str());
  }
  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ + '/' + name) << text;
    return folder_ + '/' + name;
  }
  std::uint64_t lay(const std::string& setting) {
    setenv("GAPLESS_RULES", setting.c_str(), 1);
    rules_ = Rules();
    return override_by_files({kLibrary, "GenuineIntel"}, rules_);
  }
  void expect_refused(const std::string& setting, const std::string& why) {
    EXPECT_EQ(lay(setting), 0u) << setting;
    EXPECT_EQ(rules_, Rules()) << setting;
    EXPECT_EQ(rules_report().refused, why);
  }
  std::string folder_;
  Rules rules_;
};

TEST_F(RulesFile, AFileAndAFolderAreRead) {
  const std::string file = write("any name", kText);
  const std::uint64_t number = lay(file);
  EXPECT_NE(number, 0u);
  EXPECT_EQ(rules_report().file, file);
  EXPECT_TRUE(rules_.table(Operation::kSend, Distance::kNear, Shape::kVector).packs(256, 8));
  const std::string named = write("mpich-version-5-0-2.rules", kText + "# another text\n");
  const std::uint64_t other = lay("/nowhere:" + folder_);
  EXPECT_NE(other, 0u);
  EXPECT_NE(other, number);
  EXPECT_EQ(rules_report().file, named);
}

TEST_F(RulesFile, WithoutASettingOrAFileForTheLibraryNothingIsSaid) {
  unsetenv("GAPLESS_RULES");
  EXPECT_EQ(override_by_files({kLibrary, "GenuineIntel"}, rules_), 0u);
  EXPECT_EQ(lay(folder_), 0u);
  EXPECT_EQ(rules_, Rules());
}

TEST_F(RulesFile, WhateverAPathNamesIsRefusedWithAReason) {
  expect_refused(folder_ + "/none", folder_ + "/none: there is no such file or folder");
  expect_refused("/dev/zero", "/dev/zero: it is no file");
  const std::string pipe = folder_ + "/pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  expect_refused(pipe, pipe + ": it is no file");
  const std::string huge = write("huge", std::string((1 << 20) + 1, '#'));
  expect_refused(huge, huge + ": it is larger than 1 MiB");
  const std::string wrong = write("wrong", "gapless-rules 1\nfoo\n");
  expect_refused(wrong, wrong + ": line 2: a word that is not known");
  const std::string foreign = write("foreign", "gapless-rules 1\nlibrary Other MPI\nend\n");
  expect_refused(foreign, foreign + ": it has no section for this MPI library and processor");
  const std::string loop = folder_ + "/loop";
  ASSERT_EQ(symlink(loop.c_str(), loop.c_str()), 0);
  expect_refused(loop, loop + ": Too many levels of symbolic links");
}

// A reader of a file that is wrong is told so, and not served the next one.
TEST_F(RulesFile, AWrongFileIsNotMadeUpForByTheNextOne) {
  const std::string wrong = write("wrong", "no rules"), right = write("right", kText);
  expect_refused(wrong + ':' + right, wrong + ": line 1: it does not begin with 'gapless-rules 1'");
}

}  // namespace
}  // namespace gapless::preload
