#include "feedback/agents/McpServer.h"

#include "feedback/agents/ArgumentCheck.h"
#include "feedback/agents/Submission.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/STLExtras.h>

#include <cerrno>
#include <poll.h>
#include <thread>
#include <unistd.h>

namespace warpwright::agents {
namespace {

using Json = nlohmann::ordered_json;

constexpr llvm::StringLiteral knownRevisions[] = {"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26",
                                                  "2024-11-05"};
constexpr const char *versionKey = "io.modelcontextprotocol/protocolVersion";
constexpr const char *capabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
constexpr const char *serverKey = "io.modelcontextprotocol/serverInfo";
/// Tools stay the same while the process runs.
constexpr int freshMilliseconds = 3600000;
/// Lines that wait: while there are so many, no more are read. And cancellations that are remembered.
constexpr size_t mostWaiting = 256;

const Json *find(const Json &object, const char *key) {
  if (!object.is_object())
    return nullptr;
  auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

Json revisionsJson(llvm::ArrayRef<llvm::StringLiteral> revisions) {
  Json list = Json::array();
  for (llvm::StringRef revision : revisions)
    list.push_back(revision.str());
  return list;
}

} // namespace

llvm::ArrayRef<llvm::StringLiteral> McpServer::revisions() {
  return knownRevisions;
}

McpServer::McpServer(std::string name, std::string version, std::string instructions,
                     std::vector<McpTool> tools)
    : name_(std::move(name)), version_(std::move(version)), instructions_(std::move(instructions)),
      tools_(std::move(tools)) {}

std::optional<Json> McpServer::handle(llvm::StringRef line, const IsCancelled &isCancelled) {
  RpcMessage message = readMessage(line);
  if (message.isNotification || message.isResponse)
    return std::nullopt;
  if (message.error)
    return rpcError(message.id, *message.error, message.why);
  return answer(message, isCancelled);
}

/// A request of today says its version itself; one of before rests on `initialize`.
std::optional<Json> McpServer::refuseVersion(const RpcMessage &message, bool &isModern) const {
  const Json *meta = find(message.params, "_meta");
  const Json *version = meta ? find(*meta, versionKey) : nullptr;
  isModern = version != nullptr;
  if (!isModern) {
    if (!legacyVersion_.empty())
      return std::nullopt;
    return rpcError(message.id, RpcError::InvalidParams,
                    std::string("'_meta' lacks '") + versionKey + "', and there was no 'initialize'");
  }
  if (!version->is_string())
    return rpcError(message.id, RpcError::InvalidParams, std::string("'") + versionKey + "' is no text");
  if (*version != std::string(knownRevisions[0]))
    return rpcError(message.id, RpcError::UnsupportedProtocolVersion, "Unsupported protocol version",
                    {{"supported", revisionsJson(llvm::ArrayRef(knownRevisions).take_front(1))},
                     {"requested", version->get<std::string>().substr(0, 64)}});
  const Json *capabilities = find(*meta, capabilitiesKey);
  if (!capabilities || !capabilities->is_object())
    return rpcError(message.id, RpcError::InvalidParams,
                    std::string("'_meta' lacks '") + capabilitiesKey + "'");
  return std::nullopt;
}

Json McpServer::answer(const RpcMessage &message, const IsCancelled &isCancelled) {
  if (message.method == "initialize")
    return initialize(message);
  if (message.method == "ping")
    return rpcResult(message.id, Json::object());
  bool isModern = false;
  if (std::optional<Json> refused = refuseVersion(message, isModern))
    return *refused;
  if (message.method == "server/discover")
    return rpcResult(message.id, discover());
  if (message.method == "tools/list") {
    if (const Json *cursor = find(message.params, "cursor"); cursor && !cursor->is_null())
      return rpcError(message.id, RpcError::InvalidParams, "there is one page of tools, and no cursor to it");
    return rpcResult(message.id, listTools(isModern));
  }
  if (message.method == "tools/call")
    return callTool(message, isModern, isCancelled);
  return rpcError(message.id, RpcError::MethodNotFound, "there is no method '" + message.method + "'");
}

Json McpServer::initialize(const RpcMessage &message) {
  const Json *wanted = find(message.params, "protocolVersion");
  if (!wanted || !wanted->is_string())
    return rpcError(message.id, RpcError::InvalidParams, "'protocolVersion' is no text");
  // What is asked for where it is known, else the newest that begins with a handshake.
  legacyVersion_ = knownRevisions[1].str();
  for (llvm::StringRef known : llvm::ArrayRef(knownRevisions).drop_front())
    if (*wanted == known.str())
      legacyVersion_ = known.str();
  return rpcResult(message.id, {{"protocolVersion", legacyVersion_},
                                {"capabilities", {{"tools", Json::object()}}},
                                {"serverInfo", {{"name", name_}, {"version", version_}}},
                                {"instructions", instructions_}});
}

Json McpServer::finished(Json result, bool isModern) const {
  if (!isModern)
    return result;
  Json modern = {{"resultType", "complete"}};
  modern.update(result);
  modern["_meta"] = {{serverKey, {{"name", name_}, {"version", version_}}}};
  return modern;
}

Json McpServer::discover() const {
  return finished({{"supportedVersions", revisionsJson(knownRevisions)},
                   {"capabilities", {{"tools", Json::object()}}},
                   {"instructions", instructions_},
                   {"ttlMs", freshMilliseconds},
                   {"cacheScope", "private"}},
                  true);
}

Json McpServer::listTools(bool isModern) const {
  Json list = Json::array();
  for (const McpTool &tool : tools_)
    list.push_back({{"name", tool.name},
                    {"title", tool.title},
                    {"description", tool.description},
                    {"inputSchema", tool.inputSchema},
                    {"annotations", {{"readOnlyHint", tool.readOnly}, {"openWorldHint", false}}}});
  Json result = {{"tools", std::move(list)}};
  if (isModern) {
    result["ttlMs"] = freshMilliseconds;
    result["cacheScope"] = "private";
  }
  return finished(std::move(result), isModern);
}

Json McpServer::callTool(const RpcMessage &message, bool isModern, const IsCancelled &isCancelled) {
  const Json *name = find(message.params, "name");
  if (!name || !name->is_string())
    return rpcError(message.id, RpcError::InvalidParams, "'name' is no text");
  auto tool = llvm::find_if(tools_, [&](const McpTool &one) { return *name == one.name; });
  if (tool == tools_.end())
    return rpcError(message.id, RpcError::InvalidParams,
                    "there is no tool '" + name->get<std::string>().substr(0, 128) + "'");
  const Json *given = find(message.params, "arguments");
  const Json arguments = given && !given->is_null() ? *given : Json::object();
  if (!arguments.is_object())
    return rpcError(message.id, RpcError::InvalidParams, "'arguments' is no object");
  ToolAnswer answer;
  if (std::string wrong = findMisfit(arguments, tool->inputSchema, "the arguments"); !wrong.empty())
    answer = {{{"error", wrong}, {"next", "read the tool's inputSchema, and call again"}}, true};
  else
    answer = tool->call(arguments, isCancelled);
  Json result = {{"content", {{{"type", "text"}, {"text", dump(answer.content)}}}},
                 {"structuredContent", answer.content},
                 {"isError", answer.isError}};
  return rpcResult(message.id, finished(std::move(result), isModern));
}

// Serving.

bool McpServer::write(int output, const Json &message) {
  const std::string text = dump(message) + "\n";
  std::lock_guard<std::mutex> guard(writing_);
  size_t done = 0;
  while (done < text.size()) {
    ssize_t written = ::write(output, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    done += static_cast<size_t>(written);
  }
  return true;
}

bool McpServer::isCancelled(const Json &id) {
  std::lock_guard<std::mutex> guard(mutex_);
  // Nobody waits for an answer any more when the client has closed its end.
  return ended_ || broken_ || llvm::is_contained(cancelled_, id);
}

/// What needs no queue: pings while a tool runs, and cancellations.
bool McpServer::takesAtOnce(const RpcMessage &message, int output) {
  if (message.error || message.isResponse)
    return false;
  if (message.method == "ping" && !message.isNotification) {
    if (!write(output, rpcResult(message.id, Json::object()))) {
      std::lock_guard<std::mutex> guard(mutex_);
      broken_ = true;
    }
    return true;
  }
  if (message.method != "notifications/cancelled")
    return false;
  if (const Json *id = find(message.params, "requestId");
      id && (id->is_string() || id->is_number_integer())) {
    std::lock_guard<std::mutex> guard(mutex_);
    const bool waits = (running_ && *running_ == *id) || !lines_.empty();
    if (waits && cancelled_.size() < mostWaiting)
      cancelled_.push_back(*id);
  }
  return true;
}

void McpServer::arrived(Line line, int output) {
  if (llvm::StringRef(line.text).trim().empty() && !line.isTooLong)
    return;
  // A peek costs a second parse of small messages alone: what is large is no ping.
  if (!line.isTooLong && line.text.size() < 4096 && takesAtOnce(readMessage(line.text), output))
    return;
  std::unique_lock<std::mutex> guard(mutex_);
  changed_.wait(guard, [&] { return lines_.size() < mostWaiting || broken_; });
  lines_.push_back(std::move(line));
  changed_.notify_all();
}

void McpServer::readLines(int input) {
  Line line;
  char buffer[1 << 16];
  for (;;) {
    pollfd waiting = {input, POLLIN, 0};
    if (::poll(&waiting, 1, 200) == 0) {
      std::lock_guard<std::mutex> guard(mutex_);
      if (broken_)
        break;
      continue;
    }
    ssize_t got = ::read(input, buffer, sizeof(buffer));
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      break;
    llvm::StringRef rest(buffer, static_cast<size_t>(got));
    while (!rest.empty()) {
      auto [part, after] = rest.split('\n');
      const bool isWhole = part.size() < rest.size();
      if (line.text.size() + part.size() > longestLineOfJson)
        line.isTooLong = true, line.text.clear();
      else if (!line.isTooLong)
        line.text += part;
      rest = after;
      if (!isWhole)
        break;
      arrived(std::move(line), output_);
      line = Line();
    }
  }
  if (!line.text.empty() || line.isTooLong)
    arrived(std::move(line), output_);
  std::lock_guard<std::mutex> guard(mutex_);
  ended_ = true;
  changed_.notify_all();
}

int McpServer::serve(int input, int output) {
  output_ = output;
  std::thread reader([&] { readLines(input); });
  for (;;) {
    Line line;
    Json id;
    {
      std::unique_lock<std::mutex> guard(mutex_);
      changed_.wait(guard, [&] { return !lines_.empty() || ended_; });
      if (lines_.empty() || broken_)
        break;
      line = std::move(lines_.front());
      lines_.pop_front();
      // Under the lock: a cancellation finds its request either waiting or running.
      id = readMessage(line.text).id;
      running_ = id;
      changed_.notify_all();
    }
    std::optional<Json> reply = line.isTooLong
                                    ? rpcError(nullptr, RpcError::InvalidRequest, "the message is too long")
                                    : handle(line.text, [&] { return isCancelled(id); });
    std::lock_guard<std::mutex> guard(mutex_);
    running_.reset();
    auto cancelled = llvm::find(cancelled_, id);
    const bool isUnwanted = !id.is_null() && cancelled != cancelled_.end();
    if (isUnwanted)
      cancelled_.erase(cancelled);
    if (lines_.empty())
      cancelled_.clear();
    if (reply && !isUnwanted && !write(output, *reply)) {
      broken_ = true;
      changed_.notify_all();
      break;
    }
  }
  reader.join();
  return 0;
}

} // namespace warpwright::agents
