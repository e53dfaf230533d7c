#include "feedback/agents/JsonRpc.h"

#include "feedback/agents/Submission.h"

namespace warpwright::agents {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t longestId = 256;
constexpr size_t longestMethod = 128;

RpcMessage failed(RpcMessage message, RpcError code, std::string why) {
  message.error = code;
  message.why = std::move(why);
  return message;
}

bool isId(const Json &value) {
  return value.is_number_integer() ||
         (value.is_string() && value.get_ref<const std::string &>().size() <= longestId);
}

} // namespace

RpcMessage readMessage(llvm::StringRef line) {
  RpcMessage message;
  message.params = Json::object();
  if (line.size() > longestLineOfJson)
    return failed(std::move(message), RpcError::InvalidRequest, "the message is too long");
  if (!isShallow(line))
    return failed(std::move(message), RpcError::Parse, "the message nests too deep");
  Json document = Json::parse(line.begin(), line.end(), nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded())
    return failed(std::move(message), RpcError::Parse, "the line is not JSON");
  if (!document.is_object())
    return failed(std::move(message), RpcError::InvalidRequest,
                  "a message is an object; batches are not taken");
  auto id = document.find("id");
  const bool hasId = id != document.end();
  if (hasId && isId(*id))
    message.id = *id;
  auto version = document.find("jsonrpc");
  if (version == document.end() || *version != "2.0")
    return failed(std::move(message), RpcError::InvalidRequest, "'jsonrpc' is not \"2.0\"");
  if (!document.contains("method") && (document.contains("result") || document.contains("error"))) {
    message.isResponse = true;
    return message;
  }
  auto method = document.find("method");
  if (method == document.end() || !method->is_string() ||
      method->get_ref<const std::string &>().size() > longestMethod)
    return failed(std::move(message), RpcError::InvalidRequest, "'method' is no text, or too long");
  message.method = method->get<std::string>();
  if (hasId && message.id.is_null())
    return failed(std::move(message), RpcError::InvalidRequest, "'id' is neither a text nor a whole number");
  message.isNotification = !hasId;
  if (auto params = document.find("params"); params != document.end()) {
    if (!params->is_object())
      return failed(std::move(message), RpcError::InvalidParams, "'params' is no object");
    message.params = *params;
  }
  return message;
}

Json rpcResult(const Json &id, Json result) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}};
}

Json rpcError(const Json &id, RpcError code, const std::string &message, Json data) {
  Json error = {{"code", static_cast<int>(code)}, {"message", message}};
  if (!data.is_null())
    error["data"] = std::move(data);
  return {{"jsonrpc", "2.0"}, {"id", id}, {"error", std::move(error)}};
}

} // namespace warpwright::agents
