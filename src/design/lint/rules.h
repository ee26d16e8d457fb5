// The checks behind the catalogue's rows: one function a code, named by what it finds.
#pragma once

#include "design/lint/context.h"

namespace weir::design::lint {

// rules_caller.cc: who is counted
void trusts_every_proxy(const Context&, Report&);              // WR104
void odd_address_prefix(const Context&, Report&);              // WR105
void credential_as_key(const Context&, Report&);               // WR106
void path_as_key(const Context&, Report&);                     // WR107
void address_only_for_known_callers(const Context&, Report&);  // WR109
void identity_before_authentication(const Context&, Report&);  // WR179

// rules_failure.cc: what happens when the store fails, or is not shared
void memory_store_on_many_instances(const Context&, Report&);  // WR101
void slow_store(const Context&, Report&);                      // WR103
void guarantee_fails_open(const Context&, Report&);            // WR110
void login_fails_open(const Context&, Report&);                // WR111
void failure_policy_defaulted(const Context&, Report&);        // WR112
void store_without_secret(const Context&, Report&);            // WR114
void prefetch_under_a_guarantee(const Context&, Report&);      // WR115
void local_without_instances(const Context&, Report&);         // WR117
void prefetch_of_a_small_burst(const Context&, Report&);       // WR116

// rules_algorithm.cc: numbers that do not mean what they seem to
void burst_beyond_the_period(const Context&, Report&);     // WR122
void log_memory(const Context&, Report&);                  // WR123
void queue_longer_than_patience(const Context&, Report&);  // WR124
void hold_beyond_the_wait(const Context&, Report&);        // WR128
void burst_of_one_second(const Context&, Report&);         // WR125
void burst_of_an_hour(const Context&, Report&);            // WR126

// rules_structure.cc: limits, classes and tiers that do not fit together
void classes_make_no_difference(const Context&, Report&);      // WR130
void unreachable_class(const Context&, Report&);               // WR131
void default_not_covered(const Context&, Report&);             // WR132
void tier_missing(const Context&, Report&);                    // WR133
void tiers_not_monotone(const Context&, Report&);              // WR134
void dead_limit(const Context&, Report&);                      // WR135
void long_window_alone(const Context&, Report&);               // WR136
void no_global_limit(const Context&, Report&);                 // WR137
void custom_account_without_numbers(const Context&, Report&);  // WR139
void overlapping_patterns(const Context&, Report&);            // WR140

// rules_cost.cc
void cost_never_fits(const Context&, Report&);  // WR150

// rules_response.cc: what the client is told
void no_headers(const Context&, Report&);                 // WR160
void resets_disagree(const Context&, Report&);            // WR161
void no_jitter(const Context&, Report&);                  // WR163
void no_docs(const Context&, Report&);                    // WR165
void no_headers_and_no_warning(const Context&, Report&);  // WR166

// rules_operations.cc
void override_ended(const Context&, Report&);           // WR171
void nobody_named_may_ask(const Context&, Report&);     // WR181
void internal_callers_exempt(const Context&, Report&);  // WR175
void no_internal_callers(const Context&, Report&);      // WR178

}  // namespace weir::design::lint
