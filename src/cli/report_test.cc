#include "cli/report.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace weir::cli {
namespace {

const policy::Findings kFindings{
    {policy::Severity::error, "WR101", "a,b.yaml", {2, 3}, "50% of\nit: wrong", "fix it"},
    {policy::Severity::warning, "", "p.yaml", {}, "no place", ""},
    {policy::Severity::info, "WR165", "p.yaml", {1, 1}, "a note", ""},
};

TEST(Report, EscapesForGithub) {
  EXPECT_EQ(findings_github(kFindings),
            "::error file=a%2Cb.yaml,line=2,col=3,title=WR101::50%25 of%0Ait: wrong; fix it\n"
            "::warning file=p.yaml::no place\n"
            "::notice file=p.yaml,line=1,col=1,title=WR165::a note\n");
}

TEST(Report, CountsBySeverity) {
  const Counts n = count(kFindings);
  EXPECT_EQ(n.errors, 1u);
  EXPECT_EQ(n.warnings, 1u);
  EXPECT_EQ(n.infos, 1u);
}

TEST(Report, SarifHasAResultForEachFindingAndARegionWhereThereIsAPlace) {
  const auto sarif = boost::json::parse(findings_sarif(kFindings)).as_object();
  const auto& results = sarif.at("runs").at(0).at("results").as_array();
  ASSERT_EQ(results.size(), 3u);
  const auto& place = results[0].at("locations").at(0).at("physicalLocation").as_object();
  EXPECT_EQ(place.at("region").at("startLine").to_number<int>(), 2);
  const auto& none = results[1].at("locations").at(0).at("physicalLocation").as_object();
  EXPECT_FALSE(none.contains("region"));
  EXPECT_EQ(results[2].at("level"), "note");
}

TEST(Report, TextIsPlainWithoutColours) {
  const std::string text = findings_text(kFindings, {}, {});
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("a,b.yaml:2:3: error"), std::string::npos) << text;
}

}  // namespace
}  // namespace weir::cli
