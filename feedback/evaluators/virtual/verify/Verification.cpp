#include "feedback/evaluators/virtual/verify/Verification.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <nlohmann/json.hpp>

namespace warpwright {
namespace {

using Json = nlohmann::ordered_json;

Json placeOf(const Place &place) {
  return {{"file", place.file}, {"line", place.line}, {"column", place.column}};
}

Json toJson(const Counterexample &example) {
  Json value = {{"shape", example.shape}, {"inputs", example.inputs}};
  if (!example.circumstances.empty())
    value["circumstances"] = example.circumstances;
  if (!example.buffer.empty()) {
    value["buffer"] = example.buffer;
    value["element"] = example.element;
    value["expected"] = example.expected;
    value["got"] = example.got;
    value["error"] = example.error;
    value["bad_elements"] = example.bad;
  }
  if (example.store) {
    value["store"] = {{"thread", vdevice::toString(example.store->position)}};
    if (example.store->place.known())
      value["store"]["place"] = placeOf(example.store->place);
  }
  for (const vdevice::Fault &fault : example.faults)
    value["faults"].push_back(vdevice::faultToJson(fault));
  return value;
}

Json toJson(const values::ErrorDistribution &distribution) {
  return {{"numbers", distribution.count()},
          {"max", distribution.largest()},
          {"p99", distribution.percentile99()},
          {"bias", distribution.bias()},
          {"deviation", distribution.deviation()}};
}

Json toJson(const BufferErrors &errors) {
  Json value = {{"buffer", errors.buffer}};
  value.update(toJson(errors.errors));
  value["original"] = toJson(errors.original);
  return value;
}

Json toJson(const Verification &verification) {
  Json value = {{"kernel", verification.kernel},
                {"candidate", verification.candidate},
                {"verdict", toString(verification.verdict.kind)},
                {"stage", verification.verdict.stage}};
  if (!verification.code.empty())
    value["code"] = verification.code;
  if (!verification.verdict.reason.empty())
    value["reason"] = verification.verdict.reason;
  if (verification.counterexample)
    value["counterexample"] = toJson(*verification.counterexample);
  value["runs"] = verification.runs;
  value["shapes"] = verification.shapes;
  value["architectures"] = verification.architectures;
  value["errors"] = Json::array();
  for (const BufferErrors &errors : verification.errors)
    value["errors"].push_back(toJson(errors));
  value["notes"] = verification.notes;
  if (verification.measurement)
    value["measurement"] = warpwright::toJson(*verification.measurement);
  return value;
}

std::string placeText(const Place &place) {
  return place.file + ":" + std::to_string(place.line) + ":" + std::to_string(place.column);
}

std::string toText(const values::ErrorDistribution &errors) {
  char line[160];
  std::snprintf(line, sizeof(line), "max %.2g, p99 %.2g, bias %.2g, deviation %.2g", errors.largest(),
                errors.percentile99(), errors.bias(), errors.deviation());
  return line;
}

std::string toText(const Counterexample &example) {
  std::string text =
      "  with " + (example.shape.empty() ? "no scalars" : example.shape) + ", inputs " + example.inputs;
  if (!example.circumstances.empty())
    text += ", " + example.circumstances;
  text += "\n";
  if (example.store) {
    text += "  stored by " + vdevice::toString(example.store->position);
    if (example.store->place.known())
      text += " at " + placeText(example.store->place);
    text += "\n";
  }
  for (const vdevice::Fault &fault : example.faults)
    text += vdevice::faultToText(fault);
  return text;
}

} // namespace

void addArchitecture(Verification &into, const Verification &other) {
  auto weight = [](const Verification &one) {
    return one.verdict.kind == Verdict::Kind::Declined ? 2 : one.verdict.kind == Verdict::Kind::Undecided;
  };
  if (weight(other) > weight(into)) {
    into.verdict = other.verdict;
    into.code = other.code;
    into.counterexample = other.counterexample;
    if (!other.architectures.empty())
      into.verdict.reason += " (for " + llvm::join(other.architectures, ", ") + ")";
  }
  auto addMissing = [](std::vector<std::string> &list, const std::vector<std::string> &more) {
    for (const std::string &each : more)
      if (!llvm::is_contained(list, each))
        list.push_back(each);
  };
  into.runs += other.runs;
  addMissing(into.shapes, other.shapes);
  addMissing(into.architectures, other.architectures);
  addMissing(into.notes, other.notes);
  for (const BufferErrors &errors : other.errors) {
    auto known = llvm::find_if(into.errors, [&](const auto &one) { return one.buffer == errors.buffer; });
    if (known == into.errors.end()) {
      into.errors.push_back(errors);
      continue;
    }
    known->errors.append(errors.errors);
    known->original.append(errors.original);
  }
}

Json toJson(llvm::ArrayRef<Verification> verifications) {
  Json list = Json::array();
  for (const Verification &verification : verifications)
    list.push_back(toJson(verification));
  return {{"schema", "warpwright/verdict/1"}, {"verdicts", std::move(list)}};
}

void addMeasurement(Verification &verification, Measurement measurement) {
  auto weight = [](Verdict::Kind kind) {
    return kind == Verdict::Kind::Declined ? 2 : kind == Verdict::Kind::Undecided ? 1 : 0;
  };
  if (weight(measurement.verdict.kind) > weight(verification.verdict.kind)) {
    verification.verdict = measurement.verdict;
    verification.code = measurement.fault.empty() ? "not-run" : measurement.fault;
  }
  verification.measurement = std::move(measurement);
}

std::string toText(const Verification &verification) {
  std::string text = verification.kernel;
  if (verification.candidate != verification.kernel)
    text += " -> " + verification.candidate;
  text += ": " + std::string(toString(verification.verdict.kind));
  if (!verification.code.empty())
    text += " [" + verification.code + "]";
  if (!verification.verdict.reason.empty())
    text += ": " + verification.verdict.reason;
  text += "\n";
  if (verification.counterexample)
    text += toText(*verification.counterexample);
  text += "  " + std::to_string(verification.runs) + " runs on " +
          std::to_string(verification.shapes.size()) + " shapes";
  if (!verification.architectures.empty())
    text += " for " + llvm::join(verification.architectures, ", ");
  text += "\n";
  for (const BufferErrors &errors : verification.errors) {
    text += "  " + errors.buffer + ": errors " + toText(errors.errors) + "\n";
    if (errors.original.largest() > 0)
      text += "  " + errors.buffer + ": the original's own " + toText(errors.original) + "\n";
  }
  for (const std::string &note : verification.notes)
    text += "  note: " + note + "\n";
  if (verification.measurement)
    text += "on the device: " + toText(*verification.measurement);
  return text;
}

} // namespace warpwright
