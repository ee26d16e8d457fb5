#include "cli/decision_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "design/text.h"
#include "weir/clock.h"

namespace weir::cli {
namespace {

namespace json = boost::json;

std::string duration_of(const json::object& object, std::string_view member) {
  const json::value* value = object.if_contains(member);
  if (value == nullptr || value->is_null()) return "";
  json::error_code ec;
  const auto ms = value->to_number<std::uint64_t>(ec);
  return ec ? text_of(object, member) : design::duration_text(milliseconds(ms));
}

const json::object* object_in(const json::object& object, std::string_view member) {
  const json::value* value = object.if_contains(member);
  return value == nullptr ? nullptr : value->if_object();
}

std::string limits_text(const json::object& verdict) {
  const json::value* limits = verdict.if_contains("limits");
  if (limits == nullptr || !limits->is_array() || limits->get_array().empty()) return "";
  std::vector<std::vector<std::string>> rows{{"limit", "left", "window", "reset", "mode"}};
  for (const json::value& value : limits->get_array()) {
    const json::object* limit = value.if_object();
    if (limit == nullptr) continue;
    const std::string left = text_of(*limit, "remaining");
    rows.push_back({text_of(*limit, "name"),
                    (left.empty() ? "not counted" : left) + " of " + text_of(*limit, "limit"),
                    duration_of(*limit, "window_ms"), duration_of(*limit, "reset_ms"),
                    text_of(*limit, "mode")});
  }
  return columns(rows, "  ");
}

}  // namespace

std::string text_of(const json::object& object, std::string_view member) {
  const json::value* value = object.if_contains(member);
  if (value == nullptr || value->is_null()) return "";
  return value->is_string() ? std::string(value->get_string()) : json::serialize(*value);
}

std::string columns(const std::vector<std::vector<std::string>>& rows, std::string_view indent) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line(indent);
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += fmt::format("{:<{}}", row[i], i + 1 == row.size() ? 0 : widths[i] + 2);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string verdict_text(const json::object& verdict) {
  const bool admit = text_of(verdict, "admit") == "true";
  std::string text =
      fmt::format("{} {}", text_of(verdict, "status"), admit ? "admitted" : "denied");
  if (!admit) text += ": " + text_of(verdict, "reason");
  if (const std::string g = text_of(verdict, "governing"); !g.empty()) {
    text += fmt::format(" ({} {})", admit ? "closest to exhaustion:" : "by", g);
  }
  text += "\nclass " + text_of(verdict, "class") + ", tier " + text_of(verdict, "tier");
  if (const std::string a = text_of(verdict, "account"); !a.empty()) text += ", account " + a;
  if (const std::string w = duration_of(verdict, "retry_after_ms"); !admit && !w.empty()) {
    text += "\nthe same request is admitted in " + w;
  }
  if (const std::string d = duration_of(verdict, "delay_ms"); !d.empty() && d != "0s") {
    text += "\nthe caller waits " + d + " before it goes on";
  }
  text += "\n";
  if (const std::string rows = limits_text(verdict); !rows.empty()) text += "\n" + rows;
  if (const json::object* headers = object_in(verdict, "headers"); headers && !headers->empty()) {
    text += "\n";
    for (const auto& [name, value] : *headers) {
      text += fmt::format("{}: {}\n", std::string_view(name), text_of(*headers, name));
    }
  }
  if (const json::value* body = verdict.if_contains("body"); body && !body->is_null()) {
    text += "\n" + (body->is_string() ? std::string(body->get_string()) : json::serialize(*body)) +
            "\n";
  }
  return text;
}

}  // namespace weir::cli
