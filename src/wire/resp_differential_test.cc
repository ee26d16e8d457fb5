// The reply parser against hiredis' reader, which knows RESP2: what both are given, they read
// alike.
#include <gtest/gtest.h>
#include <hiredis/hiredis.h>

#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "wire/resp.h"
#include "wire/testing/resp_text.h"

namespace weir::wire {
namespace {

using Rng = std::mt19937_64;

std::uint64_t below(Rng& rng, std::uint64_t n) { return rng() % n; }

std::string random_text(Rng& rng, std::size_t most, bool line) {
  std::string text(below(rng, most + 1), ' ');
  for (char& c : text) {
    c = line ? static_cast<char>('!' + below(rng, 90)) : static_cast<char>(below(rng, 256));
  }
  return text;
}

std::string random_number(Rng& rng) {
  const std::uint64_t bits = rng() >> below(rng, 64);
  return std::to_string(static_cast<std::int64_t>(bits));
}

void append_random_reply(Rng& rng, std::string& out, int depth) {
  const std::string end = "\r\n";
  switch (below(rng, depth > 0 ? 7 : 5)) {
    case 0:
      out += "+" + random_text(rng, 12, true) + end;
      return;
    case 1:
      out += "-" + random_text(rng, 12, true) + end;
      return;
    case 2:
      out += ":" + random_number(rng) + end;
      return;
    case 3: {
      const std::string text = random_text(rng, 20, false);
      out += "$" + std::to_string(text.size()) + end + text + end;
      return;
    }
    case 4:
      out += below(rng, 2) == 0 ? "$-1\r\n" : "*-1\r\n";
      return;
    default: {
      const std::uint64_t items = below(rng, 4);
      out += "*" + std::to_string(items) + end;
      for (std::uint64_t i = 0; i < items; ++i) append_random_reply(rng, out, depth - 1);
    }
  }
}

std::string to_text(const redisReply& r) {
  const std::string text = r.str == nullptr ? "" : std::string(r.str, r.len);
  const std::string sized = std::to_string(text.size()) + " <" + text + ">";
  switch (r.type) {
    case REDIS_REPLY_STATUS:
      return "simple " + sized;
    case REDIS_REPLY_ERROR:
      return "error " + sized;
    case REDIS_REPLY_INTEGER:
      return "int " + std::to_string(r.integer);
    case REDIS_REPLY_NIL:
      return "null";
    case REDIS_REPLY_STRING:
      return "bulk " + sized;
    default: {
      std::string out = "array [";
      for (std::size_t i = 0; i < r.elements; ++i) out += to_text(*r.element[i]) + "; ";
      return out + "]";
    }
  }
}

struct Read {
  std::vector<std::string> replies;
  bool failed = false;
};

Read by_hiredis(const std::vector<std::string>& parts) {
  const std::unique_ptr<redisReader, void (*)(redisReader*)> reader(redisReaderCreate(),
                                                                    redisReaderFree);
  Read read;
  for (const std::string& part : parts) {
    redisReaderFeed(reader.get(), part.data(), part.size());
    for (;;) {
      void* reply = nullptr;
      if (redisReaderGetReply(reader.get(), &reply) != REDIS_OK) {
        read.failed = true;
        return read;
      }
      if (reply == nullptr) break;
      read.replies.push_back(to_text(*static_cast<redisReply*>(reply)));
      freeReplyObject(reply);
    }
  }
  return read;
}

Read by_weir(const std::vector<std::string>& parts) {
  RespParser parser;
  Read read;
  for (const std::string& part : parts) {
    if (part.empty()) continue;
    std::memcpy(parser.prepare(part.size()).data(), part.data(), part.size());
    parser.commit(part.size());
    for (;;) {
      const RespParser::Status status = parser.next();
      if (status == RespParser::Status::need_more) break;
      if (status == RespParser::Status::error) {
        read.failed = true;
        return read;
      }
      read.replies.push_back(testing::to_text(parser.reply()));
    }
  }
  return read;
}

std::vector<std::string> cut(Rng& rng, const std::string& bytes) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t n = 1 + below(rng, below(rng, 3) == 0 ? 3 : bytes.size());
    parts.push_back(bytes.substr(at, n));
    at += n;
  }
  return parts;
}

TEST(RespDifferential, ValidStreamsAreReadAsHiredisReadsThem) {
  Rng rng(3);
  for (int round = 0; round < 5'000; ++round) {
    std::string stream;
    for (std::uint64_t n = 1 + below(rng, 5); n > 0; --n) append_random_reply(rng, stream, 4);
    const auto parts = cut(rng, stream);
    const Read ours = by_weir(parts);
    const Read theirs = by_hiredis(parts);
    ASSERT_FALSE(theirs.failed) << stream;
    ASSERT_FALSE(ours.failed) << stream;
    ASSERT_EQ(ours.replies, theirs.replies) << stream;
  }
}

// hiredis lets some faults pass (a lone CR, a string that is longer than its length); never the
// other way round, except for the types of RESP3.
TEST(RespDifferential, WhatIsReadOfABrokenStreamHiredisReadsToo) {
  Rng rng(4);
  int broken = 0;
  for (int round = 0; round < 5'000; ++round) {
    std::string stream;
    for (std::uint64_t n = 1 + below(rng, 4); n > 0; --n) append_random_reply(rng, stream, 3);
    for (std::uint64_t n = 1 + below(rng, 3); n > 0; --n) {
      constexpr std::string_view kBytes = "+-:$*\r\n0123456789 a";
      char& byte = stream[below(rng, stream.size())];
      byte = kBytes[below(rng, kBytes.size())];
    }
    const auto parts = cut(rng, stream);
    const Read ours = by_weir(parts);
    const Read theirs = by_hiredis(parts);
    broken += ours.failed ? 1 : 0;
    ASSERT_LE(ours.replies.size(), theirs.replies.size()) << stream;
    for (std::size_t i = 0; i < ours.replies.size(); ++i) {
      ASSERT_EQ(ours.replies[i], theirs.replies[i]) << stream;
    }
    if (!ours.failed) {
      ASSERT_FALSE(theirs.failed) << stream;
      ASSERT_EQ(ours.replies.size(), theirs.replies.size()) << stream;
    }
  }
  EXPECT_GT(broken, 1'000);
}

}  // namespace
}  // namespace weir::wire
