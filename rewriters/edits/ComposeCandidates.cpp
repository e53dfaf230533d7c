#include "rewriters/edits/ComposeCandidates.h"

#include "rewriters/edits/ApplyEdits.h"

#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

/// Bytes that an edit took and made.
struct Span {
  size_t begin0, end0; ///< in the original
  size_t begin1, end1; ///< in the outcome of the first step
};

std::vector<Span> spansOf(llvm::ArrayRef<Edit> sorted) {
  std::vector<Span> spans;
  size_t shift = 0; // modulo 2^64, so that it may be negative
  for (const Edit &edit : sorted) {
    size_t begin = edit.offset + shift;
    spans.push_back({edit.offset, size_t(edit.offset) + edit.length, begin, begin + edit.text.size()});
    shift += edit.text.size() - edit.length;
  }
  return spans;
}

/// The place in the original of one in the outcome that no edit of the first step made.
size_t placeBefore(llvm::ArrayRef<Span> spans, size_t place) {
  size_t shift = 0;
  for (const Span &span : spans)
    if (span.end1 <= place)
      shift = span.end1 - span.end0;
  return place - shift;
}

/// What becomes one edit.
struct Group {
  size_t begin, end; ///< in the outcome of the first step
  std::vector<size_t> first, second;

  bool touches(size_t otherBegin, size_t otherEnd) const { return otherBegin <= end && begin <= otherEnd; }
  void widen(size_t otherBegin, size_t otherEnd) {
    begin = std::min(begin, otherBegin);
    end = std::max(end, otherEnd);
  }
};

/// Joins what touches until nothing does.
std::vector<Group> groupsOf(llvm::ArrayRef<Span> spans, llvm::ArrayRef<Edit> second) {
  std::vector<Group> groups;
  for (size_t i = 0; i < second.size(); ++i)
    groups.push_back({second[i].offset, size_t(second[i].offset) + second[i].length, {}, {i}});
  for (bool changed = true; changed;) {
    changed = false;
    for (Group &group : groups)
      for (size_t i = 0; i < spans.size(); ++i)
        if (!llvm::is_contained(group.first, i) && group.touches(spans[i].begin1, spans[i].end1)) {
          group.widen(spans[i].begin1, spans[i].end1);
          group.first.push_back(i);
          changed = true;
        }
    for (size_t i = 0; i < groups.size(); ++i)
      for (size_t j = i + 1; j < groups.size(); ++j)
        if (groups[i].touches(groups[j].begin, groups[j].end)) {
          groups[i].widen(groups[j].begin, groups[j].end);
          for (size_t one : groups[j].first)
            if (!llvm::is_contained(groups[i].first, one))
              groups[i].first.push_back(one);
          llvm::append_range(groups[i].second, groups[j].second);
          groups.erase(groups.begin() + j--);
          changed = true;
        }
  }
  return groups;
}

void join(std::string &text, const std::string &more, llvm::StringRef separator) {
  if (!more.empty() && !llvm::StringRef(text).contains(more))
    text += (text.empty() ? "" : separator.str()) + more;
}

void takeWords(const Edit &from, Edit &to) {
  join(to.reason, from.reason, "; ");
  join(to.expectedGain, from.expectedGain, "; ");
  if (to.risk.empty() || to.risk == "none")
    to.risk = from.risk;
  else if (from.risk != "none")
    join(to.risk, from.risk, "; ");
}

std::vector<Edit> sorted(llvm::ArrayRef<Edit> edits) {
  std::vector<Edit> ordered(edits.begin(), edits.end());
  llvm::sort(ordered, [](const Edit &left, const Edit &right) { return left.offset < right.offset; });
  return ordered;
}

Edit moved(Edit edit, int64_t by) {
  edit.offset = static_cast<unsigned>(edit.offset + by);
  return edit;
}

std::vector<Edit> moved(llvm::ArrayRef<Edit> edits, int64_t by) {
  std::vector<Edit> result;
  for (const Edit &edit : edits)
    result.push_back(moved(edit, by));
  return result;
}

/// Edits of the first step, and where those that make a copy what it is begin.
struct Parts {
  std::vector<Edit> edits;
  size_t identity;
};
Parts partsOf(const Candidate &candidate) {
  Parts parts{candidate.edits, candidate.edits.size()};
  if (candidate.clone)
    llvm::append_range(parts.edits, candidate.clone->identity);
  return parts;
}

/// Sorts composed edits into those that can be reverted and those that make the copy what it is.
void distribute(std::vector<ComposedEdit> composed, const Parts &first, const Parts &second, int64_t by,
                Candidate &result) {
  for (ComposedEdit &one : composed) {
    auto isIdentity = [](llvm::ArrayRef<size_t> positions, const Parts &parts) {
      return llvm::any_of(positions, [&](size_t i) { return i >= parts.identity; });
    };
    bool belongsToCopy = isIdentity(one.first, first) || isIdentity(one.second, second);
    (belongsToCopy ? result.clone->identity : result.edits).push_back(moved(std::move(one.edit), by));
  }
}

