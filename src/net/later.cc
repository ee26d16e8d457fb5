#include "net/later.h"

#include <boost/asio/post.hpp>
#include <string>
#include <utility>

#include "net/http_connection.h"

namespace weir::net {

Later::~Later() = default;

void Later::complete() {
  // Not by the member: it may be gone before `push` returns.
  const std::shared_ptr<Completions> completions = std::move(completions_);
  completions->push(std::unique_ptr<Later>(this));
}

Completions::~Completions() = default;

void Completions::push(std::unique_ptr<Later> later) {
  const std::lock_guard lock(mutex_);
  if (context_ == nullptr) return;
  complete_.push_back(std::move(later));
  if (complete_.size() > 1) return;  // the wake-up for those before has not come yet
  boost::asio::post(*context_, [self = shared_from_this()] { self->run(); });
}

void Completions::close() {
  std::vector<std::unique_ptr<Later>> unwanted;
  const std::lock_guard lock(mutex_);
  context_ = nullptr;
  unwanted.swap(complete_);
}

void Completions::run() {
  {
    const std::lock_guard lock(mutex_);
    running_.swap(complete_);
  }
  for (std::unique_ptr<Later>& later : running_) {
    if (const std::shared_ptr<HttpConnection> connection = later->connection_.lock()) {
      connection->complete(*later);
    } else {
      std::string unread;
      wire::HttpResponse response(unread, {});
      later->answer(response);
    }
    later.reset();
  }
  running_.clear();
}

}  // namespace weir::net
