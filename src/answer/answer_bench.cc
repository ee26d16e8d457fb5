// What a whole answer costs: all default fields of 1, 4 and 16 limits, admitted and denied.
#include <benchmark/benchmark.h>

#include "answer/answer.h"
#include "answer/testing/views.h"

namespace weir::answer {
namespace {

void render_many(benchmark::State& state, bool admit) {
  policy::Response response;
  response.docs = "https://docs.acme.example/limits";
  View view = testing::view_of(response);
  view.tier_name = "free";
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    const LimitView limit = testing::limit("plan-minute", 300, minutes(1), admit ? 123 : 0);
    testing::add(view, admit ? limit : testing::denied(limit, milliseconds(1'500)));
  }
  Answer answer;
  for (auto _ : state) {
    render(answer, view);
    benchmark::DoNotOptimize(answer.headers.data());
  }
}

void BM_RenderAdmission(benchmark::State& state) { render_many(state, true); }
void BM_RenderDenial(benchmark::State& state) { render_many(state, false); }
BENCHMARK(BM_RenderAdmission)->ArgName("limits")->Arg(1)->Arg(4)->Arg(16);
BENCHMARK(BM_RenderDenial)->ArgName("limits")->Arg(1)->Arg(4)->Arg(16);

}  // namespace
}  // namespace weir::answer
