#include "feedback/loop/Store.h"

#include "feedback/loop/Statement.h"
#include "feedback/loop/StoredJson.h"

#include <llvm/ADT/StringExtras.h>
#include <nlohmann/json.hpp>
#include <sqlite3.h>

namespace warpwright::loop {
namespace {

// A session is finished as 0: it is searched; 2: its search has ended; 1: a choice was made of it, or nobody
// knows, in a database of an earlier version.
const char *const schema = R"(
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS session (
  id INTEGER PRIMARY KEY, kernel TEXT NOT NULL, architecture TEXT NOT NULL, conditions TEXT NOT NULL,
  seed INTEGER NOT NULL, learnt_until INTEGER NOT NULL, finished INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS outcome (
  id INTEGER PRIMARY KEY, session INTEGER NOT NULL REFERENCES session(id), round INTEGER NOT NULL,
  kernel TEXT NOT NULL, architecture TEXT NOT NULL, identity TEXT NOT NULL, mechanism TEXT NOT NULL,
  name TEXT NOT NULL, structure TEXT NOT NULL, proposer TEXT NOT NULL, strategy TEXT NOT NULL,
  bottleneck TEXT NOT NULL, reason TEXT NOT NULL, verdict TEXT NOT NULL, stage TEXT NOT NULL, why TEXT NOT NULL,
  rule TEXT NOT NULL, detail TEXT NOT NULL, ratio REAL NOT NULL, worst REAL NOT NULL, gain REAL NOT NULL, seconds REAL NOT NULL,
  compile_seconds REAL NOT NULL, UNIQUE (session, identity));
CREATE TABLE IF NOT EXISTS summary (
  kernel TEXT NOT NULL, architecture TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (kernel, architecture));
CREATE TABLE IF NOT EXISTS answer (key TEXT PRIMARY KEY, text TEXT NOT NULL);
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (kernel, name, strategy, bottleneck, reason, verdict, why);
)";

const char *const columns =
    "outcome.id, session, round, outcome.kernel, architecture, identity, mechanism, outcome.name, "
    "structure, proposer, outcome.strategy, outcome.bottleneck, outcome.reason, outcome.verdict, "
    "stage, outcome.why, rule, detail, ratio, worst, gain, seconds, compile_seconds";

StoredOutcome readOutcome(Statement &row) {
  StoredOutcome outcome;
  outcome.id = row.number(0);
  outcome.session = row.number(1);
  outcome.round = unsigned(row.number(2));
  int column = 3;
  for (std::string *text : textsOf(outcome))
    *text = row.text(column++);
  for (double *number : numbersOf(outcome))
    *number = row.real(column++);
  return outcome;
}

} // namespace

llvm::Expected<std::unique_ptr<Store>> Store::open(const std::string &path) {
  sqlite3 *database = nullptr;
  int result = sqlite3_open(path.c_str(), &database);
  std::unique_ptr<Store> store(new Store(database));
  if (result != SQLITE_OK)
    return llvm::createStringError("cannot open the knowledge '" + path + "': " + sqlite3_errmsg(database));
  sqlite3_busy_timeout(database, 10000); // another tune of the same build
  if (llvm::Error error = store->prepareSchema())
    return llvm::createStringError("'" + path + "': " + llvm::toString(std::move(error)));
  return store;
}

Store::~Store() {
  sqlite3_close(database_);
}

llvm::Error Store::execute(const char *sql) {
  return sqlite3_exec(database_, sql, nullptr, nullptr, nullptr) == SQLITE_OK ? llvm::Error::success()
                                                                              : databaseError(database_);
}

llvm::Error Store::prepareSchema() {
  if (llvm::Error error = execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"))
    return error;
  llvm::Expected<int64_t> version = number("PRAGMA user_version");
  if (!version)
    return version.takeError();
  if (*version > schemaVersion)
    return llvm::createStringError("the knowledge has schema " + std::to_string(*version) +
                                   ", this program knows " + std::to_string(schemaVersion));
  if (llvm::Error error = execute(schema))
    return error;
  return execute(("PRAGMA user_version = " + std::to_string(schemaVersion)).c_str());
}

llvm::Expected<int64_t> Store::number(const char *sql) {
  Statement query(database_, sql);
  llvm::Expected<bool> row = query.step();
  if (!row)
    return row.takeError();
  return *row ? query.number(0) : 0;
}

llvm::Expected<StoredSession> Store::begin(StoredSession wanted, bool resume) {
  if (resume) {
    Statement known(database_,
                    "SELECT id, seed, learnt_until FROM session WHERE kernel = ? AND architecture = ? AND "
                    "conditions = ? AND finished <> 1 ORDER BY id DESC LIMIT 1");
    known.bind(wanted.kernel).bind(wanted.architecture).bind(wanted.conditions);
    llvm::Expected<bool> row = known.step();
    if (!row)
      return row.takeError();
    if (*row) {
      wanted.id = known.number(0);
      wanted.seed = uint64_t(known.number(1));
      wanted.learntUntil = known.number(2);
      return wanted;
    }
  }
  llvm::Expected<int64_t> last = number("SELECT max(id) FROM outcome");
  if (!last)
    return last.takeError();
  wanted.learntUntil = *last;
  Statement insert(
      database_,
      "INSERT INTO session (kernel, architecture, conditions, seed, learnt_until) VALUES (?, ?, ?, ?, ?)");
  insert.bind(wanted.kernel).bind(wanted.architecture).bind(wanted.conditions).bind(int64_t(wanted.seed));
  if (llvm::Error error = insert.bind(wanted.learntUntil).run())
    return std::move(error);
  wanted.id = sqlite3_last_insert_rowid(database_);
  return wanted;
}

llvm::Error Store::finish(int64_t session) {
  return Statement(database_, "UPDATE session SET finished = 2 WHERE id = ?").bind(session).run();
}

llvm::Error Store::add(StoredOutcome &outcome) {
  if (llvm::Error error = execute("BEGIN IMMEDIATE"))
    return error;
  auto insert = [&]() -> llvm::Error {
    Statement row(database_,
                  "INSERT INTO outcome VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
                  "?, ?, ?, ?)");
    row.bind(outcome.session).bind(int64_t(outcome.round));
    for (std::string *text : textsOf(outcome))
      row.bind(*text);
    for (double *value : numbersOf(outcome))
      row.bind(*value);
    if (llvm::Error error = row.run())
      return error;
    outcome.id = sqlite3_last_insert_rowid(database_);
    Statement words(database_,
                    "INSERT INTO words (rowid, kernel, name, strategy, bottleneck, reason, verdict, why) "
                    "VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
    words.bind(outcome.id)
        .bind(outcome.kernel)
        .bind(outcome.name)
        .bind(outcome.strategy)
        .bind(outcome.bottleneck);
    return words.bind(outcome.reason).bind(outcome.verdict).bind(outcome.why).run();
  };
  if (llvm::Error error = insert()) {
    llvm::consumeError(execute("ROLLBACK"));
    return error;
  }
  return execute("COMMIT");
}

llvm::Expected<std::vector<StoredOutcome>> Store::select(const std::string &rest,
                                                         const std::vector<std::string> &texts,
                                                         const std::vector<int64_t> &numbers) {
  Statement query(database_, std::string("SELECT ") + columns + " FROM outcome " + rest);
  for (const std::string &text : texts)
    query.bind(text);
  for (int64_t value : numbers)
    query.bind(value);
  std::vector<StoredOutcome> found;
  while (true) {
    llvm::Expected<bool> row = query.step();
    if (!row)
      return row.takeError();
    if (!*row)
      return found;
    found.push_back(readOutcome(query));
  }
}

llvm::Expected<std::vector<StoredOutcome>> Store::outcomesOf(int64_t session) {
  return select("WHERE session = ? ORDER BY outcome.id", {}, {session});
}

llvm::Expected<std::vector<StoredOutcome>> Store::learntBefore(const StoredSession &session) {
  return select(
      "WHERE session != ? AND outcome.id <= ? AND outcome.id > coalesce((SELECT value FROM meta WHERE key = "
      "'weights since'), 0) ORDER BY outcome.id",
      {}, {session.id, session.learntUntil});
}

llvm::Expected<std::vector<StoredOutcome>> Store::all() {
  return select("WHERE outcome.id > coalesce((SELECT value FROM meta WHERE key = 'weights since'), 0) "
                "ORDER BY outcome.id",
                {}, {});
}

llvm::Expected<std::vector<StoredOutcome>> Store::outcomesOn(const std::string &kernel) {
  return select("WHERE outcome.kernel = ? ORDER BY outcome.id", {kernel}, {});
}

llvm::Expected<std::vector<StoredOutcome>> Store::search(const std::string &words, unsigned most) {
  std::string query;
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::SplitString(words, parts);
  for (llvm::StringRef part : parts) {
    std::string quoted;
    for (char c : part)
      quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    query += (query.empty() ? "\"" : " \"") + quoted + "\"";
  }
  if (query.empty())
    return std::vector<StoredOutcome>();
  return select("JOIN words ON words.rowid = outcome.id WHERE words MATCH ? ORDER BY rank LIMIT ?", {query},
                {most});
}

llvm::Error Store::setSummary(const std::string &kernel, const std::string &architecture,
                              const std::string &text) {
  return Statement(database_, "INSERT OR REPLACE INTO summary VALUES (?, ?, ?)")
      .bind(kernel)
      .bind(architecture)
      .bind(text)
      .run();
}

llvm::Expected<std::string> Store::summary(const std::string &kernel, const std::string &architecture) {
  Statement query(database_, "SELECT text FROM summary WHERE kernel = ? AND architecture = ?");
  query.bind(kernel).bind(architecture);
  llvm::Expected<bool> row = query.step();
  if (!row)
    return row.takeError();
  return *row ? query.text(0) : std::string();
}

llvm::Error Store::keepAnswer(const std::string &key, const std::string &answer) {
  return Statement(database_, "INSERT OR REPLACE INTO answer VALUES (?, ?)").bind(key).bind(answer).run();
}

llvm::Expected<std::optional<std::string>> Store::answer(const std::string &key) {
  Statement query(database_, "SELECT text FROM answer WHERE key = ?");
  llvm::Expected<bool> row = query.bind(key).step();
  if (!row)
    return row.takeError();
  return *row ? std::optional(query.text(0)) : std::nullopt;
}

llvm::Error Store::settle() {
  // In this order: cut short in between, what has ended can still be resumed.
  return execute("DELETE FROM answer; UPDATE session SET finished = 1 WHERE finished = 2");
}

llvm::Error Store::exportLines(llvm::raw_ostream &stream) {
  llvm::Expected<std::vector<StoredOutcome>> outcomes = select("ORDER BY outcome.id", {}, {});
  if (!outcomes)
    return outcomes.takeError();
  for (const StoredOutcome &outcome : *outcomes)
    stream << toJson(outcome).dump() << '\n';
  return llvm::Error::success();
}

llvm::Expected<unsigned> Store::importLines(const std::string &text) {
  llvm::Expected<std::vector<StoredOutcome>> read = readLines(text);
  if (!read)
    return read.takeError();
  unsigned added = 0;
  std::map<std::tuple<std::string, std::string, int64_t>, int64_t> sessions;
  for (StoredOutcome &outcome : *read) {
    // The same search, imported twice, is the same session.
    auto [place, isNew] = sessions.try_emplace({outcome.kernel, outcome.architecture, outcome.session}, 0);
    if (isNew) {
      llvm::Expected<StoredSession> session = begin(
          {0, outcome.kernel, outcome.architecture, "imported " + std::to_string(outcome.session), 0, 0},
          true);
      if (!session)
        return session.takeError();
      place->second = session->id;
    }
    outcome.session = place->second;
    Statement known(database_, "SELECT 1 FROM outcome WHERE session = ? AND identity = ?");
    llvm::Expected<bool> isKnown = known.bind(outcome.session).bind(outcome.identity).step();
    if (!isKnown)
      return isKnown.takeError();
    if (*isKnown)
      continue;
    if (llvm::Error error = add(outcome))
      return std::move(error);
    ++added;
  }
  return added;
}

llvm::Error Store::resetWeights() {
  return execute("INSERT OR REPLACE INTO meta SELECT 'weights since', coalesce(max(id), 0) FROM outcome");
}

} // namespace warpwright::loop
