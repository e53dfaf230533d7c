#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace warpwright::agents {

/// One message of a conversation with a model.
struct ChatMessage {
  std::string role; ///< "system", "user" or "assistant"
  std::string content;
};

struct ChatReply {
  std::string content;
  uint64_t tokens = 0; ///< as the server counts them, prompt included; 0: not said
};

/// Whoever answers: a model behind an endpoint, or a program.
class Correspondent {
public:
  virtual ~Correspondent();
  /// An error ends the round: what can be tried again was.
  virtual llvm::Expected<ChatReply> ask(llvm::ArrayRef<ChatMessage> messages) = 0;
  /// What the lock and the records say of it: name, parameters.
  virtual std::string model() const = 0;
  virtual nlohmann::ordered_json parameters() const = 0;
};

/// The first whole JSON object in a text, as models write them: in a fence, between sentences. Empty where
/// there is none.
std::string firstObjectIn(llvm::StringRef text);

/// A program that reads {"messages": [...]} and answers {"content": "..."}, both JSON, on its standard
/// streams. It is executed as it stands, by no shell, within a time.
struct CommandSetting {
  std::vector<std::string> command;
  unsigned seconds = 120;
};
std::unique_ptr<Correspondent> commandCorrespondent(CommandSetting setting);

} // namespace warpwright::agents
