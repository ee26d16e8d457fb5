// Counts calls of operator new: rendering again costs none.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "answer/answer.h"
#include "answer/testing/views.h"

namespace {
std::size_t g_allocations = 0;
}  // namespace

// Not inlined: the compiler would pair malloc of one with the library's delete of another.
__attribute__((noinline)) void* operator new(std::size_t size) {
  ++g_allocations;
  if (void* p = std::malloc(size == 0 ? 1 : size)) return p;
  throw std::bad_alloc();
}
__attribute__((noinline)) void operator delete(void* p) noexcept { std::free(p); }
__attribute__((noinline)) void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace weir::answer {
namespace {

using testing::add;
using testing::denied;
using testing::limit;
using testing::view_of;

TEST(Answer, AllocatesNothingOnceItsBuffersHaveGrown) {
  policy::Response response;
  response.docs = "https://docs.acme.example/limits";
  View admitted = view_of(response);
  View refused = view_of(response);
  for (int i = 0; i < 16; ++i) {
    add(admitted, limit("plan-minute", 100, minutes(1), 50));
    add(refused, denied(limit("plan-minute", 100, minutes(1), 0), seconds(30)));
  }
  Answer answer;
  render(answer, admitted);
  render(answer, refused);
  const std::size_t before = g_allocations;
  for (int i = 0; i < 100; ++i) {
    render(answer, admitted);
    render(answer, refused);
  }
  EXPECT_EQ(g_allocations, before);
}

}  // namespace
}  // namespace weir::answer
