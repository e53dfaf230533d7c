#pragma once

#include <llvm/ADT/StringRef.h>
#include <nlohmann/json.hpp>

#include <optional>
#include <string>

namespace warpwright::agents {

/// Codes of JSON-RPC 2.0 and of the Model Context Protocol that are used here.
enum class RpcError {
  Parse = -32700,
  InvalidRequest = -32600,
  MethodNotFound = -32601,
  InvalidParams = -32602,
  Internal = -32603,
  UnsupportedProtocolVersion = -32022
};

/// A line read as a JSON-RPC message: a request or a notification, or what is wrong with it.
struct RpcMessage {
  nlohmann::ordered_json id; ///< a text or a whole number; null: a notification
  bool isNotification = false;
  bool isResponse = false; ///< to a request that was never made; it is passed over
  std::string method;
  nlohmann::ordered_json params; ///< an object; empty where there are none

  std::optional<RpcError> error; ///< and then `why`; the id is set where it could be read
  std::string why;
};

inline constexpr size_t longestLineOfJson = 4 << 20;

/// Never fails: what is no message is one with an error. Batches, which earlier revisions had, are errors.
RpcMessage readMessage(llvm::StringRef line);

nlohmann::ordered_json rpcResult(const nlohmann::ordered_json &id, nlohmann::ordered_json result);
nlohmann::ordered_json rpcError(const nlohmann::ordered_json &id, RpcError code, const std::string &message,
                                nlohmann::ordered_json data = nullptr);

} // namespace warpwright::agents
