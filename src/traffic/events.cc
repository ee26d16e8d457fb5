#include "traffic/events.h"

#include <algorithm>
#include <numeric>

#include "base/siphash.h"

namespace weir::traffic {
namespace {

constexpr std::uint32_t kMost = Event::kUnknown - 1;

std::uint32_t saturated(std::uint64_t value) {
  return value < kMost ? static_cast<std::uint32_t>(value) : kMost;
}

// A text with its length before it: two lists of texts are the same only if their bytes are.
void append_sized(std::string& out, std::string_view text) {
  const auto size = static_cast<std::uint32_t>(text.size());
  out.append(reinterpret_cast<const char*>(&size), sizeof size);
  out += text;
}

std::string_view take(std::string_view& bytes) {
  std::uint32_t size = 0;
  std::copy_n(bytes.data(), sizeof size, reinterpret_cast<char*>(&size));
  const std::string_view text = bytes.substr(sizeof size, size);
  bytes.remove_prefix(sizeof size + size);
  return text;
}

// fd00::/8 (RFC 4193): an address that no log has, the same for a name in every run and every log.
policy::Address stand_in(std::string_view name) {
  const base::Digest digest = base::siphash128<1, 3>({}, name);
  policy::Address address;
  address.bytes[0] = 0xfd;
  for (std::size_t i = 0; i < 7; ++i) {
    address.bytes[i + 1] = static_cast<std::uint8_t>(digest.lo >> (8 * i));
  }
  return address;
}

CallerFacts facts_of(std::string_view bytes) {
  CallerFacts facts;
  facts.client = take(bytes);
  facts.user_agent = take(bytes);
  if (!facts.user_agent.empty()) facts.headers.push_back({"user-agent", facts.user_agent});
  const std::size_t headers = static_cast<unsigned char>(take(bytes)[0]);
  for (std::size_t i = 0; !bytes.empty(); ++i) {
    const std::string_view name = take(bytes);
    (i < headers ? facts.headers : facts.attributes).push_back({name, take(bytes)});
  }
  facts.address = policy::Address::parse_with_port(facts.client);
  if (!facts.address && !facts.client.empty()) {
    facts.named = true;
    facts.address = stand_in(facts.client);
  }
  return facts;
}

}  // namespace

void Events::add(const Record& record, std::string_view target) {
  const std::int64_t start = record.start_ns();
  in_order_ = in_order_ && start >= latest_ns_;
  latest_ns_ = std::max(latest_ns_, start);
  start_ns_.push_back(start);
  caller_.push_back(caller_of(record));
  scratch_.assign(record.method);
  scratch_ += '\0';
  scratch_ += target;
  request_.push_back(requests_.id_of(scratch_));
  duration_us_.push_back(record.duration_ns < 0
                             ? Event::kUnknown
                             : saturated(static_cast<std::uint64_t>(record.duration_ns) / 1'000));
  bytes_.push_back(record.bytes == kNoBytes ? Event::kUnknown : saturated(record.bytes));
  status_.push_back(record.status);
  limited_.push_back(record.limited || record.status == 429);
  if (record.cost_count > 0) add_cost(cost_of(record));
}

void Events::add_cost(std::uint32_t set) {
  while (cost_.size() + 1 < start_ns_.size()) cost_.push_back(0);
  cost_.push_back(set);
}

void Events::append(const Events& later) {
  const std::vector<std::uint32_t> callers = caller_texts_.ids_of(later.caller_texts_);
  const std::vector<std::uint32_t> requests = requests_.ids_of(later.requests_);
  std::vector<std::uint32_t> costs(1);
  for (std::uint32_t id = 0; id < later.cost_texts_.size(); ++id) {
    costs.push_back(cost_set(later.cost_texts_[id]));
  }
  in_order_ = in_order_ && later.in_order_;
  for (std::size_t i = 0; i < later.size(); ++i) {
    const std::int64_t start = later.start_ns_[i];
    in_order_ = in_order_ && start >= latest_ns_;
    latest_ns_ = std::max(latest_ns_, start);
    start_ns_.push_back(start);
    caller_.push_back(callers[later.caller_[i]]);
    request_.push_back(requests[later.request_[i]]);
    duration_us_.push_back(later.duration_us_[i]);
    bytes_.push_back(later.bytes_[i]);
    status_.push_back(later.status_[i]);
    limited_.push_back(later.limited_[i]);
    if (i < later.cost_.size()) add_cost(costs[later.cost_[i]]);
  }
}

void Events::clear() {
  for (Column<std::uint32_t>* column : {&caller_, &request_, &duration_us_, &bytes_, &cost_}) {
    column->clear();
  }
  start_ns_.clear();
  status_.clear();
  limited_.clear();
  order_.clear();
  latest_ns_ = std::numeric_limits<std::int64_t>::min();
  in_order_ = true;
  for (Texts* texts : {&caller_texts_, &requests_, &cost_texts_}) texts->clear();
  callers_.clear();
  cost_sets_.resize(1);
}

void Events::sort() {
  for (auto id = static_cast<std::uint32_t>(callers_.size()); id < caller_texts_.size(); ++id) {
    callers_.push_back(facts_of(caller_texts_[id]));
  }
  if (in_order_) return;
  order_.resize(size());
  std::iota(order_.begin(), order_.end(), 0u);
  std::stable_sort(order_.begin(), order_.end(), [this](std::uint32_t a, std::uint32_t b) {
    return start_ns_[a] < start_ns_[b];
  });
}

Event Events::at(std::size_t i) const {
  const std::size_t at = place(i);
  return {start_ns_[at], caller_[at], request_[at], duration_us_[at],
          bytes_[at],    status_[at], limited_[at]};
}

std::string_view Events::method(std::uint32_t request) const {
  const std::string_view text = requests_[request];
  return text.substr(0, text.find('\0'));
}

std::string_view Events::target(std::uint32_t request) const {
  const std::string_view text = requests_[request];
  return text.substr(text.find('\0') + 1);
}

const std::vector<identity::StatedCost>& Events::costs(std::size_t i) const {
  const std::size_t at = place(i);
  return cost_sets_[at < cost_.size() ? cost_[at] : 0];
}

std::uint32_t Events::caller_of(const Record& record) {
  scratch_.clear();
  append_sized(scratch_, record.client);
  append_sized(scratch_, record.user_agent);
  const char headers = static_cast<char>(record.header_count);
  append_sized(scratch_, {&headers, 1});
  for (const Field& field : record.headers()) {
    append_sized(scratch_, field.name);
    append_sized(scratch_, field.value);
  }
  for (const Field& field : record.attributes()) {
    append_sized(scratch_, field.name);
    append_sized(scratch_, field.value);
  }
  return caller_texts_.id_of(scratch_);
}

std::uint32_t Events::cost_of(const Record& record) {
  scratch_.clear();
  for (const RecordedCost& cost : record.costs()) {
    append_sized(scratch_, cost.unit);
    append_sized(scratch_, {reinterpret_cast<const char*>(&cost.cost), sizeof cost.cost});
  }
  return cost_set(scratch_);
}

std::uint32_t Events::cost_set(std::string_view bytes) {
  const std::uint32_t id = cost_texts_.id_of(bytes);
  if (!cost_texts_.was_new()) return id + 1;
  std::vector<identity::StatedCost> costs;
  for (std::string_view kept = cost_texts_[id]; !kept.empty();) {
    identity::StatedCost cost;
    cost.unit = take(kept);
    const std::string_view number = take(kept);
    std::copy_n(number.data(), sizeof cost.cost, reinterpret_cast<char*>(&cost.cost));
    costs.push_back(cost);
  }
  cost_sets_.push_back(std::move(costs));
  return id + 1;
}

std::size_t Events::bytes() const {
  return start_ns_.bytes() + caller_.bytes() + request_.bytes() + duration_us_.bytes() +
         bytes_.bytes() + status_.bytes() + limited_.bytes() + cost_.bytes() +
         (order_.capacity() + (in_order_ ? 0 : size())) * sizeof(std::uint32_t) +
         caller_texts_.bytes() + requests_.bytes() + cost_texts_.bytes() +
         caller_texts_.size() * (sizeof(CallerFacts) + 2 * sizeof(Field)) +
         cost_sets_.size() *
             (sizeof(std::vector<identity::StatedCost>) + sizeof(identity::StatedCost));
}

}  // namespace weir::traffic
