#include "clang_plugin/Confinement.h"

#include <cstddef>
#include <cstdint>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace warpwright {
namespace {

#if defined(__x86_64__)
constexpr uint32_t machine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t machine = AUDIT_ARCH_AARCH64;
#else
constexpr uint32_t machine = 0;
#endif

/// Rights that change a file or a folder, of the first version of Landlock. Reading is not restricted.
constexpr uint64_t changes = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                             LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                             LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                             LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                             LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;

/// LANDLOCK_ACCESS_FS_TRUNCATE, which the third version knows.
constexpr uint64_t truncation = uint64_t(1) << 14;

bool addFolder(int rules, const char *folder, uint64_t rights) {
  landlock_path_beneath_attr below = {};
  below.allowed_access = rights;
  below.parent_fd = ::open(folder, O_PATH | O_CLOEXEC);
  if (below.parent_fd < 0)
    return true; // what is not there is not written to
  bool added = ::syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &below, 0) == 0;
  ::close(below.parent_fd);
  return added;
}

} // namespace

bool denyNetwork() {
  if (machine == 0)
    return false;
  // Calls of the x32 interface have numbers of their own, and io_uring makes sockets without socket().
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, machine, 0, 7),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 5, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 4, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 2),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[0])),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 13),
  };
  sock_fprog filter = {static_cast<unsigned short>(sizeof(program) / sizeof(program[0])), program};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

bool denyWrites(llvm::ArrayRef<std::string> writable) {
  landlock_ruleset_attr attribute = {};
  long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  attribute.handled_access_fs = version >= 3 ? changes | truncation : changes;
  int rules = static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attribute, sizeof(attribute), 0));
  if (rules < 0)
    return false;
  bool made = ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
  for (const std::string &folder : writable)
    made = made && addFolder(rules, folder.c_str(), attribute.handled_access_fs);
  made = made && ::syscall(SYS_landlock_restrict_self, rules, 0) == 0;
  ::close(rules);
  // An earlier one lets any file be emptied.
  return made && version >= 3;
}

} // namespace warpwright
