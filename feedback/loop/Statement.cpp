#include "feedback/loop/Statement.h"

#include <sqlite3.h>

namespace warpwright::loop {

llvm::Error databaseError(sqlite3 *database) {
  return llvm::createStringError(std::string("knowledge: ") + sqlite3_errmsg(database));
}

Statement::Statement(sqlite3 *database, const std::string &sql) : database_(database) {
  sqlite3_prepare_v2(database, sql.c_str(), -1, &statement_, nullptr); // step() meets what is wrong with it
}

Statement::~Statement() {
  sqlite3_finalize(statement_);
}

Statement &Statement::bind(const std::string &text) {
  sqlite3_bind_text(statement_, ++bound_, text.c_str(), int(text.size()), SQLITE_TRANSIENT);
  return *this;
}

Statement &Statement::bind(int64_t number) {
  sqlite3_bind_int64(statement_, ++bound_, number);
  return *this;
}

Statement &Statement::bind(double number) {
  sqlite3_bind_double(statement_, ++bound_, number);
  return *this;
}

llvm::Expected<bool> Statement::step() {
  if (!statement_)
    return databaseError(database_);
  int result = sqlite3_step(statement_);
  if (result == SQLITE_ROW || result == SQLITE_DONE)
    return result == SQLITE_ROW;
  return databaseError(database_);
}

llvm::Error Statement::run() {
  return step().takeError();
}

std::string Statement::text(int column) {
  const unsigned char *text = sqlite3_column_text(statement_, column);
  return text ? reinterpret_cast<const char *>(text) : "";
}

int64_t Statement::number(int column) {
  return sqlite3_column_int64(statement_, column);
}

double Statement::real(int column) {
  return sqlite3_column_double(statement_, column);
}

} // namespace warpwright::loop
