#include "redis/session.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "wire/testing/resp_text.h"

namespace weir::redis {
namespace {

using Kind = Session::Kind;

constexpr const char* kHello =
    "*4\r\n$6\r\nserver\r\n$5\r\nredis\r\n$4\r\nrole\r\n$6\r\nmaster\r\n";
constexpr const char* kReplica =
    "*6\r\n$6\r\nserver\r\n$4\r\nrole\r\n$4\r\nrole\r\n$7\r\nreplica\r\n$7\r\nmodules\r\n*0\r\n";

// A session and the server's side of it, as text.
class Talk {
 public:
  explicit Talk(Login login = {}) : login_(std::move(login)), session_(login_, "return 1") {}

  Session& session() { return session_; }

  // What the session has sent since the last call: words of each command, commands by a bar.
  std::string sent() {
    wire::RespParser parser;
    if (!out_.empty()) std::memcpy(parser.prepare(out_.size()).data(), out_.data(), out_.size());
    parser.commit(out_.size());
    out_.clear();
    std::string text;
    while (parser.next() == wire::RespParser::Status::reply) {
      if (!text.empty()) text += " | ";
      std::string words;
      for (const wire::RespValue& word : wire::RespItems(parser.reply())) {
        words += (words.empty() ? "" : " ") + std::string(word.text);
      }
      text += words;
    }
    EXPECT_TRUE(parser.idle());
    return text;
  }
  std::string start() {
    session_.start(out_);
    return sent();
  }
  // The reply is not kept: its views end here.
  Session::Action reply(std::string_view bytes) {
    wire::RespParser parser;
    std::memcpy(parser.prepare(bytes.size()).data(), bytes.data(), bytes.size());
    parser.commit(bytes.size());
    EXPECT_EQ(parser.next(), wire::RespParser::Status::reply) << bytes;
    Session::Action action = session_.replied(parser.reply(), out_);
    text_ = action.reply == nullptr ? "" : wire::testing::to_text(*action.reply);
    return action;
  }
  // Of the last action's reply.
  const std::string& text() const { return text_; }
  std::string& out() { return out_; }

  // To the point where batches may be sent.
  void greet() {
    start();
    reply(kHello);
    ASSERT_EQ(reply("+PONG\r\n").kind, Kind::ready);
    sent();
  }
  void send(Session::Ticket ticket) {
    wire::append_command(out_, {"EVALSHA", std::to_string(ticket)});
    session_.sent(ticket);
  }
  void send_again(Session::Ticket ticket) {
    wire::append_command(out_, {"EVALSHA", std::to_string(ticket)});
    session_.sent_again(ticket);
  }

