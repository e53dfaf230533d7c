#include "feedback/Lock.h"

#include "feedback/Document.h"
#include "feedback/LockJson.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

#include <tuple>

namespace warpwright {
namespace {

auto keyOf(const LockEntry &entry) {
  return std::tie(entry.file, entry.kernel, entry.architecture);
}

/// "'a, b' then and 'a, c' now"
std::string change(llvm::StringRef before, llvm::StringRef now) {
  return ("'" + before + "' then and '" + now + "' now").str();
}

} // namespace

std::string LockEntry::title() const {
  return kernel + " on " + architecture;
}

std::string LockedChange::name() const {
  std::string name;
  for (const LockedStep &step : steps) {
    name += (name.empty() ? "" : " + ") + step.rewriter;
    for (const auto &[parameter, value] : step.parameters)
      name += " " + parameter + "=" + std::to_string(value);
  }
  return name;
}

llvm::Expected<Lock> Lock::read(llvm::StringRef path) {
  llvm::Expected<nlohmann::ordered_json> document = readDocument(path, "warpwright/lock/1");
  if (!document)
    return document.takeError();
  auto entries = document->find("entries");
  if (entries == document->end() || !entries->is_array())
    return llvm::createStringError("'" + path +
                                   "' is no warpwright/lock/1 document: it has no array \"entries\"");
  Lock lock;
  for (const nlohmann::ordered_json &value : *entries) {
    llvm::Expected<LockEntry> entry =
        readLockEntry(value, "entries[" + std::to_string(lock.entries_.size()) + "]");
    if (!entry)
      return llvm::createStringError(
          "'" + path + "' is no warpwright/lock/1 document: " + llvm::toString(entry.takeError()));
    if (lock.find(entry->file, entry->kernel, entry->architecture))
      return llvm::createStringError("'" + path + "' has two entries for " + entry->title());
    lock.entries_.push_back(std::move(*entry));
  }
  return lock;
}

llvm::Expected<Lock> Lock::readOrEmpty(llvm::StringRef path) {
  return llvm::sys::fs::exists(path) ? read(path) : llvm::Expected<Lock>(Lock());
}

const LockEntry *Lock::find(llvm::StringRef file, llvm::StringRef kernel,
                            llvm::StringRef architecture) const {
  auto found = llvm::find_if(entries_, [&](const LockEntry &entry) {
    return entry.file == file && entry.kernel == kernel && entry.architecture == architecture;
  });
  return found == entries_.end() ? nullptr : &*found;
}

void Lock::update(LockEntry entry) {
  llvm::erase_if(entries_, [&](const LockEntry &known) { return keyOf(known) == keyOf(entry); });
  auto place = llvm::find_if(entries_, [&](const LockEntry &known) { return keyOf(entry) < keyOf(known); });
  entries_.insert(place, std::move(entry));
}

std::string Lock::text() const {
  nlohmann::ordered_json document = {{"schema", "warpwright/lock/1"},
                                     {"entries", nlohmann::ordered_json::array()}};
  for (const LockEntry &entry : entries_)
    document["entries"].push_back(sealed(entry));
  return document.dump(1) + "\n";
}

std::optional<std::string> whyStale(const LockEntry &entry, const LockConditions &conditions) {
  auto join = [](const std::vector<std::string> &words) { return llvm::join(words, ", "); };
  if (!entry.isIntact)
    return "it is not as it was written; its checksum does not fit";
  if (entry.tokens != conditions.tokens)
    return "the kernel, or something that it uses, has changed since";
  if (entry.shapes != conditions.shapes)
    return "its shapes were " + change(join(entry.shapes), join(conditions.shapes));
  if (entry.flags != conditions.flags)
    return "nvcc's flags were " + change(join(entry.flags), join(conditions.flags));
  if (entry.toolkit != conditions.toolkit)
    return "the toolkit was " + change(entry.toolkit, conditions.toolkit);
  if (entry.protocol != conditions.protocol)
    return "the protocol of measuring was " + change(entry.protocol, conditions.protocol);
  if (conditions.device && entry.device != *conditions.device)
    return "the device was " + change(entry.device, *conditions.device);
  if (conditions.driver && entry.driver != *conditions.driver)
    return "the driver was " + change(entry.driver, *conditions.driver);
  return std::nullopt;
}

std::string pathFrom(llvm::StringRef from, llvm::StringRef file) {
  llvm::SmallString<256> folder(from), path(file);
  llvm::sys::path::remove_filename(folder);
  for (llvm::SmallString<256> *one : {&folder, &path}) {
    llvm::sys::fs::make_absolute(*one);
    llvm::sys::path::remove_dots(*one, /*remove_dot_dot=*/true);
  }
  auto a = llvm::sys::path::begin(folder), endA = llvm::sys::path::end(folder);
  auto b = llvm::sys::path::begin(path), endB = llvm::sys::path::end(path);
  while (a != endA && b != endB && *a == *b)
    ++a, ++b;
  std::string result;
  for (; a != endA; ++a)
    if (!a->empty() && *a != ".")
      result += "../";
  for (bool first = true; b != endB; ++b, first = false)
    result += (first ? "" : "/") + b->str();
  return result;
}

} // namespace warpwright
