// A checked file as JSON and back. The form is ours alone: it goes between processes of one version of the
// tool, so what does not fit is another version's, and worth nothing.

#include "feedback/gate/Checked.h"

#include <nlohmann/json.hpp>

namespace warpwright {
namespace {

using Json = nlohmann::ordered_json;

Json placeJson(const Place &place) {
  return Json::array({place.file, place.line, place.column});
}

Json fixJson(const SuggestedFix &fix) {
  Json edits = Json::array();
  for (const Edit &edit : fix.edits)
    edits.push_back({edit.file, edit.offset, edit.length, edit.text, placeJson(edit.place), edit.reason});
  return {{"description", fix.description}, {"edits", std::move(edits)}};
}

Json findingJson(const CheckedFinding &checked) {
  const Finding &finding = checked.finding;
  Json evidence = Json::array(), notes = Json::array(), fixes = Json::array();
  for (const Evidence &number : finding.evidence)
    evidence.push_back({number.name, number.value});
  for (const auto &[place, text] : finding.notes)
    notes.push_back({placeJson(place), text});
  for (const SuggestedFix &fix : checked.fixes)
    fixes.push_back(fixJson(fix));
  return {{"id", finding.id},
          {"place", placeJson(finding.place)},
          {"message", finding.message},
          {"evidence", std::move(evidence)},
          {"confidence", finding.confidence},
          {"advice", finding.advice},
          {"notes", std::move(notes)},
          {"fingerprint", checked.fingerprint},
          {"fixes", std::move(fixes)}};
}

Json kernelJson(const CheckedKernel &kernel) {
  Json findings = Json::array();
  for (const CheckedFinding &finding : kernel.findings)
    findings.push_back(findingJson(finding));
  return {{"key", kernel.key},
          {"name", kernel.name},
          {"place", placeJson(kernel.place)},
          {"begin", kernel.beginLine},
          {"body", kernel.body},
          {"architecture", kernel.architecture},
          {"toolkit", kernel.toolkit},
          {"launch", kernel.launch},
          {"metrics", toJson(kernel.metrics)},
          {"note", kernel.resourcesNote},
          {"findings", std::move(findings)}};
}

/// Reads members and remembers whether all of them were there and of their type.
class Reader {
public:
  bool whole = true;

  Place place(const Json &value) {
    if (!value.is_array() || value.size() != 3) {
      whole = false;
      return {};
    }
    return {text(value[0]), number(value[1]), number(value[2])};
  }
  std::string text(const Json &value) {
    whole &= value.is_string();
    return value.is_string() ? value.get<std::string>() : std::string();
  }
  unsigned number(const Json &value) {
    whole &= value.is_number_unsigned();
    return value.is_number_unsigned() ? value.get<unsigned>() : 0;
  }
  double real(const Json &value) {
    whole &= value.is_number();
    return value.is_number() ? value.get<double>() : 0;
  }
  const Json &member(const Json &object, const char *name) {
    static const Json nothing;
    if (auto found = object.find(name); object.is_object() && found != object.end())
      return *found;
    whole = false;
    return nothing;
  }
  std::string text(const Json &object, const char *name) { return text(member(object, name)); }
  /// Each element of an array, which has `size` elements itself where that is not 0.
  template <typename Work> void each(const Json &array, size_t size, Work work) {
    whole &= array.is_array();
    for (const Json &element : array) {
      if (size != 0 && (!element.is_array() || element.size() != size))
        whole = false;
      else
        work(element);
    }
  }

  SuggestedFix fix(const Json &value) {
    SuggestedFix fix;
    fix.description = text(value, "description");
    each(member(value, "edits"), 6, [&](const Json &row) {
      Edit edit;
      edit.file = text(row[0]);
      edit.offset = number(row[1]);
      edit.length = number(row[2]);
      edit.text = text(row[3]);
      edit.place = place(row[4]);
      edit.reason = text(row[5]);
      fix.edits.push_back(std::move(edit));
    });
    return fix;
  }

  CheckedFinding finding(const Json &value) {
    CheckedFinding checked;
    Finding &finding = checked.finding;
    finding.id = text(value, "id");
    finding.place = place(member(value, "place"));
    finding.message = text(value, "message");
    each(member(value, "evidence"), 2,
         [&](const Json &row) { finding.evidence.push_back({text(row[0]), real(row[1])}); });
    finding.confidence = real(member(value, "confidence"));
    finding.advice = text(value, "advice");
    each(member(value, "notes"), 2,
         [&](const Json &row) { finding.notes.emplace_back(place(row[0]), text(row[1])); });
    checked.fingerprint = text(value, "fingerprint");
    each(member(value, "fixes"), 0, [&](const Json &row) { checked.fixes.push_back(fix(row)); });
    return checked;
  }

  CheckedKernel kernel(const Json &value) {
    CheckedKernel kernel;
    kernel.key = text(value, "key");
    kernel.name = text(value, "name");
    kernel.place = place(member(value, "place"));
    kernel.beginLine = number(member(value, "begin"));
    kernel.body = text(value, "body");
    kernel.architecture = text(value, "architecture");
    kernel.toolkit = text(value, "toolkit");
    kernel.launch = text(value, "launch");
    whole &= readMetrics(member(value, "metrics"), kernel.metrics).empty();
    kernel.resourcesNote = text(value, "note");
    each(member(value, "findings"), 0, [&](const Json &row) { kernel.findings.push_back(finding(row)); });
    return kernel;
  }

  AcceptComment accept(const Json &row) {
    AcceptComment comment;
    comment.place = place(row[0]);
    comment.line = number(row[1]);
    each(row[2], 0, [&](const Json &rule) { comment.rules.push_back(text(rule)); });
    comment.reason = text(row[3]);
    comment.expires = text(row[4]);
    return comment;
  }
};

} // namespace

Json toJson(const CheckedFile &file) {
  Json kernels = Json::array(), accepts = Json::array(), problems = Json::array();
  for (const CheckedKernel &kernel : file.kernels)
    kernels.push_back(kernelJson(kernel));
  for (const AcceptComment &comment : file.accepts)
    accepts.push_back(
        {placeJson(comment.place), comment.line, comment.rules, comment.reason, comment.expires});
  for (const CheckProblem &problem : file.problems)
    problems.push_back({static_cast<unsigned>(problem.kind), placeJson(problem.place), problem.message});
  return {{"file", file.file},
          {"kernels", std::move(kernels)},
          {"accepts", std::move(accepts)},
          {"problems", std::move(problems)},
          {"diagnostics", file.diagnostics},
          {"dependencies", file.dependencies}};
}

std::optional<CheckedFile> checkedFileFromJson(const Json &document) {
  Reader reader;
  CheckedFile file;
  file.file = reader.text(document, "file");
  reader.each(reader.member(document, "kernels"), 0,
              [&](const Json &row) { file.kernels.push_back(reader.kernel(row)); });
  reader.each(reader.member(document, "accepts"), 5,
              [&](const Json &row) { file.accepts.push_back(reader.accept(row)); });
  reader.each(reader.member(document, "problems"), 3, [&](const Json &row) {
    file.problems.push_back(
        {static_cast<CheckProblem::Kind>(reader.number(row[0])), reader.place(row[1]), reader.text(row[2])});
  });
  file.diagnostics = reader.text(document, "diagnostics");
  reader.each(reader.member(document, "dependencies"), 0,
              [&](const Json &row) { file.dependencies.push_back(reader.text(row)); });
  return reader.whole ? std::optional(std::move(file)) : std::nullopt;
}

} // namespace warpwright
