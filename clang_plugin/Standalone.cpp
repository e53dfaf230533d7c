#include "clang_plugin/CommandLine.h"

int main(int argc, char **argv) {
  return warpwright::runCommandLine(argc, argv);
}
