// Reads or writes the members of a structure of an array together, by one access of 8 or 16 bytes, where the
// code does so member by member.
//
// Legal where the structure is nothing but two or four numbers of one type, the array begins at a multiple of
// its size (the annotation says so, or a test at run time), and
//  - read: several members are read anyway, from one statement on, before anything may write the array;
//  - written: statements that follow each other write all members, and what they store reads nothing of the
//    array.
// Then no byte is touched that the code did not touch: neighbours of a structure stay apart.

#include "analysis/KernelAnalysis.h"
#include "analysis/ast/PlaceUses.h"
#include "analysis/ast/SourcePlace.h"
#include "analysis/frontend/TranslationUnit.h"
#include "rewriters/KernelProposer.h"
#include "rewriters/edits/LinkedEdits.h"
#include "rewriters/edits/PatchedText.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/Stmt.h>
#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

constexpr const char *id = "merge-aos-access";

/// A structure that a vector type of CUDA has the layout of.
struct Layout {
  const clang::CXXRecordDecl *record = nullptr;
  std::vector<const clang::FieldDecl *> members;
  std::string vector; ///< "float4"
  unsigned bytes = 0;

  int positionOf(const clang::ValueDecl *member) const {
    auto found = llvm::find(members, member);
    return found == members.end() ? -1 : static_cast<int>(found - members.begin());
  }
};

std::optional<Layout> layoutOf(clang::QualType type, const clang::ASTContext &ast) {
  const clang::CXXRecordDecl *record = type->getAsCXXRecordDecl();
  if (!record || !record->hasDefinition() || record->isUnion() || record->getNumBases() != 0 ||
      !type.isTriviallyCopyableType(ast) || ast.getSourceManager().isInSystemHeader(record->getLocation()))
    return std::nullopt;
  Layout layout;
  layout.record = record;
  for (const clang::FieldDecl *field : record->fields()) {
    if (field->isBitField() || field->getAccess() == clang::AS_private ||
        field->getType().isVolatileQualified())
      return std::nullopt;
    layout.members.push_back(field);
  }
  if (layout.members.size() != 2 && layout.members.size() != 4)
    return std::nullopt;
  clang::QualType element = layout.members.front()->getType().getCanonicalType().getUnqualifiedType();
  const auto *builtin = element->getAs<clang::BuiltinType>();
  for (const clang::FieldDecl *field : layout.members)
    if (!ast.hasSameUnqualifiedType(field->getType(), element))
      return std::nullopt;
  std::string name = !builtin                                           ? ""
                     : builtin->getKind() == clang::BuiltinType::Float  ? "float"
                     : builtin->getKind() == clang::BuiltinType::Int    ? "int"
                     : builtin->getKind() == clang::BuiltinType::UInt   ? "uint"
                     : builtin->getKind() == clang::BuiltinType::Double ? "double"
                                                                        : "";
  layout.bytes = static_cast<unsigned>(ast.getTypeSizeInChars(type).getQuantity());
  uint64_t exact = layout.members.size() * ast.getTypeSizeInChars(element).getQuantity();
  constexpr unsigned widest = 16;
  if (name.empty() || layout.bytes != exact || layout.bytes > widest || layout.bytes < 8)
    return std::nullopt;
  layout.vector = name + std::to_string(layout.members.size());
  return layout;
}

/// `a[i].x`: the element and the member.
struct MemberUse {
  const clang::Expr *whole = nullptr;
  const clang::ArraySubscriptExpr *element = nullptr;
  const clang::FieldDecl *member = nullptr;
};

std::optional<MemberUse> memberOf(const clang::Expr *place) {
  const auto *member = llvm::dyn_cast<clang::MemberExpr>(place->IgnoreParens());
  const auto *field = member ? llvm::dyn_cast<clang::FieldDecl>(member->getMemberDecl()) : nullptr;
  const auto *element =
      member && !member->isArrow()
          ? llvm::dyn_cast<clang::ArraySubscriptExpr>(member->getBase()->IgnoreParenImpCasts())
          : nullptr;
  return field && element ? std::optional(MemberUse{place, element, field}) : std::nullopt;
}

