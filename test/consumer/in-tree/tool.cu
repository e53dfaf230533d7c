#include <cstring>
#include <unistd.h>

// Runs what follows `--`.
int main(int argc, char **argv) {
  for (int i = 1; i + 1 < argc; ++i)
    if (std::strcmp(argv[i], "--") == 0)
      return execv(argv[i + 1], argv + i + 1);
  return 3;
}
