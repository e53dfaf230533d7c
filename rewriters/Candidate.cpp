#include "rewriters/Candidate.h"

namespace warpwright {

std::string RewriteStep::name() const {
  std::string text = rewriter;
  for (const auto &[parameter, value] : parameters)
    text += " " + parameter + "=" + std::to_string(value);
  return text;
}

std::string Candidate::name() const {
  std::string text;
  for (const RewriteStep &step : earlier)
    text += step.name() + " + ";
  return text + RewriteStep::name();
}

std::string Candidate::rewriters() const {
  std::string text;
  for (const RewriteStep &step : earlier)
    text += step.rewriter + " + ";
  return text + rewriter;
}

bool Candidate::isAlternativeTo(const Candidate &other) const {
  return subject == other.subject && rewriters() == other.rewriters();
}

} // namespace warpwright
