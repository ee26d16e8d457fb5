// A decision makes no system call: a child process that the kernel kills at the first one decides
// thousands of requests and lives.
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstddef>

#include "decide/testing/harness.h"

namespace weir::decide {
namespace {

constexpr std::string_view kPolicy = R"(version: 1
tiers: {free: {}, pro: {}}
accounts: none.csv
identity:
  jwt: {verify: gateway}
  keys:
    tenant: {from: "header:x-tenant"}
    session: {from: "cookie:sid"}
classes:
  - {name: user, match: ["GET /v1/users/{id}"]}
limits:
  - {name: bucket, key: [client], tiers: {free: 50/h, pro: 100/h}}
  - {name: window, key: [tenant, class], algorithm: fixed_window, limit: 40, window: 1h}
  - {name: sliding, key: [session], algorithm: sliding_window, limit: 60, window: 1h}
  - {name: queue, key: [user], algorithm: leaky_bucket, rate: 10/h, queue: 70}
  - {name: all, key: global, rate: 1000/s}
  - {name: shadow, key: [ip], rate: 5/h, mode: shadow}
)";

// Every kind of verdict: admissions, then denials, peeks and refused costs, on keys of all sources.
void decide_much(Engine& engine, SnapshotCache& snapshots, SystemClock& clock) {
  const std::array<identity::Field, 4> headers{{{"X-Api-Key", "k"},
                                                {"X-Tenant", "acme"},
                                                {"Cookie", "a=b; sid=s1"},
                                                {"Authorization", "Bearer e30.eyJzdWIiOiJ1In0.x"}}};
  identity::Facts facts;
  facts.method = "GET";
  facts.client = policy::Address::parse("203.0.113.7");
  facts.headers = headers;
  Decision decision;
  for (int i = 0; i < 2000; ++i) {
    facts.target = i % 3 == 0 ? "/v1/users/7?x=1" : "/%761/./users//8/";
    facts.peek = i % 5 == 0;
    engine.decide(snapshots.get(), facts, clock.now(), decision);
  }
}

// From here on any system call but exit_group kills the process. (Strict mode would also forbid
// reading the processor's time stamp counter.)
bool forbid_system_calls() {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
  };
  const sock_fprog filter{static_cast<unsigned short>(std::size(program)), program};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

TEST(Decision, MakesNoSystemCall) {
  testing::Harness h(kPolicy, testing::account_line("k", "pro", "a"));
  SystemClock clock;
  SnapshotCache snapshots(*h.engine);
  snapshots.get();
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    if (!forbid_system_calls()) ::_exit(2);
    decide_much(*h.engine, snapshots, clock);
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_FALSE(WIFSIGNALED(status)) << "killed by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(Decision, WouldBeCaughtIfItMadeOne) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    if (!forbid_system_calls()) ::_exit(2);
    ::syscall(SYS_getpid);
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
}

}  // namespace
}  // namespace weir::decide
