// Whether another process runs, as /proc tells: where that is not as usual.
#include "base/process.hpp"

#include <sched.h>
#include <sys/syscall.h>

#include <thread>

#include "wire/node.hpp"

namespace gapless::wire::test {

TEST(Process, RunsWhileOneOfItsThreadsDoes) {
  SharedBoard board;
  const pid_t child = begin([&] {
    std::thread([&] {
      board->meet(2, 1);
      _exit(0);
    }).detach();
    syscall(SYS_exit, 0);  // of this thread, the first one
  });
  const std::uint64_t began = base::beginning_of(child);
  ASSERT_NE(began, 0u);
  const auto is_zombie = [&] { return base::process_text(child, "stat").find(") Z ") != std::string::npos; };
  while (!is_zombie()) usleep(200);
  EXPECT_TRUE(base::is_running(child, began));
  board->meet(2, 1);
  siginfo_t ended;
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT), 0);
  EXPECT_TRUE(is_zombie());
  EXPECT_FALSE(base::is_running(child, began));
  expect_good_end(child);
}

TEST(Process, WhoSeesNobodyTakesNobodyForEnded) {
  char folder[] = "/tmp/gapless-empty-XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  const pid_t self = getpid();
  const std::uint64_t began = base::beginning_of(self);
  in_child([&] {
    EXPECT_TRUE(base::is_running(self, began));
    EXPECT_FALSE(base::is_running(self, began + 1));
    if (chroot(folder) != 0 && (unshare(CLONE_NEWUSER) != 0 || chroot(folder) != 0)) return;  // not permitted here
    ASSERT_EQ(base::beginning_of(self), 0u);
    EXPECT_TRUE(base::is_running(self, began));
  });
  rmdir(folder);
}

}  // namespace gapless::wire::test
