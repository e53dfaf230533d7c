#include "feedback/evaluators/cuda/runner/Messages.h"

#include <unistd.h>

namespace warpwright::runner {

void Messages::send(const Json &message) const {
  std::string line = message.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  for (size_t sent = 0; sent < line.size();) {
    ssize_t wrote = write(descriptor_, line.data() + sent, line.size() - sent);
    if (wrote <= 0)
      return; // the watching process is gone: nobody is left to tell
    sent += static_cast<size_t>(wrote);
  }
}

void Messages::begin(const std::string &step, Blame blame, double seconds) const {
  send({{"begin", step},
        {"blame", blame == Blame::Original ? "original" : "candidate"},
        {"seconds", seconds}});
}

void Messages::own(const std::string &step) const {
  send({{"begin", step}, {"blame", "runner"}, {"seconds", 0}});
}

void Messages::waiting(const std::string &step) const {
  send({{"waiting", step}});
}
void Messages::environment(const Json &environment) const {
  send({{"environment", environment}});
}
void Messages::shape(const Json &shape) const {
  send({{"shape", shape}});
}
void Messages::profile(const Json &profile) const {
  send({{"profile", profile}});
}

void Messages::note(const std::string &text) const {
  send({{"note", text}});
}

void Messages::fault(const Fault &fault) const {
  send({{"fault",
         {{"kind", toString(fault.kind)},
          {"of", fault.blame == Blame::Original ? "original" : "candidate"},
          {"shape", fault.shape},
          {"detail", fault.detail}}}});
}

void Messages::end(Ending ending, const std::string &text) const {
  send({{"end", static_cast<int>(ending)}, {"text", text}});
}

void Messages::accepted() const {
  send({{"accepted", true}});
}

} // namespace warpwright::runner