class Proposer : KernelProposer {
public:
  explicit Proposer(const RewriteContext &context)
      : KernelProposer(context, id), reader_(kernel_), names_(kernel_, ast_), edits_(kernel_, ast_),
        loaded_(ast_) {}

  llvm::Expected<Proposals> propose() {
    scan(kernel_.getBody());
    candidate_.edits = edits_.edits();
    if (candidate_.edits.empty())
      return std::move(proposals_);
    candidate_.claims.push_back({"fewer-global-requests", {}});
    offer(std::move(candidate_));
    return std::move(proposals_);
  }

private:
  void scan(const clang::Stmt *code) {
    if (!code || llvm::isa<clang::LambdaExpr>(code))
      return;
    const auto *scope = llvm::dyn_cast<clang::CompoundStmt>(code);
    bool labels = scope && llvm::any_of(scope->body(), [](const clang::Stmt *child) {
                    return llvm::isa<clang::SwitchCase, clang::LabelStmt>(child);
                  });
    if (scope && !labels) {
      readLoads(*scope);
      readStores(*scope);
    }
    for (const clang::Stmt *child : code->children())
      scan(child);
  }

  /// The members of one element that a run of statements reads, from the first that does.
  struct Reads {
    Layout layout;
    MemberUse first;
    size_t at = 0;
    bool closed = false; ///< something may have changed the element, or where it is
    std::vector<MemberUse> uses;
    std::vector<const clang::FieldDecl *> sure; ///< members that are read whatever happens
  };

  void readLoads(const clang::CompoundStmt &scope) {
    std::vector<Reads> groups;
    for (size_t i = 0; i < scope.size(); ++i) {
      const clang::Stmt &statement = *scope.body_begin()[i];
      CodeUses uses = reader_.usesOf(statement);
      VariableChanges changes(statement);
      for (const PlaceUse &use : uses.places)
        if (comesBeforeWrites(statement, uses, use))
          readLoad(statement, i, use, changes, groups);
      for (Reads &group : groups)
        group.closed |= uses.mayLeave || changesElement(group, uses, changes);
    }
    for (const Reads &group : groups)
      if (group.sure.size() >= 2 && !isTaken(group.first.element) &&
          (group.sure.size() == group.layout.members.size() || !isWritten(group.first)))
        addLoad(*scope.body_begin()[group.at], group);
  }

  /// In a statement that writes the same memory, too, all that is read is read before: `a[i].x = a[i].y;`.
  bool comesBeforeWrites(const clang::Stmt &statement, const CodeUses &uses, const PlaceUse &read) {
    unsigned writes = 0;
    for (const PlaceUse &use : uses.places)
      writes +=
          use.writes() && mayOverlap(use.root, read.root, *analysis_.annotation, candidate_.assumptions);
    const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(&statement);
    return uses.others.empty() && (writes == 0 || (writes == 1 && binary && binary->isAssignmentOp()));
  }

  /// The kernel writes the array somewhere: other threads may be at the members that this code does not read.
  bool isWritten(const MemberUse &use) {
    MemoryRoot root = reader_.rootOf(*use.element);
    CodeUses all = reader_.usesOf(*kernel_.getBody());
    return !all.others.empty() || llvm::any_of(all.places, [&](const PlaceUse &other) {
      return other.writes() && mayOverlap(other.root, root, *analysis_.annotation, candidate_.assumptions);
    });
  }

  void readLoad(const clang::Stmt &statement, size_t at, const PlaceUse &use, const VariableChanges &changes,
                std::vector<Reads> &groups) {
    std::optional<MemberUse> member = memberOf(use.place);
    if (!member || use.kind != PlaceUse::Kind::Read || use.isVolatile || use.root.isOnChip() ||
        !use.root.known() || use.spelled != use.place || isFromMacro(use.place))
      return;
    auto group = llvm::find_if(groups, [&](const Reads &known) {
      return !known.closed && areAlike(known.first.element, member->element, ast_);
    });
    if (group == groups.end()) {
      std::optional<Layout> layout = layoutOf(member->element->getType(), ast_);
      if (!layout || !isKnownBefore(statement, *member, changes))
        return;
      group = groups.insert(groups.end(), {*layout, *member, at, false, {}, {}});
    }
    // In the statement that changes where the element is, the order counts.
    if (changesPlaceOf(*member, changes))
      return;
    group->uses.push_back(*member);
    if (use.sure && !llvm::is_contained(group->sure, member->member))
      group->sure.push_back(member->member);
  }

