#pragma once

#include <llvm/Support/Error.h>

#include <cstdint>
#include <string>

struct sqlite3;
struct sqlite3_stmt;

namespace warpwright::loop {

/// One SQL statement; values are bound in order, never pasted into the text.
class Statement {
public:
  Statement(sqlite3 *database, const std::string &sql);
  ~Statement();
  Statement(const Statement &) = delete;
  Statement &operator=(const Statement &) = delete;

  Statement &bind(const std::string &text);
  Statement &bind(int64_t number);
  Statement &bind(double number);
  /// Whether there is another row. An error names what SQLite says.
  llvm::Expected<bool> step();
  llvm::Error run();
  std::string text(int column);
  int64_t number(int column);
  double real(int column);

private:
  sqlite3 *database_;
  sqlite3_stmt *statement_ = nullptr;
  int bound_ = 0;
};

llvm::Error databaseError(sqlite3 *database);

} // namespace warpwright::loop
