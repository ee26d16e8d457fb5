// docs/policy-reference.md, from the table of keys.
#include <string>

#include "policy/loader.h"
#include "policy/table.h"

namespace weir::policy {

namespace {

// Inside a table cell a bar would end the cell.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

std::string heading_of(const Row& row) {
  const std::size_t end = row.path.find_first_of(".[");
  return std::string(row.path.substr(0, end));
}

std::string fallback_of(const Row& row) {
  if (row.required) return "required";
  if (row.fallback.empty() || row.fallback == "{}") return "";
  return "`" + std::string(row.fallback) + "`";
}

class Writer {
 public:
  std::string document() {
    out_ =
        "# Every key of a policy file\n\n"
        "Made from the table that the loader itself uses (`weir schema` prints the same as a JSON "
        "Schema);\n[policy.md](policy.md) explains by task. `[]` is an item of a list, `*` a name "
        "of "
        "your own.\n";
    std::string section = "-";
    for (const Row& row : rows()) {
      if (row.path.empty() || row.since == Since::later) continue;
      const std::string heading = heading_of(row);
      const bool top = is_top(row);
      const std::string wanted = top && !has_more(heading) ? "" : heading;
      if (wanted != section) start(wanted);
      section = wanted;
      line(row);
    }
    later();
    return out_;
  }

 private:
  static bool is_top(const Row& row) { return row.path.find_first_of(".[") == row.path.npos; }

  static bool has_more(std::string_view heading) {
    for (const Row& row : rows()) {
      if (row.path.size() > heading.size() && row.path.starts_with(heading) &&
          (row.path[heading.size()] == '.' || row.path[heading.size()] == '[')) {
        return true;
      }
    }
    return false;
  }

  void start(const std::string& heading) {
    out_ += heading.empty() ? "\n" : "\n## " + heading + "\n\n";
    out_ += "| key | value | default | meaning |\n|---|---|---|---|\n";
  }

  static const Spec& spec_of(const Row& row) {
    const Spec* spec = &format();
    std::string_view rest = row.path;
    while (!rest.empty()) {
      if (rest.starts_with('.')) rest.remove_prefix(1);
      const bool item = rest.starts_with("[]");
      std::size_t end = item ? 2 : rest.find_first_of(".[");
      if (end == rest.npos) end = rest.size();
      const std::string_view part = rest.substr(0, end);
      spec = item ? spec->item.get() : part == "*" ? spec->any.get() : spec->child(part);
      rest.remove_prefix(end);
    }
    return *spec;
  }

  void line(const Row& row) {
    std::string meaning(row.doc);
    if (row.since == Since::sugar) meaning += " (Short form.)";
    out_ += "| `" + std::string(row.path) + "` | " + cell(describe(spec_of(row))) + " | " +
            fallback_of(row) + " | " + cell(meaning) + " |\n";
  }

  void later() {
    out_ +=
        "\n## Known, and not enforced in this version\n\n"
        "A policy that uses one of these is refused, with this advice; none is accepted and "
        "ignored.\n\n| key or word | advice |\n|---|---|\n";
    for (const Row& row : rows()) {
      if (row.since == Since::later) {
        out_ += "| `" + std::string(row.path) + "` | " + cell(row.doc) + " |\n";
      }
      std::string_view words = row.words;
      while (!words.empty()) {
        const std::size_t end = words.find(' ');
        if (words.starts_with('!')) {
          out_ += "| `" + std::string(row.path) + ": " + std::string(words.substr(1, end - 1)) +
                  "` | use another word or leave it out |\n";
        }
        words.remove_prefix(end == words.npos ? words.size() : end + 1);
      }
    }
    out_ +=
        "| `identity.keys.*.from: json:...`, `mtls:...` | read a header, query parameter, cookie, "
        "claim or attribute |\n"
        "| `listeners.client_address: proxy-protocol` | use a header that the gateway sets |\n";
  }

  std::string out_;
};

}  // namespace

std::string reference_markdown() { return Writer().document(); }

}  // namespace weir::policy