  static bool isFromMacro(const clang::Expr *expression) {
    return expression->getBeginLoc().isMacroID() || expression->getEndLoc().isMacroID();
  }

  bool isKnownBefore(const clang::Stmt &statement, const MemberUse &member,
                     const VariableChanges &changes) const {
    const clang::SourceManager &sources = ast_.getSourceManager();
    CodeUses parts = reader_.usesOf(*member.element);
    return parts.others.empty() && parts.places.size() <= 1 &&
           VariableChanges(*member.element).changed().empty() && !changesPlaceOf(member, changes) &&
           llvm::all_of(variablesIn(member.element), [&](const clang::VarDecl *variable) {
             return !variable->isLocalVarDeclOrParm() ||
                    (!reader_.changes().isExposed(variable) &&
                     sources.isBeforeInTranslationUnit(variable->getLocation(), statement.getBeginLoc()));
           });
  }

  static bool changesPlaceOf(const MemberUse &member, const VariableChanges &changes) {
    return llvm::any_of(variablesIn(member.element),
                        [&](const clang::VarDecl *variable) { return changes.isChanged(variable); });
  }

  /// The statement may write the element, or lets others do so.
  bool changesElement(const Reads &group, const CodeUses &uses, const VariableChanges &changes) {
    if (!uses.others.empty() || changesPlaceOf(group.first, changes))
      return true;
    MemoryRoot own = reader_.rootOf(*group.first.element);
    return llvm::any_of(uses.places, [&](const PlaceUse &use) {
      return use.writes() && mayOverlap(use.root, own, *analysis_.annotation, candidate_.assumptions);
    });
  }

  bool isTaken(const clang::Expr *element) const {
    const clang::SourceManager &sources = ast_.getSourceManager();
    return llvm::any_of(taken_, [&](const clang::Expr *other) {
      return sources.isPointWithin(element->getBeginLoc(), other->getBeginLoc(), other->getEndLoc());
    });
  }

  std::string quoted(const MemberUse &use) const { return "'" + reader_.rootOf(*use.element).name() + "'"; }

  /// `p + i` of `p[i]`, for a test of its alignment: that of `p` alone, as elements are as long as they must
  /// be aligned.
  std::optional<std::string> alignmentTest(const MemberUse &use, const Layout &layout) const {
    const clang::Expr *base = use.element->getBase()->IgnoreParenImpCasts();
    if (ast_.getTypeAlignInChars(use.element->getType()).getQuantity() >= layout.bytes)
      return "";
    const clang::VarDecl *variable = namedVariable(base);
    if (variable && llvm::isa<clang::ParmVarDecl>(variable) && reader_.changes().isConstant(variable)) {
      uint64_t known = analysis_.annotation->alignmentOf(variable->getName());
      if (known != 0 && known % layout.bytes == 0)
        return "";
    }
    std::optional<std::string> text = builder_.textOf(base->getSourceRange());
    if (!text || !base->getType()->isPointerType())
      return std::nullopt;
    return "reinterpret_cast<size_t>(" + *text + ") % " + std::to_string(layout.bytes) + " == 0";
  }

  std::string recordName(const Layout &layout, const MemberUse &use) const {
    if (kernel_.isTemplateInstantiation())
      return {};
    return use.element->getType().getUnqualifiedType().getAsString(clang::PrintingPolicy(ast_.getLangOpts()));
  }

