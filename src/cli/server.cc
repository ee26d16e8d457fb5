#include "cli/server.h"

#include "cli/decision_text.h"
#include "cli/http_client.h"

namespace weir::cli {

Result<boost::json::object> ask_server(const std::string& url, const RequestSpec& spec) {
  namespace json = boost::json;
  const auto server = Url::parse(url);
  if (!server) return server.error();
  auto reply = post(*server, "/v1/check", check_body(spec));
  if (!reply) return reply.error();
  json::error_code ec;
  json::value parsed = json::parse(reply->body, ec);
  json::object* object = ec ? nullptr : parsed.if_object();
  if (reply->status == 200 && object != nullptr) return std::move(*object);
  std::string why = "the server answered " + std::to_string(reply->status);
  if (object != nullptr && !text_of(*object, "detail").empty()) {
    why += ": " + text_of(*object, "detail");
  }
  return Error{ErrorCode::io, why, url};
}

}  // namespace weir::cli
