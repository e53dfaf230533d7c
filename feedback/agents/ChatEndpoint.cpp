#include "feedback/agents/ChatEndpoint.h"

#include "feedback/agents/Messages.h"
#include "feedback/agents/Submission.h"

#include <curl/curl.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

namespace warpwright::agents {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t longestBody = 8 << 20;
constexpr unsigned longestWait = 60000; // milliseconds

struct Response {
  long status = 0; ///< 0: no answer came
  std::string body;
  std::string failure;     ///< of the connection
  unsigned retryAfter = 0; ///< seconds; 0: not said
  bool isTooLong = false;
};

size_t takeBody(char *data, size_t size, size_t count, void *into) {
  auto &response = *static_cast<Response *>(into);
  if (response.body.size() + size * count > longestBody) {
    response.isTooLong = true;
    return 0;
  }
  response.body.append(data, size * count);
  return size * count;
}

size_t takeHeader(char *data, size_t size, size_t count, void *into) {
  llvm::StringRef line(data, size * count);
  auto [name, value] = line.split(':');
  unsigned seconds = 0;
  if (name.equals_insensitive("retry-after") && !value.trim().getAsInteger(10, seconds))
    static_cast<Response *>(into)->retryAfter = seconds;
  return size * count;
}

bool mayComeBack(const Response &response) {
  return response.status == 0 || response.status == 408 || response.status == 409 || response.status == 429 ||
         response.status >= 500;
}

class ChatEndpoint final : public Correspondent {
public:
  ChatEndpoint(EndpointSetting setting, std::string key)
      : setting_(std::move(setting)), key_(std::move(key)) {}

  llvm::Expected<ChatReply> ask(llvm::ArrayRef<ChatMessage> messages) override {
    Json question = setting_.parameters;
    question["model"] = setting_.model;
    question["max_tokens"] = setting_.maxTokens;
    question["messages"] = Json::array();
    uint64_t expected = setting_.maxTokens;
    for (const ChatMessage &message : messages) {
      question["messages"].push_back({{"role", message.role}, {"content", message.content}});
      expected += estimatedTokens(message.content);
    }
    if (used_ + expected > setting_.totalTokens)
      return llvm::createStringError("the tokens are spent: " + std::to_string(used_) + " of " +
                                     std::to_string(setting_.totalTokens) +
                                     " were used, and the next answer "
                                     "may take " +
                                     std::to_string(expected));
    const std::string body = dump(question);
    unsigned wait = setting_.firstWaitMilliseconds;
    for (unsigned attempt = 0;; ++attempt) {
      Response response = post(body);
      if (response.status == 200)
        return read(response, expected);
      if (attempt >= setting_.retries || !mayComeBack(response) || response.isTooLong)
        return failure(response, attempt + 1);
      unsigned pause = response.retryAfter != 0 ? response.retryAfter * 1000 : wait;
      std::this_thread::sleep_for(std::chrono::milliseconds(std::min(pause, longestWait)));
      wait = std::min(wait * 2, longestWait);
    }
  }

  std::string model() const override { return setting_.model; }
  Json parameters() const override {
    Json parameters = setting_.parameters;
    parameters["max_tokens"] = setting_.maxTokens;
    return parameters;
  }

private:
  Response post(const std::string &body) const {
    Response response;
    std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> handle(curl_easy_init(), &curl_easy_cleanup);
    if (!handle) {
      response.failure = "libcurl does not start";
      return response;
    }
    curl_slist *headers = curl_slist_append(nullptr, "Content-Type: application/json");
    if (!key_.empty())
      headers = curl_slist_append(headers, ("Authorization: Bearer " + key_).c_str());
    CURL *curl = handle.get();
    curl_easy_setopt(curl, CURLOPT_URL, setting_.url.c_str());
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body.c_str());
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &takeBody);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &response);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, &takeHeader);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, &response);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, static_cast<long>(setting_.seconds));
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    CURLcode code = curl_easy_perform(curl);
    if (code == CURLE_OK)
      curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &response.status);
    else
      response.failure = response.isTooLong ? "the answer is too long" : curl_easy_strerror(code);
    curl_slist_free_all(headers);
    return response;
  }

  llvm::Expected<ChatReply> read(const Response &response, uint64_t expected) {
    Json document = isShallow(response.body) ? Json::parse(response.body, nullptr, false)
                                             : Json(Json::value_t::discarded);
    const Json *choices = member(document, "choices");
    const Json *message =
        choices && choices->is_array() && !choices->empty() ? member(choices->front(), "message") : nullptr;
    const Json *content = message ? member(*message, "content") : nullptr;
    const Json *usage = member(document, "usage");
    const Json *total = usage ? member(*usage, "total_tokens") : nullptr;
    ChatReply reply;
    reply.tokens = total && total->is_number_unsigned() ? total->get<uint64_t>() : 0;
    used_ += reply.tokens != 0 ? reply.tokens : expected;
    if (!content || !content->is_string())
      return llvm::createStringError("the endpoint answered with something else than a chat completion");
    reply.content = content->get<std::string>();
    return reply;
  }

  static const Json *member(const Json &object, const char *key) {
    if (!object.is_object())
      return nullptr;
    auto found = object.find(key);
    return found == object.end() ? nullptr : &*found;
  }

  /// The body may quote the request; the key is not in it.
  static llvm::Error failure(const Response &response, unsigned attempts) {
    std::string text = response.status == 0
                           ? response.failure
                           : "the endpoint answered with status " + std::to_string(response.status);
    for (const std::string &line : linesThatMatter(llvm::StringRef(response.body).take_front(2000)))
      if (!line.empty())
        text += "\n  " + line;
    return llvm::createStringError(
        text + (attempts > 1 ? "\n  after " + std::to_string(attempts) + " attempts" : ""));
  }

  EndpointSetting setting_;
  std::string key_;
  uint64_t used_ = 0;
};

} // namespace

uint64_t estimatedTokens(llvm::StringRef text) {
  return (text.size() + 3) / 4;
}

llvm::Expected<std::unique_ptr<Correspondent>> endpointCorrespondent(EndpointSetting setting) {
  std::string key;
  if (!setting.keyVariable.empty()) {
    const char *value = std::getenv(setting.keyVariable.c_str());
    if (!value || !*value)
      return llvm::createStringError("the environment does not hold '" + setting.keyVariable + "', the key");
    key = value;
  }
  if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
    return llvm::createStringError("libcurl does not start");
  return std::make_unique<ChatEndpoint>(std::move(setting), std::move(key));
}

} // namespace warpwright::agents
