// `weir accounts add|set|remove|list`: the accounts file of a policy.
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <iostream>

#include "cli/decision_text.h"
#include "cli/files.h"
#include "cli/options.h"
#include "cli/report.h"
#include "identity/edit_accounts.h"
#include "policy/loader.h"

namespace weir::cli {
namespace {

namespace json = boost::json;

// What every action needs first: the policy, and the accounts file that it names.
struct Opened {
  std::shared_ptr<policy::Policy> policy;
  int exit = kDone;
};

Opened open_policy(const Options& options, const std::string& file) {
  policy::Loaded loaded = policy::load_file(file);
  if (!loaded.policy) {
    print_findings(loaded.findings);
    return {nullptr, exit_for_unloadable(file)};
  }
  if (loaded.policy->accounts_file.empty()) {
    return {nullptr,
            options.usage_error(file + " names no accounts file; add `accounts: keys.csv`")};
  }
  return {std::move(loaded.policy), kDone};
}

// Exit 1 and the nearest word where there is no such tier.
bool tier_exists(const policy::Policy& policy, const std::string& tier) {
  std::vector<std::string> names;
  for (const policy::Tier& t : policy.tiers) names.push_back(t.name);
  if (std::find(names.begin(), names.end(), tier) != names.end()) return true;
  const std::string_view near = policy::nearest(tier, names);
  std::cerr << "weir accounts: unknown tier `" << tier << "`";
  if (!near.empty()) std::cerr << "; did you mean `" << near << "`?";
  std::cerr << "\ntiers of " << policy.file << ":";
  for (const std::string& name : names) std::cerr << " " << name;
  std::cerr << "\n";
  return false;
}

int failed(const Error& error) {
  std::cerr << "weir accounts: " << error.text() << "\n";
  return error.code == ErrorCode::io ? kCouldNotStart : kNo;
}

void say_reload() {
  std::cerr << "a running weir serve reads it by itself within a second (with --no-watch: on "
               "SIGHUP)\n";
}

std::string key_from_stdin() {
  std::string key = read_stdin();
  while (!key.empty() && (key.back() == '\n' || key.back() == '\r')) key.pop_back();
  return key;
}

int run_add(const Arguments& args) {
  Options options("accounts add",
                  "Add an API key. It is made here and printed once on standard output; the file "
                  "keeps only its SHA-256.",
                  {"weir accounts add examples/plans.yaml --tier pro --account acme"});
  std::string file;
  identity::NewAccount account;
  bool from_stdin = false;
  options.add("POLICY", file, "policy file").required();
  options.add("--tier", account.tier, "the plan").required().type("TIER");
  options.add("--account", account.account, "who it belongs to").required().type("NAME");
  options
      .add("--overrides", account.overrides,
           "numbers of its own: 'plan=600/min burst 120;search=deny'")
      .type("TEXT");
  options.add_flag("--key-stdin", from_stdin, "add the key on standard input instead");
  if (const auto exit = options.parse(args)) return *exit;
  const Opened opened = open_policy(options, file);
  if (!opened.policy) return opened.exit;
  if (!tier_exists(*opened.policy, account.tier)) return kNo;
  if (from_stdin) {
    account.key = key_from_stdin();
    if (account.key.empty()) return options.usage_error("standard input holds no key");
  }
  const auto added = identity::add_account(opened.policy->accounts_file, *opened.policy, account);
  if (!added) return failed(added.error());
  if (!from_stdin && !(std::cout << added->key << "\n" << std::flush)) {
    std::cerr << "weir accounts: the key of " << account.account << " is in "
              << opened.policy->accounts_file
              << " but could not be shown: standard output cannot be written; remove it there\n";
    return kCouldNotStart;
  }
  std::cerr << (from_stdin ? "the key of standard input" : "this key") << " is on tier "
            << account.tier << " for " << account.account << ", in " << opened.policy->accounts_file
            << (from_stdin ? "\n" : "; it is not kept and not shown again\n");
  say_reload();
  return kDone;
}

int changed(const Result<std::size_t>& lines, const std::string& file, std::string_view what) {
  if (!lines) return failed(lines.error());
  std::cout << what << " " << *lines << (*lines == 1 ? " key" : " keys") << " in " << file << "\n"
            << std::flush;
  say_reload();
  return kDone;
}

int run_set(const Arguments& args) {
  Options options("accounts set",
                  "Change the tier or the own numbers of an account, or of one key.",
                  {"weir accounts set examples/plans.yaml demo-free --tier pro"});
  std::string file;
  std::string who;
  std::string tier;
  std::string overrides;
  options.add("POLICY", file, "policy file").required();
  options.add("ACCOUNT", who, "an account, or sha256: and the first digits of a key's hash")
      .required();
  options.add("--tier", tier, "the new plan").type("TIER");
  const Option given = options
                           .add("--overrides", overrides,
                                "numbers of its own, 'plan=600/min burst 120'; '' for none")
                           .type("TEXT");
  if (const auto exit = options.parse(args)) return *exit;
  if (tier.empty() && !given.given()) return options.usage_error("give --tier or --overrides");
  const Opened opened = open_policy(options, file);
  if (!opened.policy) return opened.exit;
  if (!tier.empty() && !tier_exists(*opened.policy, tier)) return kNo;
  identity::AccountChange change;
  if (!tier.empty()) change.tier = tier;
  if (given.given()) change.overrides = overrides;
  const std::string& accounts = opened.policy->accounts_file;
  return changed(identity::set_account(accounts, *opened.policy, who, change), accounts, "changed");
}

int run_remove(const Arguments& args) {
  Options options("accounts remove", "Remove an account with all of its keys, or one key.",
                  {"weir accounts remove examples/plans.yaml demo-free"});
  std::string file;
  std::string who;
  options.add("POLICY", file, "policy file").required();
  options.add("ACCOUNT", who, "an account, or sha256: and the first digits of a key's hash")
      .required();
  if (const auto exit = options.parse(args)) return *exit;
  const Opened opened = open_policy(options, file);
  if (!opened.policy) return opened.exit;
  const std::string& accounts = opened.policy->accounts_file;
  return changed(identity::remove_account(accounts, *opened.policy, who), accounts, "removed");
}

int run_list(const Arguments& args) {
  Options options("accounts list", "List the accounts. Keys are not kept, so none are shown.",
                  {"weir accounts list examples/plans.yaml"});
  std::string file;
  std::string format = "text";
  options.add("POLICY", file, "policy file").required();
  options.add("--format", format, "text or json")
      .one_of({"text", "json"})
      .shows_default()
      .type("FORMAT");
  if (const auto exit = options.parse(args)) return *exit;
  const Opened opened = open_policy(options, file);
  if (!opened.policy) return opened.exit;
  const auto lines = identity::list_accounts(opened.policy->accounts_file, *opened.policy);
  if (!lines) return failed(lines.error());
  std::vector<std::vector<std::string>> rows{{"account", "tier", "key's hash", "own numbers"}};
  json::array all;
  for (const identity::AccountLine& line : *lines) {
    rows.push_back(
        {line.account, line.tier, "sha256:" + line.sha256.substr(0, 12), line.overrides});
    all.push_back({{"account", line.account},
                   {"tier", line.tier},
                   {"sha256", line.sha256},
                   {"overrides", line.overrides},
                   {"line", line.line}});
  }
  if (format == "json") {
    std::cout << json::serialize(json::object{{"accounts", std::move(all)}}) << "\n";
  } else {
    std::cout << columns(rows, "");
  }
  return kDone;
}

constexpr std::array<std::pair<std::string_view, int (*)(const Arguments&)>, 4> kActions{
    {{"add", run_add}, {"set", run_set}, {"remove", run_remove}, {"list", run_list}}};

}  // namespace

int run_accounts(const Arguments& args) {
  Options options("accounts",
                  "Edit the accounts file that a policy names.\n"
                  "  add     make a key for an account\n"
                  "  set     change an account's tier or numbers\n"
                  "  remove  remove an account or one key\n"
                  "  list    list the accounts\n"
                  "`weir accounts ACTION --help` has the options.",
                  {"weir accounts list examples/plans.yaml"});
  if (args.empty()) return options.usage_error("which action? add, set, remove or list");
  if (args.front() == "--help" || args.front() == "-h") return *options.parse(args);
  std::vector<std::string> names;
  for (const auto& [name, run] : kActions) {
    if (args.front() == name) return run(Arguments(args.begin() + 1, args.end()));
    names.emplace_back(name);
  }
  const std::string_view near = policy::nearest(args.front(), names);
  return options.usage_error("unknown action `" + args.front() + "`" +
                             (near.empty() ? "; there are add, set, remove and list"
                                           : "; did you mean `" + std::string(near) + "`?"));
}

}  // namespace weir::cli
