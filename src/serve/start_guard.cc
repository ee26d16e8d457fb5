#include "serve/start_guard.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "host/log.h"

namespace weir::serve {

StartGuard::StartGuard(const sigset_t& stop)
    : signals_(::signalfd(-1, &stop, SFD_CLOEXEC | SFD_NONBLOCK)),
      released_(::eventfd(0, EFD_CLOEXEC)) {
  if (signals_ >= 0 && released_ >= 0) thread_ = std::thread([this] { watch(); });
}

void StartGuard::release() {
  if (thread_.joinable()) {
    ::eventfd_write(released_, 1);
    thread_.join();
  }
  for (int* fd : {&signals_, &released_}) {
    if (*fd >= 0) ::close(*fd);
    *fd = -1;
  }
}

void StartGuard::watch() const {
  std::array<pollfd, 2> wanted{{{released_, POLLIN, 0}, {signals_, POLLIN, 0}}};
  while (::poll(wanted.data(), wanted.size(), -1) < 0 && errno == EINTR) {
  }
  if (wanted[0].revents != 0) return;  // a signal of the same moment stays pending
  signalfd_siginfo info{};
  if (::read(signals_, &info, sizeof info) != sizeof info) return;
  host::log(host::LogLevel::info, "stopped before it served",
            {{"signal", info.ssi_signo == SIGTERM ? "SIGTERM" : "SIGINT"}});
  ::_exit(0);
}

}  // namespace weir::serve
