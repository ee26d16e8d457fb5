#include "redis/probe_script.h"

#include <utility>
#include <vector>

#include "redis/batch.h"
#include "redis/key_name.h"
#include "redis/script.h"

namespace weir::redis {
namespace {

ProbeFinding error(std::string value, std::string advice) {
  return {"script", Grade::error, std::move(value), std::move(advice)};
}

ProbeFinding failed(const Trouble& trouble) {
  return error(trouble.text, std::string(reaction(trouble.failure).advice));
}

}  // namespace

std::string ScriptProbe::key() const {
  std::string name;
  store::Charge charge;
  charge.key = digest;
  append_key(name, prefix, charge, Algorithm::token_bucket);
  return name;
}

// Every command that the script and the store say, on a key of its own. ACLs are asked before a
// server looks at its role, its memory or its arguments, so any other answer is a permission.
std::optional<ProbeFinding> ScriptProbe::commands() const {
  const std::string own = key();
  const std::string nothing(40, '0');
  const std::vector<std::pair<std::string, std::vector<std::string_view>>> needed{
      {"+evalsha", {"EVALSHA", nothing, "0"}},
      {"+script|load", {"SCRIPT", "LOAD", charge_script().text}},
      {"+time", {"TIME"}},
      {"+set", {"SET", own, "0", "PX", "1000"}},
      {"+mget", {"MGET", own}},
      {"+getrange", {"GETRANGE", own, "0", "0"}},
      {"+setrange", {"SETRANGE", own, "0", ""}},
      {"+pexpire", {"PEXPIRE", own, "1000"}},
      {"+del", {"DEL", own}},
  };
  std::string missing;
  std::string said;
  bool keys = false;
  for (const auto& [right, words] : needed) {
    const Answer answer = link.ask(words, step);
    if (link.lost()) return {};
    if (answer.ok()) continue;
    const std::string& text = answer.trouble->text;
    const bool renamed = text.starts_with("ERR unknown command");
    if (answer.trouble->failure != Failure::noperm && !renamed) continue;
    if (said.empty()) said = text;
    // "No permissions to access a key", "... to access one of the keys used as arguments"
    const bool of_key = text.find("access") != std::string::npos;
    keys = keys || of_key;
    if (!of_key) missing += " " + right;
  }
  if (said.empty()) {
    return ProbeFinding{"commands", Grade::ok, "all that weir needs, on " + prefix + ":*", ""};
  }
  return ProbeFinding{"commands", Grade::error, said,
                      "ACL SETUSER " + user + missing + (keys ? " ~" + prefix + ":*" : "") +
                          " (a renamed command needs its name back)"};
}

// A peek, then a charge, whose key is deleted: what cannot be written (a full memory, no disk, too
// few replicas) shows in the second alone.
std::optional<ProbeFinding> ScriptProbe::script() const {
  const Answer loaded = link.ask({"SCRIPT", "LOAD", charge_script().text}, step);
  if (link.lost()) return {};
  if (!loaded.ok()) return failed(*loaded.trouble);
  if (loaded.text != charge_script().sha1) {
    return error("loaded under another name: " + loaded.text,
                 "something between weir and the server changes what is sent");
  }
  if (auto trouble = decide(true)) return trouble;
  auto trouble = decide(false);
  if (link.lost()) return {};
  (void)link.ask({"DEL", key()}, step);
  if (link.lost()) return {};
  if (trouble) return trouble;
  return ProbeFinding{"script", Grade::ok, "loaded, decides, and leaves no key", ""};
}

// Nothing: it was decided, or the connection was lost.
std::optional<ProbeFinding> ScriptProbe::decide(bool peek) const {
  const auto numbers = algo::make_token_bucket(1, seconds(1), 1);
  store::Charge charge;
  charge.key = digest;
  charge.numbers = &*numbers;
  Batch batch;
  batch.add({&charge, 1}, peek);
  std::string command;
  batch.append_eval(command, charge_script(), prefix, true, std::nullopt);
  const Answer answer = link.ask_bytes(command, step);
  if (link.lost()) return {};
  if (!answer.ok()) return failed(*answer.trouble);
  if (batch.read_reply(answer.text) && batch.admit(0)) return {};
  return error("its reply is not what weir expects",
               std::string(reaction(Failure::protocol).advice));
}

}  // namespace weir::redis
