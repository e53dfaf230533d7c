#pragma once

#include <llvm/Support/Error.h>
#include <llvm/Support/raw_ostream.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

struct sqlite3;

namespace warpwright::loop {

/// What came of one candidate, as it is kept. Nothing that was tried ever leaves the store but by reset().
struct StoredOutcome {
  int64_t id = 0; ///< given by the store, in order
  int64_t session = 0;
  unsigned round = 0;
  std::string kernel;
  std::string architecture;
  std::string identity;  ///< LoopCandidate::identity()
  std::string mechanism; ///< checksum of its facts
  std::string name;      ///< for reports
  std::string structure;
  std::string proposer;   ///< role
  std::string strategy;   ///< arms that the attempt counts for, joined by ", "
  std::string bottleneck; ///< label of the version that it went on from
  std::string reason;     ///< why it was proposed
  std::string verdict;    ///< "accepted", "declined", "undecided"
  std::string stage;      ///< of the verdict
  std::string why;        ///< of the verdict
  std::string rule;       ///< that would have declined it unmeasured; empty: none
  std::string detail;     ///< LoopOutcome::detail
  double ratio = 0;       ///< over the original's time; 0: no times
  double worst = 0;
  double gain = 0; ///< logarithm of the time gone on from over its own; 0: none
  double seconds = 0;
  double compileSeconds = 0;

  /// Whether its times count: those of what is wrong are none.
  bool isTimed() const { return ratio > 0 && verdict != "declined"; }
};

/// What a search was made with: it goes on only under the same.
struct StoredSession {
  int64_t id = 0;
  std::string kernel;
  std::string architecture;
  std::string conditions; ///< source, flags, toolkit, device, protocol, as one text
  uint64_t seed = 0;
  int64_t learntUntil = 0; ///< the last outcome of earlier searches that its weights rest on
};

/// The knowledge: an SQLite database in WAL mode. Each outcome is committed before the next is asked for, so
/// that a killed process loses none. Full text search covers names, reasons and verdicts (FTS5).
class Store {
public:
  static constexpr int schemaVersion = 1;

  /// ":memory:" keeps nothing. Errors name the file; one of a later schema is refused.
  static llvm::Expected<std::unique_ptr<Store>> open(const std::string &path);
  ~Store();
  Store(const Store &) = delete;
  Store &operator=(const Store &) = delete;

  /// The last session under the same conditions that no choice was made of, where `resume` is set; else a new
  /// one. A search that had come to its end is one of them: begun anew it would know its own outcomes, and
  /// might end elsewhere.
  llvm::Expected<StoredSession> begin(StoredSession wanted, bool resume);
  /// Its search has come to its end.
  llvm::Error finish(int64_t session);

  /// Commits. `outcome.id` is given.
  llvm::Error add(StoredOutcome &outcome);
  llvm::Expected<std::vector<StoredOutcome>> outcomesOf(int64_t session);
  /// Of sessions other than this one, up to its learntUntil and behind the last reset.
  llvm::Expected<std::vector<StoredOutcome>> learntBefore(const StoredSession &session);
  /// Everything behind the last reset.
  llvm::Expected<std::vector<StoredOutcome>> all();
  /// Of every search of that kernel, however long ago.
  llvm::Expected<std::vector<StoredOutcome>> outcomesOn(const std::string &kernel);

  /// The best matches first. `words` are taken as words, never as a query language.
  llvm::Expected<std::vector<StoredOutcome>> search(const std::string &words, unsigned most);

  llvm::Error setSummary(const std::string &kernel, const std::string &architecture, const std::string &text);
  llvm::Expected<std::string> summary(const std::string &kernel, const std::string &architecture);

  /// What a device answered, by a key that holds all that the answer depends on: a search that goes on asks
  /// no device what is here. The last answer of a key counts.
  llvm::Error keepAnswer(const std::string &key, const std::string &answer);
  llvm::Expected<std::optional<std::string>> answer(const std::string &key);
  /// Choices were made and kept: of all searches that have ended nothing is left to resume, and what devices
  /// answered is only old.
  llvm::Error settle();
  /// A `warpwright/knowledge/1` document a line, an outcome each.
  llvm::Error exportLines(llvm::raw_ostream &stream);
  /// Adds outcomes that are not there yet, as a session of their own each kernel; the number added.
  llvm::Expected<unsigned> importLines(const std::string &text);
  /// What was learnt so far counts no more; what was tried stays searchable.
  llvm::Error resetWeights();

private:
  explicit Store(sqlite3 *database) : database_(database) {}
  llvm::Error execute(const char *sql);
  llvm::Error prepareSchema();
  llvm::Expected<std::vector<StoredOutcome>>
  select(const std::string &rest, const std::vector<std::string> &texts, const std::vector<int64_t> &numbers);
  llvm::Expected<int64_t> number(const char *sql);

  sqlite3 *database_;
};

} // namespace warpwright::loop
