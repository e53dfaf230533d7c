#include "feedback/rules/Diagnosis.h"

#include <nlohmann/json.hpp>

namespace warpwright {

using Json = nlohmann::ordered_json;

namespace {

Json toJson(const Diagnosis &diagnosis) {
  Json evidence = Json::object();
  for (const Evidence &number : diagnosis.evidence)
    evidence[number.name] = number.value;
  Json value = {{"bottleneck", toString(diagnosis.bottleneck)},
                {"rule", diagnosis.rule},
                {"share", diagnosis.share},
                {"confidence", diagnosis.confidence},
                {"message", diagnosis.message},
                {"evidence", std::move(evidence)},
                {"structural_advice", diagnosis.structuralAdvice},
                {"parameter_advice", diagnosis.parameterAdvice},
                {"agrees", diagnosis.agrees},
                {"differs", diagnosis.differs}};
  if (diagnosis.place.known())
    value["place"] = {
        {"file", diagnosis.place.file}, {"line", diagnosis.place.line}, {"column", diagnosis.place.column}};
  return value;
}

} // namespace

Json toJson(const ProfileReading &reading) {
  auto label = [](std::optional<Bottleneck> bottleneck) {
    return bottleneck ? Json(toString(*bottleneck)) : Json(nullptr);
  };
  Json value = {{"code", reading.code},
                {"shape", reading.shape},
                {"primary", label(reading.primary)},
                {"secondary", label(reading.secondary)},
                {"diagnoses", Json::array()},
                {"notes", reading.notes}};
  for (const Diagnosis &diagnosis : reading.diagnoses)
    value["diagnoses"].push_back(toJson(diagnosis));
  return value;
}

} // namespace warpwright
