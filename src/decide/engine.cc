#include "decide/engine.h"

#include <algorithm>
#include <map>
#include <utility>

#include "identity/counter_key.h"
#include "store/memory/memory_store.h"

namespace weir::decide {
namespace {

using policy::Findings;

bool has_error(const Findings& findings) {
  return std::any_of(findings.begin(), findings.end(), [](const policy::Finding& f) {
    return f.severity == policy::Severity::error;
  });
}

void append(Findings& to, Findings from) {
  std::move(from.begin(), from.end(), std::back_inserter(to));
}

// Files every set of numbers of a policy and its accounts under a slot of the registry.
class SlotAssigner {
 public:
  SlotAssigner(store::Registry& registry, const base::HashSecret& secret,
               const policy::Policy& policy, Findings& findings)
      : registry_(registry), secret_(secret), policy_(policy), findings_(findings) {}

  void assign(const policy::Limit& limit, policy::LimitNumbers& numbers) {
    if (numbers.kind != policy::NumbersKind::numbers) return;
    const std::string& unit = policy_.units[limit.unit];
    const auto slot = registry_.slot(limit.name, numbers.numbers, unit);
    if (slot) {
      numbers.slot = *slot;
      numbers.key =
          identity::limit_key(secret_, store::limit_id(limit.name, numbers.numbers, unit));
      return;
    }
    findings_.push_back({policy::Severity::error, "", policy_.file, limit.at, slot.error().message,
                         "restart the process: slots are kept for its life so that counts survive "
                         "every reload"});
  }