/// Both steps change the copy that the first one made.
llvm::Error composeInCopy(llvm::StringRef original, const Candidate &first, const Candidate &second,
                          Candidate &result) {
  llvm::Expected<std::string> outcome = applyCandidates(original, {&first});
  if (!outcome)
    return outcome.takeError();
  Parts one = partsOf(first);
  int64_t begin = first.clone->begin;
  std::vector<Edit> inside = moved(one.edits, -begin);
  llvm::Expected<std::string> copy = applyEdits(original.slice(first.clone->begin, first.clone->end), inside);
  if (!copy)
    return copy.takeError();
  size_t at = outcome->find(first.name() + ".\n" + *copy);
  if (at == std::string::npos)
    return llvm::createStringError("the copy is not found in its file");
  at += first.name().size() + 2;
  Parts two = partsOf(second);
  for (const Edit &edit : two.edits)
    if (edit.offset < at || edit.offset + edit.length > at + copy->size())
      return llvm::createStringError("'" + second.RewriteStep::name() + "' reaches beyond the copy");
  llvm::Expected<std::vector<ComposedEdit>> composed = composeEdits(
      original.slice(first.clone->begin, first.clone->end), inside, moved(two.edits, -int64_t(at)));
  if (!composed)
    return composed.takeError();
  result.clone = first.clone;
  result.clone->identity.clear();
  distribute(std::move(*composed), one, two, begin, result);
  if (!second.clone)
    return llvm::Error::success();
  llvm::Expected<std::vector<Edit>> file = fileEdits(original, {&first});
  if (!file)
    return file.takeError();
  llvm::Expected<std::vector<ComposedEdit>> redirects =
      composeEdits(original, *file, second.clone->redirects);
  if (!redirects)
    return redirects.takeError();
  result.clone->redirects.clear();
  for (ComposedEdit &redirect : *redirects)
    if (redirect.edit.offset != first.clone->at || redirect.edit.length != 0)
      result.clone->redirects.push_back(std::move(redirect.edit));
  return llvm::Error::success();
}

/// The first step changes the kernel in place; the second may copy it.
llvm::Error composeInPlace(llvm::StringRef original, const Candidate &first, const Candidate &second,
                           Candidate &result) {
  Parts one = partsOf(first), two = partsOf(second);
  std::vector<Edit> before = sorted(one.edits);
  one.edits = before;
  llvm::Expected<std::vector<ComposedEdit>> composed = composeEdits(original, before, two.edits);
  if (!composed)
    return composed.takeError();
  if (second.clone) {
    std::vector<Span> spans = spansOf(before);
    result.clone = second.clone;
    result.clone->identity.clear();
    for (unsigned *place : {&result.clone->begin, &result.clone->end, &result.clone->at})
      *place = static_cast<unsigned>(placeBefore(spans, *place));
    llvm::Expected<std::vector<ComposedEdit>> redirects =
        composeEdits(original, before, second.clone->redirects);
    if (!redirects)
      return redirects.takeError();
    result.clone->redirects.clear();
    for (ComposedEdit &redirect : *redirects)
      if (!redirect.second.empty())
        result.clone->redirects.push_back(std::move(redirect.edit));
  }
  distribute(std::move(*composed), one, two, 0, result);
  return llvm::Error::success();
}

} // namespace

llvm::Expected<std::vector<ComposedEdit>> composeEdits(llvm::StringRef original, llvm::ArrayRef<Edit> first,
                                                       llvm::ArrayRef<Edit> second) {
  llvm::Expected<std::string> outcome = applyEdits(original, first);
  if (!outcome)
    return outcome.takeError();
  // Positions are those of the caller, spans those of the text.
  std::vector<size_t> order(first.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  llvm::sort(order, [&](size_t left, size_t right) { return first[left].offset < first[right].offset; });
  std::vector<Edit> ordered = sorted(first);
  std::vector<Span> spans = spansOf(ordered);
  std::vector<ComposedEdit> result;
  std::vector<bool> joined(first.size());
  for (const Group &group : groupsOf(spans, second)) {
    ComposedEdit composed;
    size_t begin0 = placeBefore(spans, group.begin), end0 = placeBefore(spans, group.end);
    std::vector<Edit> inside;
    composed.edit = second[group.second.front()];
    for (size_t i : group.first) {
      joined[i] = true;
      composed.first.push_back(order[i]);
      if (spans[i].begin1 <= group.begin)
        begin0 = spans[i].begin0;
      if (spans[i].end1 >= group.end)
        end0 = spans[i].end0;
      takeWords(ordered[i], composed.edit);
    }
    for (size_t i : group.second) {
      composed.second.push_back(i);
      inside.push_back(moved(second[i], -int64_t(group.begin)));
      takeWords(second[i], composed.edit);
    }
    llvm::Expected<std::string> text =
        applyEdits(llvm::StringRef(*outcome).slice(group.begin, group.end), inside);
    if (!text)
      return text.takeError();
    composed.edit.offset = static_cast<unsigned>(begin0);
    composed.edit.length = static_cast<unsigned>(end0 - begin0);
    composed.edit.text = std::move(*text);
    result.push_back(std::move(composed));
  }
  for (size_t i = 0; i < ordered.size(); ++i)
    if (!joined[i])
      result.push_back({ordered[i], {order[i]}, {}});
  llvm::sort(result, [](const ComposedEdit &left, const ComposedEdit &right) {
    return left.edit.offset < right.edit.offset;
  });
  return result;
}

llvm::Expected<Candidate> composeCandidates(llvm::StringRef original, const Candidate &first,
                                            const Candidate &second) {
  Candidate result;
  static_cast<RewriteStep &>(result) = second;
  result.earlier = first.earlier;
  result.earlier.push_back(first);
  result.kernelKey = first.kernelKey;
  result.claims = second.claims;
  result.assumptions = first.assumptions;
  for (const std::string &assumption : second.assumptions)
    if (!llvm::is_contained(result.assumptions, assumption))
      result.assumptions.push_back(assumption);
  llvm::Error error = first.clone ? composeInCopy(original, first, second, result)
                                  : composeInPlace(original, first, second, result);
  if (error)
    return std::move(error);
  result.plan = second.plan ? second.plan : first.plan;
  if (result.plan && first.plan)
    result.plan->kernel = first.plan->kernel;
  return result;
}

} // namespace warpwright