 private:
  Login login_;
  Session session_;
  std::string out_;
  std::string text_;
};

TEST(RedisSession, GreetsAndAsksBeforeItIsReady) {
  Talk t;
  EXPECT_EQ(t.start(), "HELLO 2 SETNAME weir");
  EXPECT_EQ(t.reply(kHello).kind, Kind::none);
  EXPECT_EQ(t.sent(), "PING");
  EXPECT_FALSE(t.session().ready());
  EXPECT_EQ(t.reply("+PONG\r\n").kind, Kind::ready);
  EXPECT_TRUE(t.session().ready());
  EXPECT_EQ(t.sent(), "");
}

TEST(RedisSession, LogsInWithinTheGreeting) {
  Talk user({.username = "bob", .password = "pw", .database = 3, .client_name = "weir-7"});
  EXPECT_EQ(user.start(), "HELLO 2 AUTH bob pw SETNAME weir-7");
  EXPECT_EQ(user.reply(kHello).kind, Kind::none);
  EXPECT_EQ(user.sent(), "SELECT 3");
  EXPECT_EQ(user.reply("+OK\r\n").kind, Kind::none);
  EXPECT_EQ(user.sent(), "PING");

  Talk password({.username = "", .password = "pw"});
  EXPECT_EQ(password.start(), "HELLO 2 AUTH default pw SETNAME weir");
}

TEST(RedisSession, UnderstandsAGreetingInEitherProtocol) {
  Talk t;
  t.start();
  EXPECT_EQ(t.reply("%1\r\n+role\r\n+master\r\n").kind, Kind::none);
  t.start();
  const auto action = t.reply("%1\r\n+role\r\n+replica\r\n");
  EXPECT_EQ(action.kind, Kind::close);
  EXPECT_EQ(action.failure, Failure::readonly);
}

TEST(RedisSession, WithoutHelloItLogsInPlainly) {
  for (const char* refusal :
       {"-ERR unknown command 'HELLO', with args beginning with: '2'\r\n",
        "-NOPROTO unsupported protocol version\r\n",
        "-NOPERM this user has no permissions to run the 'hello' command\r\n"}) {
    Talk t({.username = "bob", .password = "pw", .database = 1});
    t.start();
    EXPECT_EQ(t.reply(refusal).kind, Kind::none);
    EXPECT_EQ(t.sent(), "AUTH bob pw");
    EXPECT_EQ(t.reply("+OK\r\n").kind, Kind::none);
    EXPECT_EQ(t.sent(), "CLIENT SETNAME weir");
    // Its name is for people: a refusal is no failure.
    EXPECT_EQ(t.reply("-NOPERM\r\n").kind, Kind::none);
    EXPECT_EQ(t.sent(), "SELECT 1");
    EXPECT_EQ(t.reply("+OK\r\n").kind, Kind::none);
    EXPECT_EQ(t.sent(), "PING");
    EXPECT_EQ(t.reply("+PONG\r\n").kind, Kind::ready);
  }
}

TEST(RedisSession, WithoutHelloAndUserAPasswordAloneIsSent) {
  Talk password({.username = "", .password = "pw"});
  password.start();
  password.reply("-ERR unknown command `HELLO`\r\n");
  EXPECT_EQ(password.sent(), "AUTH pw");
  Talk nothing;
  nothing.start();
  nothing.reply("-ERR unknown command `HELLO`\r\n");
  EXPECT_EQ(nothing.sent(), "CLIENT SETNAME weir");
}

struct Refusal {
  const char* reply;
  Failure failure;
};

TEST(RedisSession, ClosesWhereTheGreetingIsRefused) {
  const Refusal kRefusals[] = {
      {"-NOAUTH HELLO must be called with the client already authenticated\r\n", Failure::noauth},
      {"-WRONGPASS invalid username-password pair\r\n", Failure::wrongpass},
      {"-ERR max number of clients reached\r\n", Failure::maxclients},
      {"-DENIED Redis is running in protected mode\r\n", Failure::other_error},
      {kReplica, Failure::readonly},
      {"+OK\r\n", Failure::protocol},
      {":1\r\n", Failure::protocol},
  };
  for (const Refusal& r : kRefusals) {
    Talk t;
    t.start();
    const auto action = t.reply(r.reply);
    EXPECT_EQ(action.kind, Kind::close) << r.reply;
    EXPECT_EQ(name(action.failure), name(r.failure)) << r.reply;
    EXPECT_EQ(t.sent(), "");
  }
}

TEST(RedisSession, ClosesWhereThePasswordTheDatabaseOrTheServerIsWrong) {
  Talk auth({.username = "", .password = "pw"});
  auth.start();
  auth.reply("-ERR unknown command `HELLO`\r\n");
  EXPECT_EQ(auth.reply("-ERR invalid password\r\n").failure, Failure::wrongpass);

  Talk select({.username = "", .password = "", .database = 99});
  select.start();
  select.reply(kHello);
  const auto action = select.reply("-ERR DB index is out of range\r\n");
  EXPECT_EQ(action.kind, Kind::close);
  EXPECT_EQ(action.failure, Failure::nodatabase);

  const Refusal kPings[] = {
      {"-LOADING Redis is loading the dataset in memory\r\n", Failure::loading},
      {"-MASTERDOWN Link with MASTER is down\r\n", Failure::masterdown},
      {"-NOAUTH Authentication required.\r\n", Failure::noauth},
      {"-BUSY Redis is busy running a script.\r\n", Failure::busy},
      {"+HELLO\r\n", Failure::protocol},
  };
  for (const Refusal& r : kPings) {
    Talk t;
    t.start();
    t.reply(kHello);
    const auto closed = t.reply(r.reply);
    EXPECT_EQ(closed.kind, Kind::close) << r.reply;
    EXPECT_EQ(name(closed.failure), name(r.failure)) << r.reply;
    EXPECT_FALSE(t.session().ready());
  }
}

TEST(RedisSession, AUserWhoMayNotPingIsAnswered) {
  Talk t;
  t.start();
  t.reply(kHello);
  EXPECT_EQ(t.reply("-NOPERM this user has no permissions to run the 'ping' command\r\n").kind,
            Kind::ready);
}

TEST(RedisSession, RepliesGoToTheBatchesInTheOrderTheyWereSent) {
  Talk t;
  t.greet();
  for (const Session::Ticket ticket : {7u, 3u, 5u}) t.send(ticket);
  EXPECT_EQ(t.session().awaited(), 3u);
  for (const Session::Ticket ticket : {7u, 3u, 5u}) {
    const auto action = t.reply("$1\r\nx\r\n");
    EXPECT_EQ(action.kind, Kind::deliver);
    EXPECT_EQ(action.ticket, ticket);
    EXPECT_EQ(t.text(), "bulk 1 <x>");
  }
  EXPECT_EQ(t.session().awaited(), 0u);
}

TEST(RedisSession, AnErrorAnswersItsBatchAlone) {
  Talk t;
  t.greet();
  t.send(1);
  t.send(2);
  const auto action = t.reply("-OOM command not allowed\r\n");
  EXPECT_EQ(action.kind, Kind::failed);
  EXPECT_EQ(action.ticket, 1u);
  EXPECT_EQ(action.failure, Failure::oom);
  EXPECT_EQ(t.text(), "error 23 <OOM command not allowed>");
  EXPECT_EQ(t.reply("$1\r\nx\r\n").ticket, 2u);
}

TEST(RedisSession, AReplyThatNobodyAwaitsEndsTheConnection) {
  Talk t;
  t.greet();
  EXPECT_EQ(t.reply("+OK\r\n").failure, Failure::protocol);
  t.greet();
  const auto action = t.reply("-ERR max number of clients reached\r\n");
  EXPECT_EQ(action.kind, Kind::close);
  EXPECT_EQ(action.failure, Failure::maxclients);
}

TEST(RedisSession, APushAnswersNothing) {
  Talk t;
  t.greet();
  t.send(1);
  EXPECT_EQ(t.reply(">2\r\n+message\r\n+x\r\n").kind, Kind::none);
  EXPECT_EQ(t.reply("$1\r\nx\r\n").kind, Kind::deliver);
}

TEST(RedisSession, AfterNoscriptTheScriptIsLoadedOnceForAllThatWereOnTheirWay) {
  Talk t;
  t.greet();
  for (const Session::Ticket ticket : {1u, 2u, 3u}) t.send(ticket);
  t.sent();
  for (const Session::Ticket ticket : {1u, 2u, 3u}) {
    const auto action = t.reply("-NOSCRIPT No matching script. Please use EVAL.\r\n");
    ASSERT_EQ(action.kind, Kind::resend);
    EXPECT_EQ(action.ticket, ticket);
    t.send_again(ticket);
  }
  EXPECT_EQ(t.sent(), "SCRIPT LOAD return 1 | EVALSHA 1 | EVALSHA 2 | EVALSHA 3");
  EXPECT_EQ(t.reply("$4\r\nsha1\r\n").kind, Kind::none);
  for (const Session::Ticket ticket : {1u, 2u, 3u}) {
    const auto action = t.reply("$1\r\nx\r\n");
    EXPECT_EQ(action.kind, Kind::deliver);
    EXPECT_EQ(action.ticket, ticket);
  }
}

TEST(RedisSession, ABatchIsSentAgainOnceOnly) {
  Talk t;
  t.greet();
  t.send(1);
  EXPECT_EQ(t.reply("-NOSCRIPT No matching script.\r\n").kind, Kind::resend);
  t.send_again(1);
  t.sent();
  EXPECT_EQ(t.reply("$4\r\nsha1\r\n").kind, Kind::none);
  const auto action = t.reply("-NOSCRIPT No matching script.\r\n");
  EXPECT_EQ(action.kind, Kind::failed);
  EXPECT_EQ(action.failure, Failure::noscript);
  EXPECT_EQ(t.sent(), "");
}

TEST(RedisSession, ALaterFlushLoadsTheScriptAgain) {
  Talk t;
  t.greet();
  for (int i = 0; i < 3; ++i) {
    t.send(1);
    t.sent();
    EXPECT_EQ(t.reply("-NOSCRIPT No matching script.\r\n").kind, Kind::resend);
    t.send_again(1);
    EXPECT_EQ(t.sent(), "SCRIPT LOAD return 1 | EVALSHA 1");
    EXPECT_EQ(t.reply("$4\r\nsha1\r\n").kind, Kind::none);
    EXPECT_EQ(t.reply("$1\r\nx\r\n").kind, Kind::deliver);
  }
}

TEST(RedisSession, WhatNobodyWaitsForIsNotSentAgain) {
  Talk t;
  t.greet();
  t.send(1);
  t.send(2);
  t.sent();
  t.session().abandon(1);
  EXPECT_EQ(t.reply("-NOSCRIPT No matching script.\r\n").kind, Kind::failed);
  EXPECT_EQ(t.sent(), "");
  EXPECT_EQ(t.reply("-NOSCRIPT No matching script.\r\n").kind, Kind::resend);
  EXPECT_EQ(t.sent(), "SCRIPT LOAD return 1");
}

TEST(RedisSession, AScriptThatCannotBeLoadedIsSaid) {
  Talk t;
  t.greet();
  t.send(1);
  t.reply("-NOSCRIPT No matching script.\r\n");
  t.send_again(1);
  const auto action = t.reply("-NOPERM this user has no permissions\r\n");
  EXPECT_EQ(action.kind, Kind::trouble);
  EXPECT_EQ(action.failure, Failure::noperm);
  // The batch failed for that reason too, not for its consequence.
  const auto batch = t.reply("-NOSCRIPT No matching script.\r\n");
  EXPECT_EQ(batch.kind, Kind::failed);
  EXPECT_EQ(batch.failure, Failure::noperm);
  EXPECT_EQ(batch.reply->text, "NOPERM this user has no permissions");
}

TEST(RedisSession, OtherErrorsAreNeverSentAgain) {
  for (const char* error : {"-TRYAGAIN later\r\n", "-LOADING\r\n", "-BUSY\r\n", "-ASK 1 h:1\r\n",
                            "-MOVED 1 h:1\r\n", "-CLUSTERDOWN\r\n", "-READONLY\r\n"}) {
    Talk t;
    t.greet();
    t.send(1);
    t.sent();
    EXPECT_EQ(t.reply(error).kind, Kind::failed) << error;
    EXPECT_EQ(t.sent(), "");
    EXPECT_EQ(t.session().awaited(), 0u);
  }
}

TEST(RedisSession, AProbeIsAnsweredAmongTheBatches) {
  Talk t;
  t.greet();
  t.send(1);
  t.session().probe(t.out());
  EXPECT_EQ(t.sent(), "EVALSHA 1 | PING");
  EXPECT_EQ(t.reply("$1\r\nx\r\n").kind, Kind::deliver);
  EXPECT_EQ(t.reply("+PONG\r\n").kind, Kind::probe_passed);
  t.session().probe(t.out());
  const auto action = t.reply("-BUSY Redis is busy\r\n");
  EXPECT_EQ(action.kind, Kind::probe_failed);
  EXPECT_EQ(action.failure, Failure::busy);
  EXPECT_TRUE(t.session().ready());
}

TEST(RedisSession, AtTheEndItNamesTheBatchesWhoseReplyIsLost) {
  Talk t;
  t.greet();
  t.send(4);
  t.session().probe(t.out());
  t.send(9);
  std::vector<Session::Ticket> lost;
  while (const auto ticket = t.session().drop()) lost.push_back(*ticket);
  EXPECT_EQ(lost, (std::vector<Session::Ticket>{4, 9}));
  EXPECT_FALSE(t.session().ready());
  t.greet();
  EXPECT_TRUE(t.session().ready());
}

}  // namespace
}  // namespace weir::redis
