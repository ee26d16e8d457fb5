// Answers that come later: what a handler waits for (a store on another machine) is known on some
// other thread, and the answer is written on the loop's.
//
//   class Slow final : public Later {
//     Duration answer(wire::HttpResponse& response) override { ...start to finish... }
//   };
//   auto* slow = new Slow(completions);   // in `handle`
//   ask([slow] { slow->complete(); });    // once, on any thread, even before `handle` returns
//   return {.later = slow};
//
// The connection waits meanwhile: requests behind it are not read, and no time limit of its own
// runs. Ownership: a Later is its own until `complete`, then the loop's, which deletes it; so it
// must be completed. `complete` may be called when the loop is gone: the Later is deleted then,
// without an answer. Cost: a lock for each completion, and one wake-up for all that the loop finds
// together.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <mutex>
#include <vector>

#include "weir/clock.h"
#include "wire/http_response.h"

namespace weir::net {

class HttpConnection;
class Later;

// Where a loop gets what is complete. Thread-safe.
class Completions : public std::enable_shared_from_this<Completions> {
 public:
  explicit Completions(boost::asio::io_context& context) : context_(&context) {}
  ~Completions();
  Completions(const Completions&) = delete;
  Completions& operator=(const Completions&) = delete;

  void push(std::unique_ptr<Later> later);
  // The loop is gone.
  void close();

 private:
  void run();  // on the loop's thread

  std::mutex mutex_;
  boost::asio::io_context* context_;  // null: closed
  std::vector<std::unique_ptr<Later>> complete_;
  std::vector<std::unique_ptr<Later>> running_;  // the loop's thread only
};

class Later {
 public:
  explicit Later(std::shared_ptr<Completions> completions) : completions_(std::move(completions)) {}
  Later(const Later&) = delete;
  Later& operator=(const Later&) = delete;
  virtual ~Later();

  // On the loop's thread, once: one whole answer, `start` to `finish`, as in HttpHandler::handle.
  // It leaves after the time that is returned. A client that went away meanwhile gets none of it.
  virtual Duration answer(wire::HttpResponse& response) = 0;

  // Any thread, once. The Later may be gone when this returns.
  void complete();

 private:
  friend class Completions;
  friend class HttpConnection;

  std::shared_ptr<Completions> completions_;
  // On the loop's thread only. Weak: a connection must not outlive its loop.
  std::weak_ptr<HttpConnection> connection_;
};

}  // namespace weir::net
