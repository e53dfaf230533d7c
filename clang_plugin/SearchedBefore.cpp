#include "clang_plugin/SearchedBefore.h"

#include "feedback/Bottleneck.h"
#include "feedback/loop/Memory.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FileSystem.h>

#include <map>

namespace warpwright {
namespace {

using loop::StoredOutcome;

std::map<std::string, std::vector<StoredOutcome>> byArchitecture(const std::vector<StoredOutcome> &outcomes) {
  std::map<std::string, std::vector<StoredOutcome>> found;
  for (const StoredOutcome &outcome : outcomes)
    found[outcome.architecture].push_back(outcome);
  return found;
}

} // namespace

llvm::Expected<std::vector<StoredOutcome>> searchedBefore(const std::string &store,
                                                          const std::string &kernelKey) {
  std::vector<StoredOutcome> found;
  if (store.empty() || !llvm::sys::fs::exists(store))
    return found;
  llvm::Expected<std::unique_ptr<loop::Store>> opened = loop::Store::open(store);
  if (!opened)
    return opened.takeError();
  llvm::Expected<std::vector<StoredOutcome>> outcomes = (*opened)->outcomesOn(kernelKey);
  if (!outcomes)
    return outcomes.takeError();
  std::map<std::pair<std::string, std::string>, size_t> places; // by architecture and identity
  for (StoredOutcome &outcome : *outcomes) {
    if (outcome.proposer == "agent" || outcome.proposer == "person")
      continue;
    auto [place, isNew] = places.try_emplace({outcome.architecture, outcome.identity}, found.size());
    if (isNew)
      found.push_back(std::move(outcome));
    else
      found[place->second] = std::move(outcome);
  }
  return found;
}

std::string searchSummary(const std::string &kernel, const std::vector<StoredOutcome> &outcomes,
                          size_t mostWords) {
  const auto architectures = byArchitecture(outcomes);
  std::string text;
  for (const auto &[architecture, measured] : architectures)
    text += loop::summarise(kernel, architecture, measured, mostWords / architectures.size());
  return text;
}

nlohmann::ordered_json searchFeedback(const std::vector<StoredOutcome> &outcomes) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto &[architecture, measured] : byArchitecture(outcomes)) {
    const StoredOutcome *best = nullptr, *last = nullptr;
    for (const StoredOutcome &outcome : measured) {
      if (outcome.isTimed() && (!best || outcome.ratio < best->ratio))
        best = &outcome;
      if (!outcome.bottleneck.empty() && (!last || outcome.id > last->id))
        last = &outcome;
    }
    nlohmann::ordered_json entry = {{"architecture", architecture}};
    if (best)
      entry["best"] = {{"name", best->name}, {"ratio", best->ratio}, {"worst_shape", best->worst}};
    if (last) {
      entry["bound_by"] = last->bottleneck;
      if (std::optional<Bottleneck> known = parseBottleneck(last->bottleneck))
        entry["meaning"] = meaningOf(*known);
    }
    list.push_back(std::move(entry));
  }
  return list;
}

} // namespace warpwright
