#pragma once

#include "analysis/annotation/Annotation.h"

namespace warpwright {

// One reader for each ArgumentShape. The cursor covers what stands between a clause's parentheses and nothing
// else; a reader consumes all of it or fails with an AnnotationError at the token that is wrong. Readers of
// one value leave the range of the whole clause to the caller.

llvm::Expected<ExtentsClause> readExtents(TokenCursor &cursor);
llvm::Expected<ValueClause> readValue(TokenCursor &cursor);
llvm::Expected<MaxRegistersClause> readMaxRegisters(TokenCursor &cursor);
llvm::Expected<ShapeClause> readBindings(TokenCursor &cursor);
llvm::Expected<std::vector<BufferClause>> readBuffers(TokenCursor &cursor, BufferDirection direction);
llvm::Expected<InitClause> readInitialisation(TokenCursor &cursor);
llvm::Expected<AlignedClause> readAlignment(TokenCursor &cursor);
llvm::Expected<AliasClause> readNames(TokenCursor &cursor);
llvm::Expected<ToleranceClause> readTolerances(TokenCursor &cursor);
llvm::Expected<std::vector<AllowClause>> readPermissions(TokenCursor &cursor);
llvm::Expected<std::vector<ForbidClause>> readRewriters(TokenCursor &cursor);
llvm::Expected<GoalClause> readGoal(TokenCursor &cursor);
llvm::Expected<ReferenceClause> readText(TokenCursor &cursor, llvm::StringRef annotation);

} // namespace warpwright