  void addLoad(const clang::Stmt &before, const Reads &group) {
    std::optional<std::string> test = alignmentTest(group.first, group.layout);
    std::optional<std::string> base = builder_.textOf(group.first.element->getBase()->getSourceRange());
    std::optional<std::string> index = builder_.textOf(group.first.element->getIdx()->getSourceRange());
    std::optional<std::string> element = builder_.textOf(group.first.element->getSourceRange());
    std::string record = recordName(group.layout, group.first);
    if (!test || !base || !index || !element || record.empty())
      return decline(before, quoted(group.first) +
                                 ": its members are read one by one, but its type depends on "
                                 "template arguments, or it comes out of a macro");
    std::string name = names_.take(memberName(group.first));
    std::string wide = "reinterpret_cast<const " + group.layout.vector + " *>(" + *base + ")[" + *index + "]";
    std::string bytes = std::to_string(group.layout.bytes);
    CodeLines code;
    if (test->empty()) {
      code.comment("All members of an element of " + quoted(group.first) + " at once: " + bytes + " bytes.");
      code.line("const " + group.layout.vector + " " + name + " = " + wide + ";");
    } else {
      code.comment("All members of an element of " + quoted(group.first) +
                   " at once, where it is aligned for " + bytes + " bytes.");
      std::string parts;
      for (const clang::FieldDecl *member : group.layout.members)
        parts += (parts.empty() ? "" : ", ") + *element + "." + member->getNameAsString();
      code.line("const " + group.layout.vector + " " + name + " = " + *test + " ? " + wide + " : make_" +
                group.layout.vector + "(" + parts + ");");
    }
    edits_.begin("members of an element of " + quoted(group.first) + " are read one by one",
                 "one request of " + bytes + " bytes instead of one a member", "members that are not needed");
    bool whole = edits_.insertBefore(before, code);
    for (const MemberUse &use : group.uses)
      whole &= edits_.replace(use.whole->getSourceRange(),
                              name + "." + "xyzw"[group.layout.positionOf(use.member)]);
    finish(whole, before, group.first);
    for (const MemberUse &use : group.uses) {
      taken_.push_back(use.element);
      if (whole)
        loaded_.replace(use.whole->getSourceRange(),
                        name + "." + "xyzw"[group.layout.positionOf(use.member)]);
    }
  }

  static std::string memberName(const MemberUse &use) {
    std::string record = use.element->getType()->getAsCXXRecordDecl()->getNameAsString();
    if (record.empty())
      return "element";
    record[0] = llvm::toLower(record[0]);
    return record == use.element->getType()->getAsCXXRecordDecl()->getNameAsString() ? record + "Value"
                                                                                     : record;
  }

  /// Assignments that follow each other and give all members of one element a value.
  void readStores(const clang::CompoundStmt &scope) {
    for (size_t i = 0; i < scope.size(); ++i) {
      std::vector<const clang::BinaryOperator *> stores;
      std::optional<Layout> layout;
      std::optional<MemberUse> first;
      while (i + stores.size() < scope.size()) {
        const auto *store = llvm::dyn_cast<clang::BinaryOperator>(scope.body_begin()[i + stores.size()]);
        std::optional<MemberUse> member =
            store && store->getOpcode() == clang::BO_Assign ? memberOf(store->getLHS()) : std::nullopt;
        if (!member || (first && !areAlike(first->element, member->element, ast_)))
          break;
        if (!first) {
          layout = layoutOf(member->element->getType(), ast_);
          first = member;
        }
        stores.push_back(store);
      }
      if (!layout || stores.size() != layout->members.size())
        continue;
      addStore(stores, *layout, *first);
      i += stores.size() - 1;
    }
  }

  std::string whyNotStored(llvm::ArrayRef<const clang::BinaryOperator *> stores, const Layout &layout,
                           const MemberUse &first, std::vector<const clang::Expr *> &values) {
    values.assign(layout.members.size(), nullptr);
    MemoryRoot root = reader_.rootOf(*first.element);
    if (!root.known() || root.isOnChip())
      return "it is no global memory that is known";
    for (const clang::BinaryOperator *store : stores) {
      int position = layout.positionOf(memberOf(store->getLHS())->member);
      CodeUses uses = reader_.usesOf(*store->getRHS());
      if (position < 0 || values[position])
        return "a member is written twice";
      if (!uses.others.empty() || !VariableChanges(*store->getRHS()).changed().empty())
        return "a value that is stored does more than compute";
      // The value of a later member would see what an earlier store wrote.
      for (const PlaceUse &use : uses.places)
        if (store != stores.front() &&
            mayOverlap(use.root, root, *analysis_.annotation, candidate_.assumptions))
          return "what is stored is read from memory that an earlier member may have changed";
      if (!reader_.usesOf(*first.element).others.empty())
        return "where it is stored is not known";
      values[position] = store->getRHS();
    }
    return {};
  }

