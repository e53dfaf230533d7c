#include "analysis/frontend/NvccTargets.h"

#include "analysis/frontend/NvccWords.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringRef.h>

using namespace warpwright;

namespace {

struct ArchitectureRow {
  unsigned number;
  llvm::StringRef suffixes;
  bool inAllMajor;
};

constexpr ArchitectureRow architectureTable[] = {
#define WARPWRIGHT_NVCC_ARCHITECTURE(number, suffixes, inAllMajor) {number, suffixes, inAllMajor},
#include "analysis/frontend/NvccArchitectures.def"
};

llvm::Error badTarget(const llvm::Twine &text) {
  return llvm::createStringError("nvcc arguments: " + text);
}

/// `sm_90a`, `compute_90a` or `lto_90a`, taken apart.
struct Architecture {
  NvccTarget::Form form;
  unsigned number;
  llvm::StringRef suffix;
  llvm::StringRef name; ///< number and suffix

  std::string plain() const { return std::to_string(number); }
  /// Family-specific code runs on the architectures of one major version.
  unsigned family() const { return number / 10; }
};

llvm::Expected<Architecture> parseArchitecture(llvm::StringRef text) {
  Architecture architecture{NvccTarget::Cubin, 0, {}, text};
  if (architecture.name.consume_front("compute_"))
    architecture.form = NvccTarget::Ptx;
  else if (architecture.name.consume_front("lto_"))
    architecture.form = NvccTarget::Lto;
  else if (!architecture.name.consume_front("sm_"))
    return badTarget("unsupported GPU architecture '" + text + "'");
  llvm::StringRef digits = architecture.name.take_while([](char c) { return c >= '0' && c <= '9'; });
  architecture.suffix = architecture.name.drop_front(digits.size());
  bool read = !digits.getAsInteger(10, architecture.number) && digits == architecture.plain();
  for (const ArchitectureRow &row : architectureTable) {
    bool suffixKnown = architecture.suffix.size() <= 1 && row.suffixes.contains(architecture.suffix);
    if (read && row.number == architecture.number && suffixKnown)
      return architecture;
  }
  return badTarget("unsupported GPU architecture '" + text + "'");
}

/// Whether code of `code` can hold what is compiled for `virtualArch`. Read off nvcc 13.0, which was asked
/// for all pairs.
bool compatible(const Architecture &virtualArch, const Architecture &code) {
  if (code.form == NvccTarget::Ptx)
    return code.name == virtualArch.name;
  if (code.number < virtualArch.number)
    return false;
  if (code.suffix == "a")
    return true;
  if (virtualArch.suffix == "a")
    return false;
  bool familyMatters = code.suffix == "f" || virtualArch.suffix == "f";
  return !familyMatters || code.family() == virtualArch.family();
}

class TargetList {
public:
  explicit TargetList(const NvccTargetRequest &request) : request_(request) {}

  llvm::Error addArchitecture(llvm::StringRef text);
  llvm::Error addCodes(llvm::StringRef virtualText, llvm::ArrayRef<std::string> codes);
  llvm::Error addGenerateCode(llvm::StringRef text);
  llvm::Error checkImages() const;
  std::vector<NvccTarget> take() { return std::move(targets_); }

private:
  void add(NvccTarget::Form form, llvm::StringRef virtualName, llvm::StringRef name) {
    if (form == NvccTarget::Cubin && request_.linkTimeOptimization)
      form = NvccTarget::Lto;
    NvccTarget target{form, virtualName.str(), name.str()};
    if (!llvm::is_contained(targets_, target))
      targets_.push_back(std::move(target));
  }
  void addShorthand(const Architecture &architecture);
  void addAll(bool majorOnly);

