#include "clang_plugin/McpTools.h"

#include "clang_plugin/AcceptedChange.h"

namespace warpwright {
namespace {

using Json = nlohmann::ordered_json;
using agents::IsCancelled;
using agents::McpTool;
using agents::ToolAnswer;

constexpr size_t mostRecords = 10;

ToolAnswer failed(llvm::Error error, const char *next) {
  return {{{"error", llvm::toString(std::move(error))}, {"next", next}}, true};
}

ToolAnswer answerOf(llvm::Expected<Json> result, const char *next = "call 'kernels' to see what there is") {
  return result ? ToolAnswer{std::move(*result), false} : failed(result.takeError(), next);
}

Json text(const char *description, unsigned most = 400) {
  return {{"type", "string"}, {"description", description}, {"maxLength", most}};
}

Json schemaOf(Json properties, Json required) {
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"required", std::move(required)},
          {"additionalProperties", false}};
}

const char *const kernelHelp = "printed name of the kernel; may be left out where the file has one";

std::string kernelOf(const Json &arguments) {
  return arguments.value("kernel", std::string());
}

class Tools {
public:
  Tools(AgentView &view, SubmissionDoor &door) : view_(view), door_(door) {}

  std::vector<McpTool> make() {
    AgentView &view = view_;
    add("kernels", "Kernels", "The kernels of the file, and which of them may change.",
        schemaOf(Json::object(), Json::array()),
        [&view](const Json &, const IsCancelled &) { return answerOf(view.kernels()); });
    addReader("source", "Source", "The kernel's definition as it stands in the file.", &AgentView::source);
    addReader("facts", "Facts",
              "What analysis and ptxas know of a kernel: launches, counts, accesses, loops.",
              &AgentView::facts);
    addReader("findings", "Findings", "What costs time in a kernel and what would help, the surest first.",
              &AgentView::findings);
    addReader("feedback", "Feedback",
              "Which unit bounds a kernel on each shape, and what searches on devices found.",
              &AgentView::feedback);
    addReader("capabilities", "Capabilities",
              "Rewriters that propose something for a kernel, why others do not, and what may be claimed.",
              &AgentView::capabilities);
    addReader("constraints", "Constraints", "What a submission may change, and the form that it has.",
              &AgentView::constraints);
    addMemory();
    addWork();
    return std::move(tools_);
  }

private:
  using Call = std::function<ToolAnswer(const Json &, const IsCancelled &)>;

  void add(const char *name, const char *title, const char *description, Json schema, Call call,
           bool readOnly = true) {
    tools_.push_back({name, title, description, std::move(schema), readOnly, std::move(call)});
  }

  void addReader(const char *name, const char *title, const char *description,
                 llvm::Expected<Json> (AgentView::*read)(const std::string &)) {
    AgentView &view = view_;
    add(name, title, description, schemaOf({{"kernel", text(kernelHelp)}}, Json::array()),
        [&view, read](const Json &arguments, const IsCancelled &) {
          return answerOf((view.*read)(kernelOf(arguments)));
        });
  }

  void addMemory() {
    AgentView &view = view_;
    SubmissionDoor &door = door_;
    add("tried", "Tried", "What was tried on a kernel and what came of it, in at most 500 words.",
        schemaOf({{"kernel", text(kernelHelp)}}, Json::array()),
        [&view, &door](const Json &arguments, const IsCancelled &) {
          return answerOf(view.tried(door.ledger(), kernelOf(arguments)));
        });
    add("verdict", "Verdict", "What came of a submission; with 'full', all of its evidence.",
        schemaOf({{"id", text("of the submission", 16)}, {"full", {{"type", "boolean"}}}}, {"id"}),
        [&door](const Json &arguments, const IsCancelled &) {
          const std::string id = arguments["id"].get<std::string>();
          const Json *record = door.ledger().find(id);
          if (!record)
            return failed(llvm::createStringError("there is no submission '" + id + "'"),
                          "'tried' lists those of a kernel");
          return ToolAnswer{arguments.value("full", false) ? *record : briefRecord(*record), false};
        });
    add("search", "Search", "Submissions whose texts, reasons or verdicts hold all of the words.",
        schemaOf({{"words", text("words, separated by blanks")}}, {"words"}),
        [&door](const Json &arguments, const IsCancelled &) {
          Json list = Json::array();
          for (const Json *record :
               searchRecords(door.ledger(), arguments["words"].get<std::string>(), mostRecords))
            list.push_back(briefRecord(*record));
          llvm::Expected<std::vector<std::string>> known =
              door.searchKnowledge(arguments["words"].get<std::string>());
          if (!known)
            return failed(known.takeError(), "search again without the knowledge");
          return ToolAnswer{{{"found", std::move(list)},
                             {"knowledge", *known},
                             {"next", "'verdict' with 'full' shows all of one"}},
                            false};
        });
  }

