// What is counted of a replay: waits, routes, sessions.
#include "traffic/tally.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "traffic/routes.h"
#include "traffic/sessions.h"
#include "traffic/wait_histogram.h"

namespace weir::traffic {
namespace {

TEST(WaitHistogram, TellsQuantilesRoundedUpByASixtyFourthAtMost) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 50; ++round) {
    WaitHistogram histogram;
    std::vector<std::uint64_t> all;
    const std::size_t count = 1 + random() % 2'000;
    for (std::size_t i = 0; i < count; ++i) {
      all.push_back(random() >> (random() % 64));
      histogram.add({all.back()});
    }
    std::sort(all.begin(), all.end());
    EXPECT_EQ(histogram.max().ns, all.back());
    for (const std::uint64_t ppm : {1u, 250'000u, 500'000u, 990'000u, 999'999u, 1'000'000u}) {
      const std::size_t rank = std::max<std::size_t>(1, (count * ppm + 999'999) / 1'000'000);
      const std::uint64_t truth = all[rank - 1];
      ASSERT_GE(histogram.quantile(ppm).ns, truth);
      EXPECT_LE(histogram.quantile(ppm).ns - truth, truth / 64);
    }
  }
  EXPECT_EQ(WaitHistogram().quantile(990'000).ns, 0u);
}

TEST(Routes, PutIdentifiersInPlaceOfWhatReadsLikeOne) {
  for (const char* id : {"123", "0", "2026-11-30", "1.2.3", "550e8400-e29b-41d4-a716-446655440000",
                         "deadbeef01", "a@b.example", "a%40b.example", "Zx81kq92LmP0aQ7t"}) {
    EXPECT_EQ(route_segment(id), "{id}") << id;
  }
  EXPECT_EQ(route_segment("12345.jpg"), "{id}.jpg");
  for (const char* name : {"users", "v1", "deadbeef", "index.html", "summer-sale", "oauth2", "",
                           "a", "-", "internationalisation"}) {
    EXPECT_EQ(route_segment(name), name) << name;
  }
}

std::string listed(const std::vector<Route>& routes) {
  std::string text;
  for (const Route& r : routes) {
    text += r.method + " " + r.path + " " + std::to_string(r.count.requests) + "/" +
            std::to_string(r.count.denied) + "/" + std::to_string(r.paths) + "\n";
  }
  return text;
}

TEST(Routes, JoinPathsThatDifferInIdentifiersOnly) {
  RouteFinder finder;
  finder.add("GET", "/users/123?x=1", true, {7, 1});
  finder.add("GET", "/users/124", true, {3, 0});
  finder.add("POST", "/users", true, {2, 2});
  finder.add("GET", "/users/124/posts/9", true, {1, 0});
  finder.add("GET", "/", true, {5, 0});
  finder.add("GET", "/wp-login.php", false, {4, 0});
  finder.add("", "", true, {6, 0});
  EXPECT_EQ(listed(finder.find()),
            "GET /users/{id} 10/1/2\n"
            "  6/0/1\n"  // it names no path
            "GET / 5/0/1\n"
            "GET  4/0/1\n"  // not found
            "POST /users 2/2/1\n"
            "GET /users/{id}/posts/{id} 1/0/1\n");
}

TEST(Routes, JoinTheManyLightNamesOfOnePlace) {
  RouteFinder finder;
  std::vector<std::string> paths;
  for (int i = 0; i < 200; ++i) {
    paths.push_back("/shop/article-" + std::string(1, static_cast<char>('a' + i % 26)) +
                    std::string(static_cast<std::size_t>(1 + i / 26), 'x') + "/reviews");
  }
  for (const std::string& path : paths) finder.add("GET", path, true, {1, 0});
  finder.add("GET", "/shop/cart", true, {1'000, 10});
  EXPECT_EQ(listed(finder.find()),
            "GET /shop/cart 1000/10/1\nGET /shop/{name}/reviews 200/0/200\n");
}

TEST(Routes, EndSomewhere) {
  RouteFinder finder;
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "/a";
  finder.add("GET", deep, true, {1, 0});
  const auto routes = finder.find();
  ASSERT_EQ(routes.size(), 1u);
  EXPECT_TRUE(routes[0].path.ends_with("/a/..."));
}

TEST(Sessions, EndWithAPauseOfHalfAnHour) {
  constexpr std::int64_t kMinute = 60'000'000'000;
  Sessions sessions(3);
  sessions.add(0, 0);
  sessions.add(1, 1 * kMinute);
  sessions.add(0, 30 * kMinute);      // no more than the pause
  sessions.add(0, 60 * kMinute + 1);  // more
  sessions.add(0, 61 * kMinute);
  sessions.add(0, 62 * kMinute);
  sessions.finish();
  EXPECT_EQ(sessions.count(), 3u);
  EXPECT_EQ(sessions.median_requests(), 2u);
  EXPECT_EQ(sessions.median_length_ns(), 2 * kMinute - 1);
}

}  // namespace
}  // namespace weir::traffic
