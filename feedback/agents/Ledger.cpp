#include "feedback/agents/Ledger.h"

#include "feedback/Document.h"
#include "feedback/agents/Submission.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/FormatVariadic.h>
#include <llvm/Support/Path.h>

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace warpwright::agents {
namespace {

using Json = nlohmann::ordered_json;

constexpr llvm::StringLiteral schema = "warpwright/submission-record/1";

std::string pathOf(llvm::StringRef folder, llvm::StringRef id) {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, "submission-" + id + ".json");
  return std::string(path);
}

llvm::Error systemError(const std::string &what) {
  return llvm::createStringError(std::error_code(errno, std::generic_category()), what);
}

/// Beside its place, then moved there by `publish`, a call of the system: nobody reads half a record. False:
/// the place is taken, and `publish` takes none that is.
llvm::Expected<bool> writeWhole(const std::string &path, const std::string &text,
                                int (*publish)(const char *from, const char *to)) {
  std::string temporary = path + ".temporary-" + std::to_string(::getpid());
  int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0)
    return systemError("cannot write '" + temporary + "'");
  size_t done = 0;
  while (done < text.size()) {
    ssize_t written = ::write(file, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      break;
    done += static_cast<size_t>(written);
  }
  bool failed = done < text.size() || ::fsync(file) != 0;
  failed |= ::close(file) != 0;
  failed = failed || publish(temporary.c_str(), path.c_str()) != 0;
  const int code = errno;
  ::unlink(temporary.c_str());
  if (!failed)
    return true;
  if (code == EEXIST)
    return false;
  errno = code;
  return systemError("cannot write '" + path + "'");
}

const Json *member(const Json &object, llvm::StringRef key) {
  if (!object.is_object())
    return nullptr;
  auto found = object.find(key.str());
  return found == object.end() ? nullptr : &*found;
}

/// How the candidate is the one that is looked for; empty: it is another.
llvm::StringRef sameness(const Json &candidate, const RecallKey &key) {
  const Json *identity = member(candidate, "identity");
  if (!identity)
    return {};
  auto same = [&](llvm::StringRef name, const std::string &wanted) {
    return !wanted.empty() && textIn(*identity, name) == wanted;
  };
  if (same("text", key.text))
    return "text";
  if (same("source", key.program.source))
    return "source";
  if (same("code", key.program.code))
    return "code";
  return {};
}

bool isRemembered(const Json &candidate, const Json &record, const RecallKey &key) {
  const std::string stage = textIn(candidate, "stage");
  if (stage == "interrupted" || stage == "repeat")
    return false;
  return stage != "claims" || textIn(record, "claims") == key.claims;
}

} // namespace

std::string textIn(const Json &record, llvm::StringRef key) {
  const Json *value = member(record, key);
  return value && value->is_string() ? value->get<std::string>() : std::string();
}

llvm::Expected<Ledger> Ledger::open(llvm::StringRef folder) {
  Ledger ledger;
  ledger.folder_ = folder.str();
  std::vector<std::string> paths;
  std::error_code code;
  for (llvm::sys::fs::directory_iterator entry(folder, code), end; entry != end && !code;
       entry.increment(code)) {
    llvm::StringRef name = llvm::sys::path::filename(entry->path());
    if (name.starts_with("submission-") && name.ends_with(".json"))
      paths.push_back(entry->path());
  }
  if (code && code != std::errc::no_such_file_or_directory)
    return llvm::createStringError(code, "cannot read the folder '" + folder + "'");
  llvm::sort(paths, [](const std::string &left, const std::string &right) {
    return std::pair(left.size(), left) < std::pair(right.size(), right);
  });
  for (const std::string &path : paths) {
    llvm::Expected<Json> record = readDocument(path, schema);
    if (!record)
      return record.takeError();
    ledger.records_.push_back(std::move(*record));
  }
  return ledger;
}

const Json *Ledger::find(llvm::StringRef id) const {
  auto found = llvm::find_if(records_, [&](const Json &record) { return textIn(record, "id") == id; });
  return found == records_.end() ? nullptr : &*found;
}

std::optional<Recalled> Ledger::recall(const RecallKey &key) const {
  for (const Json &record : records_) {
    if (textIn(record, "kernel") != key.kernel || textIn(record, "original") != key.original ||
        textIn(record, "conditions") != key.conditions)
      continue;
    const Json *candidates = member(record, "candidates");
    if (!candidates || !candidates->is_array())
      continue;
    for (const Json &candidate : *candidates) {
      llvm::StringRef by = sameness(candidate, key);
      if (by.empty() || !isRemembered(candidate, record, key))
        continue;
      Recalled recalled{textIn(record, "id"), textIn(candidate, "verdict"), textIn(candidate, "stage"),
                        textIn(candidate, "reason"), by.str()};
      if (const Json *review = member(record, "review");
          review && textIn(*review, "decision") == "rejected") {
        recalled.verdict = "rejected";
        recalled.stage = "review";
        recalled.reason = textIn(*review, "reason");
      }
      return recalled;
    }
  }
  return std::nullopt;
}

llvm::Expected<std::string> Ledger::add(Json record) {
  if (std::error_code code = llvm::sys::fs::create_directories(folder_))
    return llvm::createStringError(code, "cannot make the folder '" + folder_ + "'");
  unsigned number = 0;
  if (!records_.empty())
    llvm::StringRef(textIn(records_.back(), "id")).getAsInteger(10, number);
  for (unsigned attempt = 0; attempt < 10000; ++attempt) {
    std::string id = llvm::formatv("{0,0+4}", ++number).str();
    record["id"] = id;
    llvm::Expected<bool> isOurs = writeWhole(pathOf(folder_, id), dump(record, 2) + "\n", &::link);
    if (!isOurs)
      return isOurs.takeError();
    if (!*isOurs)
      continue;
    records_.push_back(std::move(record));
    return id;
  }
  return llvm::createStringError("no number is free in '" + folder_ + "'");
}

llvm::Error Ledger::update(const Json &record) {
  const std::string id = textIn(record, "id");
  auto found = llvm::find_if(records_, [&](const Json &known) { return textIn(known, "id") == id; });
  if (found == records_.end())
    return llvm::createStringError("there is no submission '" + id + "'");
  llvm::Expected<bool> isWritten = writeWhole(pathOf(folder_, id), dump(record, 2) + "\n", &::rename);
  if (!isWritten)
    return isWritten.takeError();
  *found = record;
  return llvm::Error::success();
}

Ledger::Share Ledger::wrongShare(unsigned most) const {
  Share share;
  for (const Json &record : llvm::reverse(records_)) {
    const Json *submission = member(record, "submission");
    const Json *author = submission ? member(*submission, "author") : nullptr;
    if (author && textIn(*author, "kind") == "person")
      continue;
    if (share.judged == most)
      break;
    ++share.judged;
    const Json *review = member(record, "review");
    const bool isRejected = review && textIn(*review, "decision") == "rejected";
    const std::string verdict = textIn(record, "verdict");
    share.wrong += isRejected || verdict == "declined" || verdict == "refused";
  }
  return share;
}

} // namespace warpwright::agents
