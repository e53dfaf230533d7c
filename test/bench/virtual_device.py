#!/usr/bin/env python3
"""virtual_device.py BUILD-DIRECTORY: speed of the virtual device without checks, beside the same loops compiled by
clang -O2 for the host, and with all checks and counters. Needs the targets virtual-speed and watch-speed. Prints figures and
judges nothing; those of checks are of processor time, for the others the machine should be idle."""
import os
import subprocess
import sys
import tempfile

here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs")
source = os.path.join(here, "virtual_device.cu")


def device(tool, *arguments):
    """Seconds with one worker, and with one a core; processor seconds with all checks, and accesses then."""
    line = subprocess.run([tool, source, *map(str, arguments)], check=True, capture_output=True, text=True).stdout
    return [float(word) for word in line.split()]


def host(program, *arguments):
    line = subprocess.run([program, *map(str, arguments)], check=True, capture_output=True, text=True).stdout
    return float(line.split()[0])


def main():
    tool = os.path.join(sys.argv[1], "test", "bench", "virtual-speed")
    cores = os.cpu_count()
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "host")
        subprocess.run(["clang++-22", "-O2", os.path.join(here, "virtual_device_host.cpp"), "-o", program], check=True)
        for name, size, shape in (("gemm", 256, (16, 16, 16, 16)), ("transpose", 2048, (64, 64, 32, 8))):
            one, several, watched, accesses = device(tool, name, *shape, f"n={size}")
            reference = host(program, name, size)
            print(f"{name} {size}: host {reference * 1e3:.2f} ms, device {one * 1e3:.2f} ms on one core "
                  f"({one / reference:.2f} times), {several * 1e3:.2f} ms on {cores} ({one / several:.2f} times faster); "
                  f"watched {accesses / watched / 1e6:.1f} million accesses a second and core")
    one, several, watched, accesses = device(tool, "barriers", 1000, 1, 1024, 1, "n=50")
    print(f"1,000 blocks of 1024 threads with 100 barriers: {one:.2f} s on one core, {several:.2f} s on {cores}; "
          f"watched {accesses / watched / 1e6:.1f} million accesses a second and core")
    for name, shape, n in (("tiled", (16, 64, 16, 16), 256), ("reduce", (64, 1, 256, 1), 4000000), ("tree", (64, 128, 256, 1), 2000000),
                           ("stencil", (64, 256, 32, 8), 2048), ("histogram", (64, 1, 256, 1), 4000000)):
        one, several, watched, accesses = device(tool, name, *shape, f"n={n}")
        print(f"{name}: {one * 1e3:.2f} ms on one core, {several * 1e3:.2f} ms on {cores}; watched "
              f"{accesses / watched / 1e6:.1f} million accesses a second and core")
    print("all checks and counters alone, without the kernel:")
    print(subprocess.run([os.path.join(sys.argv[1], "test", "bench", "watch-speed")], check=True, capture_output=True, text=True).stdout, end="")


main()
