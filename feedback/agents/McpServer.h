#pragma once

#include "feedback/agents/JsonRpc.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace warpwright::agents {

/// What a tool answers: JSON for programs, and the same as text for models.
struct ToolAnswer {
  nlohmann::ordered_json content; ///< an object
  bool isError = false;           ///< the caller can mend it; faults of the protocol are errors of their own
};

using IsCancelled = std::function<bool()>;

/// Something that a client may call.
struct McpTool {
  std::string name;
  std::string title;
  std::string description;
  nlohmann::ordered_json inputSchema;
  bool readOnly = true;
  std::function<ToolAnswer(const nlohmann::ordered_json &arguments, const IsCancelled &isCancelled)> call;
};

/// A server of the Model Context Protocol over lines of JSON-RPC. It speaks revision 2026-07-28, in which
/// every request says its version and nothing is kept between requests, and, after an `initialize`, those
/// before it. Only tools are served.
class McpServer {
public:
  McpServer(std::string name, std::string version, std::string instructions, std::vector<McpTool> tools);

  /// The answer to one line, or nothing where none is due. Calls of tools run here and now.
  std::optional<nlohmann::ordered_json> handle(llvm::StringRef line, const IsCancelled &isCancelled);

  /// Reads lines from one descriptor and writes answers to the other until the first ends. While a tool
  /// runs, pings are answered and cancellations taken; a call that is cancelled gets no answer. 0 when the
  /// client has gone.
  int serve(int input, int output);

  /// Revisions, the newest first; all but the first need `initialize`.
  static llvm::ArrayRef<llvm::StringLiteral> revisions();

private:
  using Json = nlohmann::ordered_json;

  Json answer(const RpcMessage &message, const IsCancelled &isCancelled);
  std::optional<Json> refuseVersion(const RpcMessage &message, bool &isModern) const;
  Json initialize(const RpcMessage &message);
  Json discover() const;
  Json listTools(bool isModern) const;
  Json callTool(const RpcMessage &message, bool isModern, const IsCancelled &isCancelled);
  Json finished(Json result, bool isModern) const;

  // The reading side, a thread of its own while serve() runs.
  struct Line {
    std::string text;
    bool isTooLong = false;
  };
  void readLines(int input);
  void arrived(Line line, int output);
  bool takesAtOnce(const RpcMessage &message, int output);
  bool isCancelled(const Json &id);
  bool write(int output, const Json &message);

  std::string name_;
  std::string version_;
  std::string instructions_;
  std::vector<McpTool> tools_;
  std::string legacyVersion_; ///< agreed by `initialize`; empty: there was none

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Line> lines_;
  std::vector<Json> cancelled_; ///< ids of requests that wait or run
  std::optional<Json> running_;
  bool ended_ = false;
  bool broken_ = false; ///< nobody reads our answers
  int output_ = -1;
  std::mutex writing_;
};

} // namespace warpwright::agents
