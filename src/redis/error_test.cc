#include "redis/error.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace weir::redis {
namespace {

struct Case {
  const char* reply;
  Failure failure;
};

// Texts as Redis 7.0 and, where it differs, 6.2 send them.
const Case kReplies[] = {
    {"READONLY You can't write against a read only replica. script: cf63, on @user_script:1.",
     Failure::readonly},
    {"ERR Error running script (call to f_cf63): @user_script:1: @user_script: 1: -READONLY You "
     "can't write against a read only replica.",
     Failure::readonly},
    {"LOADING Redis is loading the dataset in memory", Failure::loading},
    {"MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
     Failure::masterdown},
    {"CLUSTERDOWN The cluster is down", Failure::clusterdown},
    {"MOVED 3999 127.0.0.1:6381", Failure::moved},
    {"ASK 3999 127.0.0.1:6381", Failure::ask},
    {"TRYAGAIN Multiple keys request during rehashing of slot", Failure::tryagain},
    {"NOAUTH Authentication required.", Failure::noauth},
    {"WRONGPASS invalid username-password pair or user is disabled.", Failure::wrongpass},
    {"ERR AUTH <password> called without any password configured for the default user. Are you "
     "sure your configuration is correct?",
     Failure::wrongpass},
    {"NOPERM this user has no permissions to run the 'evalsha' command", Failure::noperm},
    {"OOM command not allowed when used memory > 'maxmemory'. script: cf63, on @user_script:1.",
     Failure::oom},
    {"ERR Error running script (call to f_cf63): @user_script:1: @user_script: 1: -OOM command not "
     "allowed when used memory > 'maxmemory'.",
     Failure::oom},
    {"BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.",
     Failure::busy},
    {"NOSCRIPT No matching script. Please use EVAL.", Failure::noscript},
    {"MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to "
     "disk.",
     Failure::misconf},
    {"NOREPLICAS Not enough good replicas to write.", Failure::noreplicas},
    {"CROSSSLOT Keys in request don't hash to the same slot", Failure::crossslot},
    {"ERR DB index is out of range", Failure::nodatabase},
    {"ERR max number of clients reached", Failure::maxclients},
    {"ERR The user executing the script can't run this command or subcommand script: cf63, on "
     "@user_script:9.",
     Failure::noperm},
    {"ERR Error running script (call to f_cf63): @user_script:9: The user executing the script "
     "can't access at least one of the keys mentioned in the command arguments",
     Failure::noperm},
    {"ERR unknown command 'EVALSHA'", Failure::other_error},
    {"WRONGTYPE Operation against a key holding the wrong kind of value", Failure::other_error},
    // A word is a word, not a beginning.
    {"LOADINGS", Failure::other_error},
    {"ASKING first", Failure::other_error},
    {"", Failure::other_error},
    {" READONLY", Failure::other_error},
    // What a script says of another script is no reason to send it again.
    {"ERR Error running script: -NOSCRIPT No matching script", Failure::other_error},
};

TEST(RedisError, IsClassifiedByItsFirstWord) {
  for (const Case& c : kReplies) EXPECT_EQ(name(classify(c.reply)), name(c.failure)) << c.reply;
}

TEST(RedisError, EveryFailureHasANameOfItsOwnAndAdvice) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kFailures; ++i) {
    const Reaction& r = reaction(static_cast<Failure>(i));
    EXPECT_TRUE(names.insert(r.name).second) << r.name;
    EXPECT_FALSE(r.name.empty());
    EXPECT_FALSE(r.advice.empty()) << r.name;
  }
}

// A lost reply is never answered by a second charge: only these say that nothing ran.
TEST(RedisError, ARequestGoesOnOnlyWhereNothingRan) {
  for (std::size_t i = 0; i < kFailures; ++i) {
    const Failure failure = static_cast<Failure>(i);
    OnRequest wanted = OnRequest::fails;
    if (failure == Failure::noscript) wanted = OnRequest::again;
    if (failure == Failure::moved || failure == Failure::ask) wanted = OnRequest::elsewhere;
    if (failure == Failure::tryagain) wanted = OnRequest::later;
    EXPECT_EQ(reaction(failure).request, wanted) << name(failure);
  }
}

// What a command of the script was told came after others of it may have run.
TEST(RedisError, ARedirectWithinAScriptIsNoRedirect) {
  for (const char* said : {"MOVED 1 h:1", "ASK 1 h:1", "TRYAGAIN Multiple keys"}) {
    const std::string reply = std::string("ERR Error running script (call to f): -") + said;
    EXPECT_EQ(classify(reply), Failure::other_error) << reply;
  }
}

TEST(RedisError, TheTableIsInTheOrderOfTheFailures) {
  EXPECT_EQ(name(Failure::readonly), "readonly");
  EXPECT_EQ(name(Failure::noscript), "noscript");
  EXPECT_EQ(name(Failure::other_error), "other_error");
  EXPECT_EQ(name(Failure::unreachable), "unreachable");
  EXPECT_EQ(name(Failure::protocol), "protocol");
  EXPECT_EQ(name(Failure::timeout), "timeout");
  EXPECT_EQ(name(Failure::breaker_open), "breaker_open");
}

TEST(RedisError, AConnectionIsKeptWhereItWorks) {
  for (const Failure f : {Failure::loading, Failure::oom, Failure::busy, Failure::noscript,
                          Failure::noperm, Failure::timeout}) {
    EXPECT_EQ(reaction(f).connection, OnConnection::keep) << name(f);
  }
  for (const Failure f : {Failure::readonly, Failure::noauth, Failure::wrongpass, Failure::protocol,
                          Failure::lost, Failure::masterdown}) {
    EXPECT_EQ(reaction(f).connection, OnConnection::close) << name(f);
  }
}

TEST(RedisError, WhatWeirItselfRefusesDoesNotOpenTheBreaker) {
  for (const Failure f : {Failure::queue_full, Failure::breaker_open, Failure::noscript,
                          Failure::moved, Failure::ask, Failure::tryagain}) {
    EXPECT_FALSE(reaction(f).counts) << name(f);
  }
  EXPECT_TRUE(reaction(Failure::timeout).counts);
}

TEST(RedisError, WhatAServerSaysIsShownWithoutWhatSteersATerminalOrIsNoText) {
  EXPECT_EQ(shown("ERR \x1b[31mred\x1b[0m \xff\xfe\r\n"), "ERR ?[31mred?[0m ????");
  EXPECT_EQ(shown(std::string(5'000, 'x')).size(), 512u);
  EXPECT_EQ(shown("ERR unknown command 'AUTH', with args beginning with: 'u' 'hunter2' "),
            "ERR unknown command 'AUTH'");
}

}  // namespace
}  // namespace weir::redis