  void addStore(llvm::ArrayRef<const clang::BinaryOperator *> stores, const Layout &layout,
                const MemberUse &first) {
    std::vector<const clang::Expr *> values;
    std::string why = whyNotStored(stores, layout, first, values);
    std::optional<std::string> test = alignmentTest(first, layout);
    std::optional<std::string> base = builder_.textOf(first.element->getBase()->getSourceRange());
    std::optional<std::string> index = builder_.textOf(first.element->getIdx()->getSourceRange());
    if (why.empty() && (!test || !base || !index))
      why = "part of it comes out of a macro or a header";
    if (!why.empty())
      return decline(*stores.front(), quoted(first) + ": its members are written one by one, but " + why);
    std::string bytes = std::to_string(layout.bytes), parts;
    std::vector<std::string> texts;
    CodeLines code;
    code.comment(
        "All members of an element of " + quoted(first) + " at once" +
        (test->empty() ? ": " + bytes + " bytes." : ", where it is aligned for " + bytes + " bytes."));
    // In both forms the values are the same: they are computed once.
    for (size_t i = 0; i < values.size(); ++i) {
      std::string text = loaded_.of(values[i]->getSourceRange()).value_or("");
      bool plain = llvm::isa<clang::DeclRefExpr, clang::FloatingLiteral, clang::IntegerLiteral>(
          values[i]->IgnoreParenImpCasts());
      if (!test->empty() && !plain) {
        std::string name = names_.take(layout.members[i]->getNameAsString() + "Value");
        code.line("const " +
                  layout.members[i]->getType().getUnqualifiedType().getAsString(
                      clang::PrintingPolicy(ast_.getLangOpts())) +
                  " " + name + " = " + text + ";");
        text = name;
      }
      texts.push_back(text);
      parts += (parts.empty() ? "" : ", ") + text;
    }
    std::string wide = "reinterpret_cast<" + layout.vector + " *>(" + *base + ")[" + *index + "] = make_" +
                       layout.vector + "(" + parts + ");";
    if (test->empty()) {
      code.line(wide);
    } else {
      std::string element = builder_.textOf(first.element->getSourceRange()).value_or("");
      code.open("if (" + *test + ") {").line(wide);
      code.otherwise();
      for (size_t i = 0; i < values.size(); ++i)
        code.line(element + "." + layout.members[i]->getNameAsString() + " = " + texts[i] + ";");
      code.close();
    }
    edits_.begin("members of an element of " + quoted(first) + " are written one by one",
                 "one request of " + bytes + " bytes instead of one a member", "none");
    bool whole = edits_.replaceStatement(*stores.front(), code);
    for (const clang::BinaryOperator *store : stores.drop_front())
      whole &= edits_.replaceStatement(*store, CodeLines());
    finish(whole, *stores.front(), first);
  }

  void finish(bool whole, const clang::Stmt &at, const MemberUse &use) {
    if (!whole) {
      edits_.drop();
      return decline(at, quoted(use) + ": part of it comes out of a macro or a header");
    }
    std::string name = reader_.rootOf(*use.element).name();
    if (!llvm::is_contained(llvm::split(candidate_.subject, ", "), name))
      candidate_.subject += (candidate_.subject.empty() ? "" : ", ") + name;
  }

  PlaceReader reader_;
  FreshNames names_;
  LinkedEdits edits_;
  std::vector<const clang::Expr *> taken_;
  PatchedText loaded_; ///< the file with members that are loaded together
  Candidate candidate_;
};

} // namespace

llvm::Expected<Proposals> proposeMergeAosAccess(const RewriteContext &context) {
  return Proposer(context).propose();
}

} // namespace warpwright
