#pragma once

#include "feedback/agents/Conversation.h"

#include <memory>

namespace warpwright::agents {

/// A server that speaks chat completions: POST {url} with {"model", "messages", "max_tokens", ...}, the key
/// as a bearer token.
struct EndpointSetting {
  std::string url; ///< "https://host/v1/chat/completions"
  std::string model;
  std::string keyVariable; ///< of the environment; empty: no key is sent. The key itself is nowhere kept
  nlohmann::ordered_json parameters = nlohmann::ordered_json::object(); ///< "temperature", ...; as they are
  unsigned maxTokens = 4096;                                            ///< of one answer
  uint64_t totalTokens = 500000;        ///< of all answers and prompts together; then it asks no more
  unsigned seconds = 120;               ///< for one answer
  unsigned retries = 4;                 ///< after 408, 409, 429, 5xx and broken connections
  unsigned firstWaitMilliseconds = 500; ///< doubled after each, at most a minute; Retry-After goes before it
};

/// Fails where the variable that should hold the key is not set.
llvm::Expected<std::unique_ptr<Correspondent>> endpointCorrespondent(EndpointSetting setting);

/// A count where the server gives none: four bytes a token, rounded up.
uint64_t estimatedTokens(llvm::StringRef text);

} // namespace warpwright::agents