 private:
  store::Registry& registry_;
  const base::HashSecret& secret_;
  const policy::Policy& policy_;
  Findings& findings_;
};

// Every set of numbers that a limit is read under, of tiers, overrides and accounts.
template <typename F>
void for_each_numbers(policy::Policy& policy, identity::Accounts* accounts, F&& f) {
  for (policy::Limit& limit : policy.limits) {
    for (policy::LimitNumbers& numbers : limit.tiers) f(limit, numbers);
    for (policy::Override& o : limit.overrides) f(limit, o.numbers);
  }
  if (accounts == nullptr) return;
  for (auto& [hash, account] : accounts->entries()) {
    for (auto& [limit, numbers] : account.overrides) f(policy.limits[limit], numbers);
  }
}

bool is_bucket(const policy::LimitNumbers& numbers) {
  return numbers.kind == policy::NumbersKind::numbers &&
         (numbers.numbers.algorithm == Algorithm::token_bucket ||
          numbers.numbers.algorithm == Algorithm::leaky_bucket);
}

// Callers of several tiers can share a counter. What one of them owes is not forgotten because
// another, whose bucket fills sooner, could not owe it.
void share_debts(policy::Policy& policy, identity::Accounts* accounts) {
  std::map<std::uint16_t, Duration> most;
  for_each_numbers(policy, accounts, [&](const policy::Limit&, policy::LimitNumbers& n) {
    if (!is_bucket(n)) return;
    Duration& longest = most[n.slot];
    longest = std::max({longest, algo::time_to_full(n.numbers), algo::time_to_full(n.shared)});
  });
  for_each_numbers(policy, accounts, [&](const policy::Limit&, policy::LimitNumbers& n) {
    if (!is_bucket(n)) return;
    algo::let_owe(n.numbers, most[n.slot]);
    algo::let_owe(n.shared, most[n.slot]);
  });
}

}  // namespace

Snapshot::Snapshot(std::shared_ptr<const policy::Policy> p,
                   std::shared_ptr<const identity::Accounts> a, const store::Store& store)
    : policy(std::move(p)),
      accounts(std::move(a)),
      plans(*policy, store.secret()),
      caller_start(store.secret(), identity::KeyKind::caller) {
  if (!store.immediate()) tag_start.emplace(store.secret(), identity::KeyKind::tag);
  for (std::size_t c = 0; c < policy->classes.size(); ++c) {
    if (policy->classes[c].match.empty() && !policy->classes[c].when.empty()) {
      by_attribute.push_back(static_cast<policy::ClassId>(c));
    }
  }
}

Result<std::unique_ptr<store::Store>> Engine::open_memory(const policy::StoreConfig& config) {
  store::MemoryOptions options;
  options.max_keys = config.max_keys;
  options.on_full =
      config.on_full == policy::OnFull::deny ? store::OnFull::deny : store::OnFull::shared;
  auto store = store::MemoryStore::open(options);
  if (!store) return store.error();
  return std::unique_ptr<store::Store>(std::move(*store));
}

Engine::Opened Engine::open(const std::string& policy_file, OpenStore open_store) {
  return start(policy::load_file(policy_file), std::unique_ptr<Engine>(new Engine(policy_file)),
               open_store);
}

Engine::Opened Engine::open_text(std::string_view text, const std::string& file,
                                 std::string_view accounts, OpenStore open_store) {
  std::unique_ptr<Engine> engine(new Engine(file));
  engine->accounts_text_ = accounts;
  return start(policy::load_text(text, file), std::move(engine), open_store);
}

Engine::Opened Engine::open_policy(policy::Loaded loaded, OpenStore open_store) {
  std::unique_ptr<Engine> engine(new Engine(loaded.policy ? loaded.policy->file : ""));
  return start(std::move(loaded), std::move(engine), open_store);
}

Engine::Opened Engine::start(policy::Loaded loaded, std::unique_ptr<Engine> engine,
                             OpenStore open_store) {
  if (!loaded.policy) return {nullptr, std::move(loaded.findings)};
  engine->store_config_ = loaded.policy->store;
  auto store = open_store(engine->store_config_);
  if (store && !(*store)->immediate()) {
    engine->store_ = std::move(*store);
    store = open_memory(engine->store_config_);
    if (store) engine->local_ = std::move(*store);
  } else if (store) {
    engine->store_ = std::move(*store);
  }
  if (!store) {
    append(loaded.findings, {{policy::Severity::error, "", engine->file_, loaded.policy->store_at,
                              store.error().message, "change `store`"}});
    return {nullptr, std::move(loaded.findings)};
  }
  engine->decider_ = std::make_unique<Decider>(*engine->store_, engine->local_.get());
  Reloaded adopted = engine->adopt(std::move(loaded));
  if (!adopted.adopted) engine.reset();
  return {std::move(engine), std::move(adopted.findings)};
}

Engine::Reloaded Engine::reload() {
  const std::lock_guard lock(reload_mutex_);
  return adopt(policy::load_file(file_));
}

Engine::Reloaded Engine::reload_text(std::string_view text) {
  const std::lock_guard lock(reload_mutex_);
  return adopt(policy::load_text(text, file_));
}

Engine::Reloaded Engine::adopt(policy::Loaded loaded) {
  Reloaded result{false, std::move(loaded.findings)};
  if (!loaded.policy) return result;
  policy::Policy& policy = *loaded.policy;

  std::shared_ptr<identity::Accounts> accounts;
  if (!accounts_text_.empty() || !policy.accounts_file.empty()) {
    identity::Accounts::Loaded read =
        accounts_text_.empty() ? identity::Accounts::load_file(policy.accounts_file, policy)
                               : identity::Accounts::load_text(accounts_text_, "accounts", policy);
    append(result.findings, std::move(read.findings));
    accounts = std::move(read.accounts);
  }
  SlotAssigner assigner(registry_, store_->secret(), policy, result.findings);
  for_each_numbers(policy, accounts.get(),
                   [&](const policy::Limit& limit, policy::LimitNumbers& numbers) {
                     assigner.assign(limit, numbers);
                   });
  if (has_error(result.findings)) return result;
  share_debts(policy, accounts.get());
  if (policy.store != store_config_) {
    result.findings.push_back({policy::Severity::warning, "", policy.file, policy.store_at,
                               "`store` changed: the running store stays as it was opened",
                               "restart to apply it; in memory, counts start full then"});
  }

  if (ended_.load(std::memory_order_relaxed)) return result;
  auto snapshot =
      std::make_shared<Snapshot>(std::move(loaded.policy), std::move(accounts), *store_);
  {
    const std::lock_guard lock(snapshot_mutex_);
    snapshot_ = std::move(snapshot);
  }
  version_.fetch_add(1, std::memory_order_release);
  result.adopted = true;
  return result;
}

std::shared_ptr<const Snapshot> Engine::snapshot() const {
  const std::lock_guard lock(snapshot_mutex_);
  return snapshot_;
}

}  // namespace weir::decide