  const NvccTargetRequest &request_;
  std::vector<NvccTarget> targets_;
};

/// `-arch` without `-code`: the code itself and the PTX that it is made from.
void TargetList::addShorthand(const Architecture &architecture) {
  bool suffixed = !architecture.suffix.empty();
  if (suffixed && request_.images == NvccTargetRequest::Embedded) {
    add(NvccTarget::Ptx, architecture.plain(), architecture.plain());
    if (request_.linkTimeOptimization)
      add(NvccTarget::Lto, architecture.plain(), architecture.plain());
  }
  if (architecture.form != NvccTarget::Ptx && request_.images != NvccTargetRequest::OnePtx)
    add(architecture.form, architecture.name, architecture.name);
  if (architecture.form == NvccTarget::Ptx || request_.images == NvccTargetRequest::OnePtx ||
      (architecture.form == NvccTarget::Cubin && request_.images == NvccTargetRequest::Embedded))
    add(NvccTarget::Ptx, architecture.name, architecture.name);
}

void TargetList::addAll(bool majorOnly) {
  std::string newestMajor;
  for (const ArchitectureRow &row : architectureTable) {
    std::string name = std::to_string(row.number);
    if (row.inAllMajor)
      newestMajor = name;
    if (row.inAllMajor || !majorOnly)
      add(NvccTarget::Cubin, name, name);
  }
  add(NvccTarget::Ptx, newestMajor, newestMajor);
}

llvm::Error TargetList::addArchitecture(llvm::StringRef text) {
  if (text == "all" || text == "all-major") {
    addAll(text == "all-major");
    return llvm::Error::success();
  }
  std::string fallback = std::string("sm_") + nvccDefaultArchitecture;
  if (text == "native") {
    for (const std::string &name : request_.nativeArchitectures)
      add(NvccTarget::Cubin, name, name);
    if (!request_.nativeArchitectures.empty())
      return llvm::Error::success();
    text = fallback;
  }
  llvm::Expected<Architecture> architecture = parseArchitecture(text);
  if (!architecture)
    return architecture.takeError();
  addShorthand(*architecture);
  return llvm::Error::success();
}

llvm::Error TargetList::addCodes(llvm::StringRef virtualText, llvm::ArrayRef<std::string> codes) {
  llvm::Expected<Architecture> virtualArch = parseArchitecture(virtualText);
  if (!virtualArch)
    return virtualArch.takeError();
  if (virtualArch->form == NvccTarget::Cubin)
    return badTarget("'" + virtualText +
                     "' is a real architecture where code is given as well; a virtual one (compute_" +
                     virtualArch->name + ") is needed");
  for (const std::string &text : codes) {
    llvm::Expected<Architecture> code = parseArchitecture(text);
    if (!code)
      return code.takeError();
    if (!compatible(*virtualArch, *code))
      return badTarget("code '" + text + "' is not compatible with architecture '" + virtualText + "'");
    if (code->form == NvccTarget::Lto && !request_.relocatable)
      return badTarget("'" + text + "' needs relocatable device code (-rdc=true)");
    bool becomesFamilyCode = virtualArch->suffix == "f" && code->suffix.empty();
    add(code->form, virtualArch->name, becomesFamilyCode ? code->plain() + "f" : code->name.str());
  }
  return llvm::Error::success();
}

/// Parts of `arch=compute_90,code=[sm_90,compute_90]`; brackets and double quotes keep commas together and
/// are gone.
llvm::Expected<std::vector<std::string>> splitKeywords(llvm::StringRef text) {
  std::vector<std::string> parts(1);
  char closing = 0;
  for (char c : text) {
    if (closing && c == closing)
      closing = 0;
    else if (!closing && (c == '[' || c == '"'))
      closing = c == '[' ? ']' : '"';
    else if (!closing && c == ',')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  if (closing)
    return badTarget("'" + text + "' lacks a closing " + llvm::Twine(closing));
  llvm::erase_if(parts, [](const std::string &part) { return part.empty(); });
  return parts;
}

llvm::Error TargetList::addGenerateCode(llvm::StringRef text) {
  llvm::Expected<std::vector<std::string>> parts = splitKeywords(text);
  if (!parts)
    return parts.takeError();
  std::optional<std::string> architecture;
  std::optional<std::string> codes;
  for (llvm::StringRef part : *parts) {
    auto [keyword, value] = part.split('=');
    if (keyword == part || (keyword != "arch" && keyword != "code"))
      return badTarget("'" + part + "' in --generate-code is neither 'arch=...' nor 'code=...'");
    std::optional<std::string> &slot = keyword == "arch" ? architecture : codes;
    if (slot)
      return badTarget("'" + keyword + "' appears twice in --generate-code '" + text + "'");
    slot = value.str();
  }
  if (!architecture || !codes)
    return badTarget("--generate-code '" + text + "' lacks " + (architecture ? "'code='" : "'arch='"));
  llvm::SmallVector<llvm::StringRef> names;
  llvm::StringRef(*codes).split(names, ',');
  return addCodes(*architecture, std::vector<std::string>(names.begin(), names.end()));
}

llvm::Error TargetList::checkImages() const {
  if (request_.images == NvccTargetRequest::OneCubin &&
      (targets_.size() != 1 || targets_.front().form == NvccTarget::Ptx))
    return badTarget("--cubin needs exactly one real architecture");
  bool oneSource = llvm::all_of(targets_, [&](const NvccTarget &target) {
    return target.virtualArchitecture == targets_.front().virtualArchitecture;
  });
  if (request_.images == NvccTargetRequest::OnePtx && !oneSource)
    return badTarget("--ptx needs exactly one virtual architecture");
  return llvm::Error::success();
}

} // namespace

std::string NvccTarget::generateCode() const {
  const char *prefix = form == Cubin ? "sm_" : form == Ptx ? "compute_" : "lto_";
  return "arch=compute_" + virtualArchitecture + ",code=" + prefix + architecture;
}

llvm::Expected<std::vector<NvccTarget>> warpwright::nvccTargets(const NvccTargetRequest &request) {
  if (!request.codes.empty() && !request.architecture)
    return badTarget("--gpu-code is given without --gpu-architecture");
  TargetList list(request);
  if (!request.codes.empty()) {
    llvm::StringRef architecture = *request.architecture;
    if (architecture == "native" || architecture == "all" || architecture == "all-major")
      return badTarget("--gpu-architecture=" + architecture + " cannot be used with --gpu-code");
    if (llvm::Error error = list.addCodes(architecture, request.codes))
      return std::move(error);
  } else if (request.architecture || request.generateCodes.empty()) {
    std::string fallback = std::string("sm_") + nvccDefaultArchitecture;
    if (llvm::Error error = list.addArchitecture(request.architecture.value_or(fallback)))
      return std::move(error);
  }
  for (const std::string &text : request.generateCodes) {
    if (llvm::Error error = list.addGenerateCode(text))
      return std::move(error);
  }
  if (llvm::Error error = list.checkImages())
    return std::move(error);
  return list.take();
}

std::vector<std::string> warpwright::nvccArchitectures() {
  std::vector<std::string> names;
  for (const ArchitectureRow &row : architectureTable) {
    names.push_back(std::to_string(row.number));
    for (char suffix : row.suffixes)
      names.push_back(std::to_string(row.number) + suffix);
  }
  return names;
}
