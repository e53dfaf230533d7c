#include "feedback/agents/Conversation.h"

#include "feedback/agents/Submission.h"

#include <llvm/Support/Program.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace warpwright::agents {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr size_t longestAnswer = 8 << 20;

/// The program with both pipes, until it has answered or its time is over.
class Exchange {
public:
  explicit Exchange(const CommandSetting &setting)
      : setting_(setting), deadline_(Clock::now() + std::chrono::seconds(setting.seconds)) {}

  llvm::Expected<std::string> run(const std::string &question) {
    if (llvm::Error error = start())
      return std::move(error);
    // A program that ends without reading is its own affair.
    bool isInTime = talk(question);
    ::close(in_);
    ::close(out_);
    int status = 0;
    // One that has closed its output may still run, and its time goes on.
    while (isInTime && ::waitpid(process_, &status, WNOHANG) == 0) {
      ::usleep(1000);
      isInTime = Clock::now() < deadline_;
    }
    if (!isInTime) {
      ::kill(-process_, SIGKILL);
      while (::waitpid(process_, &status, 0) < 0 && errno == EINTR)
        ;
    }
    if (!isInTime)
      return llvm::createStringError("'" + setting_.command.front() + "' did not answer within " +
                                     std::to_string(setting_.seconds) + " seconds, or too much");
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
      return llvm::createStringError("'" + setting_.command.front() + "' failed");
    return answer_;
  }

private:
  llvm::Error start() {
    llvm::ErrorOr<std::string> program = llvm::sys::findProgramByName(setting_.command.front());
    if (!program)
      return llvm::createStringError("cannot find the program '" + setting_.command.front() + "'");
    std::vector<char *> arguments;
    for (const std::string &word : setting_.command)
      arguments.push_back(const_cast<char *>(word.c_str()));
    arguments.push_back(nullptr);
    int to[2], from[2];
    if (::pipe2(to, O_CLOEXEC) != 0 || ::pipe2(from, O_CLOEXEC) != 0)
      return llvm::createStringError("cannot make a pipe");
    process_ = ::fork();
    if (process_ == 0) {
      ::setpgid(0, 0);
      ::dup2(to[0], 0);
      ::dup2(from[1], 1);
      ::execv(program->c_str(), arguments.data());
      ::_exit(127);
    }
    ::close(to[0]);
    ::close(from[1]);
    in_ = to[1];
    out_ = from[0];
    ::fcntl(in_, F_SETFL, O_NONBLOCK);
    return process_ < 0 ? llvm::createStringError("cannot start a process") : llvm::Error::success();
  }

  bool talk(const std::string &question) {
    size_t told = 0;
    for (;;) {
      auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline_ - Clock::now()).count();
      if (left <= 0)
        return false;
      pollfd waiting[2] = {{out_, POLLIN, 0}, {in_, POLLOUT, 0}};
      const bool isTold = told == question.size();
      if (::poll(waiting, isTold ? 1 : 2, static_cast<int>(std::min<long long>(left, 1000))) < 0 &&
          errno != EINTR)
        return false;
      if (!isTold && (waiting[1].revents & (POLLOUT | POLLERR)) != 0) {
        ssize_t written = ::write(in_, question.data() + told, question.size() - told);
        told = written > 0                      ? told + static_cast<size_t>(written)
               : written < 0 && errno == EAGAIN ? told
                                                : question.size();
        if (told == question.size()) {
          ::close(in_);
          in_ = -1;
        }
      }
      if ((waiting[0].revents & (POLLIN | POLLHUP)) == 0)
        continue;
      char buffer[4096];
      ssize_t got = ::read(out_, buffer, sizeof(buffer));
      if (got <= 0)
        return true;
      answer_.append(buffer, static_cast<size_t>(got));
      if (answer_.size() > longestAnswer)
        return false;
    }
  }

  const CommandSetting &setting_;
  Clock::time_point deadline_;
  pid_t process_ = -1;
  int in_ = -1, out_ = -1;
  std::string answer_;
};

class CommandCorrespondent final : public Correspondent {
public:
  explicit CommandCorrespondent(CommandSetting setting) : setting_(std::move(setting)) {}

  llvm::Expected<ChatReply> ask(llvm::ArrayRef<ChatMessage> messages) override {
    Json question = {{"messages", Json::array()}};
    for (const ChatMessage &message : messages)
      question["messages"].push_back({{"role", message.role}, {"content", message.content}});
    llvm::Expected<std::string> answer = Exchange(setting_).run(dump(question) + "\n");
    if (!answer)
      return answer.takeError();
    Json document =
        isShallow(*answer) ? Json::parse(*answer, nullptr, false) : Json(Json::value_t::discarded);
    auto content = document.is_object() ? document.find("content") : document.end();
    if (!document.is_object() || content == document.end() || !content->is_string())
      return llvm::createStringError("'" + setting_.command.front() +
                                     "' answered with something else than {\"content\": \"...\"}");
    return ChatReply{content->get<std::string>(), 0};
  }

  std::string model() const override { return "command " + setting_.command.front(); }
  Json parameters() const override { return {{"command", setting_.command}}; }

private:
  CommandSetting setting_;
};

} // namespace

Correspondent::~Correspondent() = default;

std::unique_ptr<Correspondent> commandCorrespondent(CommandSetting setting) {
  return std::make_unique<CommandCorrespondent>(std::move(setting));
}

std::string firstObjectIn(llvm::StringRef text) {
  for (size_t begin = text.find('{'); begin != llvm::StringRef::npos; begin = text.find('{', begin + 1)) {
    unsigned depth = 0;
    bool inString = false;
    for (size_t i = begin; i < text.size(); ++i) {
      const char character = text[i];
      if (inString) {
        i += character == '\\';
        inString = character != '"';
        continue;
      }
      inString = character == '"';
      depth += character == '{';
      if (character != '}' || --depth != 0)
        continue;
      llvm::StringRef object = text.slice(begin, i + 1);
      if (isShallow(object) && Json::accept(object.begin(), object.end()))
        return object.str();
      break;
    }
  }
  return {};
}

} // namespace warpwright::agents
