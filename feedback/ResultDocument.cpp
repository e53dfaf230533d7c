#include "feedback/ResultDocument.h"

namespace warpwright {

runner::JsonReader readResultDocument(const runner::Json &result, runner::Mistake &mistake) {
  runner::JsonReader reader(result, "result",
                            {"schema", "name", "job_sha256", "original_sha256", "candidate_sha256", "verdict",
                             "reason", "fault", "environment", "shapes", "notes", "seconds"},
                            mistake);
  if (reader.text("schema") != "warpwright/result/1")
    reader.mistake("schema", "is not warpwright/result/1");
  return reader;
}

} // namespace warpwright
