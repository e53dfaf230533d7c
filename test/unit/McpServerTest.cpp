#include "feedback/agents/McpServer.h"
#include "feedback/agents/Submission.h"

#include <gtest/gtest.h>

#include <random>
#include <thread>
#include <unistd.h>

using namespace warpwright;
using namespace warpwright::agents;
using Json = nlohmann::ordered_json;

namespace {

const auto never = [] { return false; };

McpServer server() {
  McpTool echo{"echo",
               "Echo",
               "Says it again.",
               Json::parse(R"({"type": "object", "properties": {"text": {"type": "string", "maxLength": 10}},
                               "required": ["text"], "additionalProperties": false})"),
               true,
               [](const Json &arguments, const IsCancelled &) {
                 return ToolAnswer{{{"echo", arguments["text"]}}, false};
               }};
  McpTool wait = echo;
  wait.name = "wait";
  wait.inputSchema = {{"type", "object"}};
  wait.call = [](const Json &, const IsCancelled &isCancelled) {
    for (int i = 0; i < 500 && !isCancelled(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return ToolAnswer{{{"cancelled", isCancelled()}}, false};
  };
  return McpServer("test", "1", "be kind", {echo, wait});
}

const Json modernMeta = {{"io.modelcontextprotocol/protocolVersion", "2026-07-28"},
                         {"io.modelcontextprotocol/clientCapabilities", Json::object()}};

std::string request(const std::string &method, Json params = Json::object(), Json id = 1) {
  return dump({{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}});
}

Json modern(Json params = Json::object()) {
  params["_meta"] = modernMeta;
  return params;
}

Json ask(McpServer &server, const std::string &line) {
  return server.handle(line, never).value_or(Json("silence"));
}

int code(const Json &reply) {
  return reply.is_object() && reply.contains("error") ? reply["error"]["code"].get<int>() : 0;
}

TEST(McpServer, SpeaksTheRevisionWithoutSessions) {
  McpServer mcp = server();
  Json found = ask(mcp, request("server/discover", modern()))["result"];
  EXPECT_EQ(found["resultType"], "complete");
  EXPECT_EQ(found["supportedVersions"][0], "2026-07-28");
  EXPECT_TRUE(found["capabilities"].contains("tools"));
  Json tools = ask(mcp, request("tools/list", modern()))["result"];
  EXPECT_EQ(tools["tools"][0]["name"], "echo");
  EXPECT_TRUE(tools.contains("ttlMs"));
  Json called =
      ask(mcp, request("tools/call", modern({{"name", "echo"}, {"arguments", {{"text", "hi"}}}})))["result"];
  EXPECT_EQ(called["structuredContent"]["echo"], "hi");
  EXPECT_EQ(called["isError"], false);
  EXPECT_EQ(called["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "test");
}

TEST(McpServer, RefusesOtherVersionsAndRequestsWithoutOne) {
  McpServer mcp = server();
  EXPECT_EQ(code(ask(mcp, request("tools/list"))), -32602);
  Json later = modern();
  later["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2099-01-01";
  Json refused = ask(mcp, request("tools/list", later));
  EXPECT_EQ(code(refused), -32022);
  EXPECT_EQ(refused["error"]["data"]["requested"], "2099-01-01");
  Json bare = modern();
  bare["_meta"].erase("io.modelcontextprotocol/clientCapabilities");
  EXPECT_EQ(code(ask(mcp, request("tools/list", bare))), -32602);
}

TEST(McpServer, SpeaksEarlierRevisionsAfterAHandshake) {
  for (const auto &[wanted, agreed] :
       {std::pair("2024-11-05", "2024-11-05"), std::pair("2025-11-25", "2025-11-25"),
        std::pair("1999-01-01", "2025-11-25")}) {
    McpServer mcp = server();
    Json reply = ask(mcp, request("initialize", {{"protocolVersion", wanted},
                                                 {"capabilities", Json::object()},
                                                 {"clientInfo", {{"name", "c"}, {"version", "1"}}}}));
    EXPECT_EQ(reply["result"]["protocolVersion"], agreed);
    EXPECT_EQ(ask(mcp, R"({"jsonrpc": "2.0", "method": "notifications/initialized"})"), "silence");
    Json tools = ask(mcp, request("tools/list"))["result"];
    EXPECT_EQ(tools["tools"].size(), 2u);
    EXPECT_FALSE(tools.contains("resultType"));
  }
}

TEST(McpServer, TellsMistakesOfTheProtocolFromThoseOfATool) {
  McpServer mcp = server();
  auto call = [&](Json params) { return ask(mcp, request("tools/call", modern(std::move(params)))); };
  EXPECT_EQ(code(call({{"name", "fly"}})), -32602);
  EXPECT_EQ(code(call({{"name", 1}})), -32602);
  EXPECT_EQ(code(call({{"name", "echo"}, {"arguments", "x"}})), -32602);
  for (const Json &arguments : {Json::object(), Json{{"text", 1}}, Json{{"text", "hi"}, {"more", 1}},
                                Json{{"text", "much too long"}}}) {
    Json reply = call({{"name", "echo"}, {"arguments", arguments}});
    EXPECT_EQ(reply["result"]["isError"], true) << arguments;
    EXPECT_TRUE(reply["result"]["structuredContent"].contains("next"));
  }
  EXPECT_EQ(code(ask(mcp, request("resources/list", modern()))), -32601);
  EXPECT_EQ(code(ask(mcp, request("tools/list", modern({{"cursor", "x"}})))), -32602);
}

TEST(McpServer, AnswersWhatIsNoMessageWithAnError) {
  McpServer mcp = server();
  EXPECT_EQ(code(ask(mcp, "{")), -32700);
  EXPECT_EQ(code(ask(mcp, "\xff\xfe")), -32700);
  EXPECT_EQ(code(ask(mcp, std::string(1000, '['))), -32700);
  EXPECT_EQ(code(ask(mcp, "[]")), -32600);
  EXPECT_EQ(code(ask(mcp, "3")), -32600);
  EXPECT_EQ(code(ask(mcp, R"({"id": 1, "method": "ping"})")), -32600);
  EXPECT_EQ(code(ask(mcp, R"({"jsonrpc": "2.0", "id": null, "method": "ping"})")), -32600);
  EXPECT_EQ(code(ask(mcp, R"({"jsonrpc": "2.0", "id": 1.5, "method": "ping"})")), -32600);
  EXPECT_EQ(code(ask(mcp, R"({"jsonrpc": "2.0", "id": 1, "method": 7})")), -32600);
  EXPECT_EQ(code(ask(mcp, R"({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []})")), -32602);
  EXPECT_EQ(ask(mcp, R"({"jsonrpc": "2.0", "id": 1, "result": {}})"), "silence");
  EXPECT_EQ(ask(mcp, R"({"jsonrpc": "2.0", "method": "whatever"})"), "silence");
  EXPECT_EQ(ask(mcp, R"({"jsonrpc": "2.0", "method": "whatever", "params": []})"), "silence");
}

TEST(McpServer, StandsFourThousandSpoiltMessages) {
  McpServer mcp = server();
  std::mt19937_64 random(1);
  const std::string good =
      request("tools/call", modern({{"name", "echo"}, {"arguments", {{"text", "h\xc3\xa9"}}}}));
  for (unsigned i = 0; i < 4000; ++i) {
    std::string line = good;
    for (unsigned changes = 1 + random() % 4; changes > 0; --changes) {
      size_t at = random() % line.size();
      switch (random() % 4) {
      case 0:
        line[at] = static_cast<char>(random());
        break;
      case 1:
        line.erase(at, random() % 8);
        break;
      case 2:
        line.insert(at, line.substr(random() % line.size(), random() % 16));
        break;
      default:
        line.insert(at, 1, "{}[]\",:\\"[random() % 8]);
        break;
      }
      if (line.empty())
        line = "x";
    }
    std::optional<Json> reply = mcp.handle(line, never);
    if (!reply)
      continue;
    EXPECT_EQ((*reply)["jsonrpc"], "2.0");
    EXPECT_TRUE(reply->contains("result") != reply->contains("error")) << line;
    EXPECT_NO_THROW(dump(*reply));
  }
  EXPECT_EQ(ask(mcp, good)["result"]["structuredContent"]["echo"], "h\xc3\xa9");
}

/// A server between two pipes.
class Served {
public:
  Served() {
    EXPECT_EQ(::pipe(to_), 0);
    EXPECT_EQ(::pipe(from_), 0);
    thread_ = std::thread([this] {
      McpServer mcp = server();
      mcp.serve(to_[0], from_[1]);
      ::close(from_[1]);
    });
  }
  ~Served() {
    hangUp();
    thread_.join();
    ::close(to_[0]);
    ::close(from_[0]);
  }
  void say(const std::string &text) {
    EXPECT_EQ(::write(to_[1], text.data(), text.size()), ssize_t(text.size()));
  }
  void hangUp() {
    if (to_[1] >= 0)
      ::close(to_[1]);
    to_[1] = -1;
  }
  std::string line() {
    std::string text;
    char byte = 0;
    while (::read(from_[0], &byte, 1) == 1 && byte != '\n')
      text += byte;
    return text;
  }

private:
  int to_[2], from_[2];
  std::thread thread_;
};

TEST(McpServer, ServesLinesHoweverTheyArrive) {
  Served served;
  const std::string call =
      request("tools/call", modern({{"name", "echo"}, {"arguments", {{"text", "a"}}}}), "x") + "\n";
  served.say(call.substr(0, 20));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  served.say(call.substr(20) + "\n\n" + call);
  EXPECT_EQ(Json::parse(served.line())["id"], "x");
  EXPECT_EQ(Json::parse(served.line())["id"], "x");
  served.say("not JSON\n");
  EXPECT_EQ(Json::parse(served.line())["error"]["code"], -32700);
}

TEST(McpServer, AnswersPingsAndTakesCancellationsWhileAToolRuns) {
  Served served;
  served.say(request("tools/call", modern({{"name", "wait"}}), 7) + "\n");
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  served.say(request("ping", Json::object(), 8) + "\n");
  EXPECT_EQ(Json::parse(served.line())["id"], 8);
  served.say(R"({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}})"
             "\n");
  served.say(request("server/discover", modern(), 9) + "\n");
  EXPECT_EQ(Json::parse(served.line())["id"], 9); // the cancelled one gets no answer
}

TEST(McpServer, EndsWhenTheClientGoes) {
  auto start = std::chrono::steady_clock::now();
  {
    Served served;
    served.say(request("tools/call", modern({{"name", "wait"}}), 7) + "\n");
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    served.hangUp();
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(4));
}

} // namespace
