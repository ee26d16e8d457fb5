// `weir`: finds the subcommand and runs it.
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <system_error>

#include "cli/command.h"
#include "cli/version.h"
#include "policy/loader.h"

namespace weir::cli {
namespace {

constexpr std::array kCommands{
    Command{"init", "write a policy to start from", run_init},
    Command{"serve", "answer decisions over HTTP", run_serve},
    Command{"check", "decide one request, or ask a running server", run_check},
    Command{"explain", "say what a policy does, or what it does with one request", run_explain},
    Command{"lint", "find what is wrong with a policy", run_lint},
    Command{"test", "run a timeline of requests against its expectations", run_test},
    Command{"replay", "say what a policy would have done with the requests of access logs",
            run_replay},
    Command{"simulate", "say what a policy does with synthetic traffic, or against a threat",
            run_simulate},
    Command{"bench", "ask a running server with synthetic traffic", run_bench},
    Command{"accounts", "add, change, remove and list API keys", run_accounts},
    Command{"store", "ask the Redis of a policy whether it can keep limits", run_store},
    Command{"schema", "print the JSON Schema of the policy file", run_schema},
};

// Commands of the format that this version does not have yet.
constexpr std::array<std::string_view, 8> kLater{"design", "diff", "export",   "import",
                                                 "usage",  "set",  "override", "top"};

std::string usage() {
  std::string text =
      "weir designs rate limits from facts and enforces them exactly.\n\n"
      "Usage: weir COMMAND [OPTIONS]\n\nCommands:\n";
  for (const Command& command : kCommands) {
    text += "  " + std::string(command.name) + std::string(10 - command.name.size(), ' ') +
            std::string(command.summary) + "\n";
  }
  return text +
         "\n`weir COMMAND --help` has its options and an example; `weir --version` the version.\n"
         "Exit codes: 0 done; 1 the answer is no (lint: an error; test: a difference; check\n"
         "--exit-code: a denial; a policy that does not load); 2 could not start (a wrong option, "
         "a\n"
         "file that cannot be read; serve: anything that keeps it from serving).\n"
         "\nExample:\n  weir lint examples/plans.yaml\n" +
         kWhereExamplesAre + "\n";
}

int unknown(const std::string& word) {
  std::vector<std::string> names;
  names.reserve(kCommands.size() + 2);
  for (const Command& command : kCommands) names.emplace_back(command.name);
  names.insert(names.end(), {"--help", "--version"});
  const std::string_view near = policy::nearest(word, names);
  std::cerr << "weir: unknown " << (word[0] == '-' ? "option" : "command") << " `" << word << "`";
  if (!near.empty()) std::cerr << "; did you mean `" << near << "`?";
  std::cerr << "\nsee `weir --help`\n";
  return kCouldNotStart;
}

int dispatch(const Arguments& args) {
  if (args.empty()) {
    std::cerr << usage();
    return kCouldNotStart;
  }
  const std::string& word = args.front();
  if (word == "--version" || word == "-V") {
    std::cout << "weir " << kVersion << "\n";
    return kDone;
  }
  if (word == "--help" || word == "-h" || word == "help") {
    std::cout << usage();
    return kDone;
  }
  for (const Command& command : kCommands) {
    if (command.name == word) return command.run(Arguments(args.begin() + 1, args.end()));
  }
  if (std::find(kLater.begin(), kLater.end(), word) != kLater.end()) {
    std::cerr << "weir: `" << word << "` is not in this version (weir " << kVersion << ")\n";
    return kCouldNotStart;
  }
  return word.empty() ? unknown("-") : unknown(word);
}

// A reader that has left (`weir lint | head`) is no failure; a full disk or a closed output is.
bool reader_left() {
  pollfd out{STDOUT_FILENO, POLLOUT, 0};
  return ::poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

int exit_after_output(int exit) {
  errno = 0;
  if (std::cout.flush() || reader_left()) return exit;
  std::cerr << "weir: standard output cannot be written, what was to stand there is lost";
  if (errno != 0) std::cerr << ": " << std::strerror(errno);
  std::cerr << "\n";
  return kCouldNotStart;
}

}  // namespace

int run(const Arguments& args) {
  const int exit = dispatch(args);
  const bool output_matters = args.empty() || args.front() != "serve";  // it has served
  return output_matters ? exit_after_output(exit) : exit;
}

std::span<const Command> commands() { return kCommands; }

// Where a standard stream is closed, the next file or socket would take its place and be written
// to as if it were. Standard output is opened for reading: what is written to it fails, as before.
void occupy_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) != -1 || errno != EBADF) continue;
    // The lowest free number is this one: those below are open.
    if (::open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY) != fd)
      ::_exit(kCouldNotStart);
  }
}

// Where the system gives no more.
int out_of(const char* what) {
  std::cerr << "weir: the system gives no more " << what << "; see `ulimit -a`\n";
  return kCouldNotStart;
}

}  // namespace weir::cli

int main(int argc, char** argv) {
  weir::cli::occupy_standard_streams();
  std::signal(SIGPIPE, SIG_IGN);  // NOLINT: `weir lint | head` ends by a failed write
  try {
    return weir::cli::run(weir::cli::Arguments(argv + 1, argv + argc));
  } catch (const std::bad_alloc&) {
    return weir::cli::out_of("memory");
  } catch (const std::system_error& e) {
    if (e.code() == std::errc::resource_unavailable_try_again) {
      return weir::cli::out_of("threads, or memory for one");
    }
    std::cerr << "weir: " << e.what() << "\n";
    return weir::cli::kCouldNotStart;
  } catch (const std::exception& e) {
    std::cerr << "weir: " << e.what() << "\n";
    return weir::cli::kCouldNotStart;
  }
}