  void addWork() {
    SubmissionDoor &door = door_;
    add(
        "measure", "Measure",
        "Puts what the tool itself proposes through the net; on a machine with a GPU it is timed, too.",
        schemaOf({{"kernel", text("printed name of the kernel")},
                  {"steps", text("as 'capabilities' names them, joined by ' + '")}},
                 {"kernel", "steps"}),
        [&door](const Json &arguments, const IsCancelled &isCancelled) {
          return brief(door.bench(kernelOf(arguments), arguments["steps"].get<std::string>(), isCancelled));
        },
        false);
    add(
        "submit", "Submit",
        "Judges a change of a kernel: a warpwright/submission/1 document, whose form 'constraints' shows. "
        "What "
        "was tried before is refused with its old verdict.",
        schemaOf(
            {{"submission", {{"type", "object"}, {"description", "a warpwright/submission/1 document"}}}},
            {"submission"}),
        [&door](const Json &arguments, const IsCancelled &isCancelled) {
          Json submission = arguments["submission"];
          // Who speaks through this door is no person, whatever the document says.
          if (submission.is_object() && (!submission.contains("author") || submission["author"].is_object()))
            submission["author"]["kind"] = "agent";
          return brief(door.submit(agents::dump(submission), isCancelled));
        },
        false);
    add(
        "write", "Write",
        "Writes an accepted change into the source, where the level 'write' is granted: it is while few "
        "submissions are refused or wrong.",
        schemaOf({{"id", text("of the submission", 16)}}, {"id"}),
        [&door](const Json &arguments, const IsCancelled &) {
          return write(door, arguments["id"].get<std::string>());
        },
        false);
  }

  static ToolAnswer brief(llvm::Expected<Json> record) {
    if (!record)
      return failed(record.takeError(), "'constraints' shows the form of a submission");
    return {briefRecord(*record), false};
  }

  static ToolAnswer write(SubmissionDoor &door, const std::string &id) {
    if (llvm::Error error = door.reread())
      return failed(std::move(error), "mend the memory, and write again");
    std::string whyNot;
    if (door.grantedLevel(whyNot) != agents::AgentLevel::Write)
      return failed(
          llvm::createStringError(
              whyNot.empty() ? "the level is '" + std::string(toString(door.policy().level)) + "'" : whyNot),
          "a person decides with warpwright review");
    const Json *found = door.ledger().find(id);
    if (!found || agents::textIn(*found, "verdict") != "accepted" || found->contains("review"))
      return failed(llvm::createStringError("'" + id + "' is no accepted submission that waits"),
                    "'tried' lists what was accepted");
    Json record = *found;
    if (llvm::Error error = writeChange(record))
      return failed(std::move(error), "submit the change again for the source as it is");
    record["review"] = {{"decision", "written"}, {"reason", "the level 'write' is granted"}, {"date", ""}};
    if (llvm::Error error = door.ledger().update(record))
      return failed(std::move(error), "the source is written; the memory is not");
    return {{{"written", agents::textIn(record, "file")}, {"next", "read the kernel's findings again"}},
            false};
  }

  AgentView &view_;
  SubmissionDoor &door_;
  std::vector<McpTool> tools_;
};

} // namespace

const char *const agentInstructions =
    "Warpwright judges changes of CUDA kernels. Read kernels, findings, capabilities, tried and constraints; "
    "then "
    "submit one change with its reasons, read the verdict, and go on from there. Every change passes the "
    "same net: "
    "compiler, facts, ptxas, a virtual device, and a GPU where there is one.";

std::vector<McpTool> agentTools(AgentView &view, SubmissionDoor &door) {
  return Tools(view, door).make();
}

} // namespace warpwright
