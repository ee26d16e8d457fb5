#include "cli/session.h"

#include <algorithm>
#include <iostream>

#include "engine/view.h"
#include "serve/verdict_json.h"

namespace weir::cli {
namespace {

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

}  // namespace

void note_stand_in(const policy::Policy& policy) {
  if (policy.store.type == policy::StoreType::memory) return;
  std::cerr
      << "note: " << policy.file
      << " counts in Redis; this command counts in memory, from full. With --server a running "
         "weir answers.\n";
}

const Answered& Session::ask(const identity::Facts& facts, Now now) {
  last_->snapshot = engine_->snapshot();
  engine_->decide(*last_->snapshot, facts, now, last_->decision);
  rendered_ = false;
  return *last_;
}

const answer::Answer& Session::answer() {
  if (!rendered_) {
    engine::fill_view(last_->view, *last_->snapshot, last_->decision);
    answer::render(last_->answer, last_->view);
    rendered_ = true;
  }
  return last_->answer;
}

std::string Session::verdict_json() {
  std::string json;
  serve::append_verdict(json, *last_->snapshot, last_->decision, answer());
  return json;
}

const answer::Header* find_header(const answer::Answer& answer, std::string_view name) {
  for (const answer::Header& header : answer.headers) {
    if (std::equal(header.name.begin(), header.name.end(), name.begin(), name.end(),
                   [](char a, char b) { return lower(a) == lower(b); })) {
      return &header;
    }
  }
  return nullptr;
}

}  // namespace weir::cli
