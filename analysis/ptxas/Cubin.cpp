#include "analysis/ptxas/Cubin.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/BinaryFormat/ELF.h>
#include <llvm/Object/ELF.h>
#include <llvm/Support/Endian.h>

namespace warpwright {

namespace {

using File = llvm::object::ELFFile<llvm::object::ELF64LE>;
using Section = File::Elf_Shdr;

constexpr uint64_t instructionBytes = 16;
constexpr uint64_t reservedSharedBytes = 1024;
constexpr uint8_t entryFlag = 0x10;
constexpr uint64_t opcodeMask = 0xfff;
constexpr uint64_t opcodeNop = 0x918;

template <typename... Parts> llvm::Error malformed(const char *format, const Parts &...parts) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), (std::string("cubin: ") + format).c_str(),
                                 parts...);
}

struct Sections {
  llvm::StringMap<const Section *> byName;
  const Section *symbols = nullptr;
};

llvm::Expected<Sections> indexSections(const File &file) {
  auto headers = file.sections();
  if (!headers)
    return headers.takeError();
  Sections result;
  for (const Section &section : *headers) {
    llvm::Expected<llvm::StringRef> name = file.getSectionName(section);
    if (!name)
      return name.takeError();
    result.byName[*name] = &section;
    if (section.sh_type == llvm::ELF::SHT_SYMTAB)
      result.symbols = &section;
  }
  if (!result.symbols)
    return malformed("there is no symbol table");
  return result;
}

/// Registers by symbol index, from the records of `.nv.info`. Records of one format carry bytes, the others
/// are done with the two bytes after format and attribute.
llvm::Expected<std::map<uint32_t, unsigned>> readRegisters(const File &file, const Sections &sections) {
  constexpr uint8_t formatSized = 4;
  constexpr uint8_t attributeRegisters = 0x2f;
  std::map<uint32_t, unsigned> result;
  const auto info = sections.byName.find(".nv.info");
  if (info == sections.byName.end())
    return result;
  auto bytes = file.getSectionContents(*info->second);
  if (!bytes)
    return bytes.takeError();
  llvm::ArrayRef<uint8_t> rest = *bytes;
  while (!rest.empty()) {
    if (rest.size() < 4)
      return malformed("a record of .nv.info is cut off");
    const uint8_t format = rest[0];
    const uint8_t attribute = rest[1];
    const size_t size = format == formatSized ? llvm::support::endian::read16le(&rest[2]) : 0;
    rest = rest.drop_front(4);
    if (rest.size() < size)
      return malformed("a record of .nv.info is cut off");
    if (format == formatSized && attribute == attributeRegisters && size == 8)
      result[llvm::support::endian::read32le(&rest[0])] = llvm::support::endian::read32le(&rest[4]);
    rest = rest.drop_front(size);
  }
  return result;
}

/// Instructions up to the last one that is not padding.
uint64_t countInstructions(llvm::ArrayRef<uint8_t> code) {
  uint64_t count = code.size() / instructionBytes;
  while (count != 0 &&
         (llvm::support::endian::read64le(&code[(count - 1) * instructionBytes]) & opcodeMask) == opcodeNop)
    --count;
  return count;
}

llvm::Expected<uint64_t> readSharedBytes(const Sections &sections, const std::string &symbol) {
  const auto shared = sections.byName.find(".nv.shared." + symbol);
  if (shared == sections.byName.end())
    return 0;
  const uint64_t size = shared->second->sh_size;
  if (!sections.byName.contains(".nv.shared.reserved.0"))
    return size;
  if (size < reservedSharedBytes)
    return malformed("shared memory of '%s' is less than what is reserved", symbol.c_str());
  return size - reservedSharedBytes;
}

llvm::Expected<CubinKernel> readKernel(const File &file, const Sections &sections, llvm::StringRef symbol) {
  CubinKernel kernel;
  kernel.symbol = symbol.str();
  const auto text = sections.byName.find(".text." + kernel.symbol);
  if (text == sections.byName.end())
    return malformed("'%s' has no code", kernel.symbol.c_str());
  auto code = file.getSectionContents(*text->second);
  if (!code)
    return code.takeError();
  if (code->size() % instructionBytes != 0)
    return malformed("the code of '%s' is no whole number of instructions", kernel.symbol.c_str());
  kernel.codeBytes = code->size();
  kernel.instructions = countInstructions(*code);
  llvm::Expected<uint64_t> shared = readSharedBytes(sections, kernel.symbol);
  if (!shared)
    return shared.takeError();
  kernel.staticSharedBytes = *shared;
  return kernel;
}

/// The flags hold the architecture in the second byte since version 8 of the ABI, in the first one before.
unsigned readCapability(const File &file) {
  const uint32_t flags = file.getHeader().e_flags;
  return file.getHeader().e_ident[llvm::ELF::EI_ABIVERSION] >= 8 ? (flags >> 8) & 0xff : flags & 0xff;
}

} // namespace

const CubinKernel *Cubin::find(llvm::StringRef symbol) const {
  for (const CubinKernel &kernel : kernels)
    if (kernel.symbol == symbol)
      return &kernel;
  return nullptr;
}

llvm::Expected<Cubin> readCubin(llvm::MemoryBufferRef buffer) {
  llvm::Expected<File> file = File::create(buffer.getBuffer());
  if (!file)
    return file.takeError();
  if (!buffer.getBuffer().starts_with(llvm::ELF::ElfMagic) ||
      file->getHeader().e_machine != llvm::ELF::EM_CUDA)
    return malformed("this is not an ELF file for CUDA devices");
  Cubin cubin;
  cubin.capability = readCapability(*file);
  if (cubin.capability < 70)
    return malformed("architecture %u is not known", cubin.capability);

  llvm::Expected<Sections> sections = indexSections(*file);
  if (!sections)
    return sections.takeError();
  auto registers = readRegisters(*file, *sections);
  if (!registers)
    return registers.takeError();
  auto symbols = file->symbols(sections->symbols);
  if (!symbols)
    return symbols.takeError();
  llvm::Expected<llvm::StringRef> names = file->getStringTableForSymtab(*sections->symbols);
  if (!names)
    return names.takeError();
  for (const auto &[index, symbol] : llvm::enumerate(*symbols)) {
    if (symbol.getType() != llvm::ELF::STT_FUNC || (symbol.st_other & entryFlag) == 0)
      continue;
    llvm::Expected<llvm::StringRef> name = symbol.getName(*names);
    if (!name)
      return name.takeError();
    llvm::Expected<CubinKernel> kernel = readKernel(*file, *sections, *name);
    if (!kernel)
      return kernel.takeError();
    if (const auto found = registers->find(uint32_t(index)); found != registers->end())
      kernel->registers = found->second;
    cubin.kernels.push_back(std::move(*kernel));
  }
  return cubin;
}

} // namespace warpwright
