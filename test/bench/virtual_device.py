#!/usr/bin/env python3
"""virtual_device.py BUILD-DIRECTORY: speed of the virtual device without checks, beside the same loops compiled by
clang -O2 for the host, and with all checks and counters. Needs the targets virtual-speed and watch-speed. Prints figures and
judges nothing; they are of processor time, so that they hold on a busy machine, too, but for those by the clock."""
import os
import subprocess
import sys
import tempfile

here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs")
source = os.path.join(here, "virtual_device.cu")


class Speed:
    """Of one launch: processor seconds with one worker; by the clock with one and with two, and how many cores share
    the work then; processor seconds with all checks, and accesses then."""

    def __init__(self, tool, *arguments):
        line = subprocess.run([tool, source, *map(str, arguments)], check=True, capture_output=True, text=True).stdout
        self.processor, self.one, self.several, self.shared, self.watched, self.accesses = map(float, line.split())

    def spread(self):
        return f"by the clock {self.one * 1e3:.2f} ms, and {self.several * 1e3:.2f} ms with two workers, where {self.shared:.2f} cores share the work"

    def checked(self):
        return f"watched {self.accesses / self.watched / 1e6:.1f} million accesses a second and core"


def host(program, *arguments):
    line = subprocess.run([program, *map(str, arguments)], check=True, capture_output=True, text=True).stdout
    return float(line.split()[0])


def main():
    tool = os.path.join(sys.argv[1], "test", "bench", "virtual-speed")
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "host")
        subprocess.run(["clang++-22", "-O2", os.path.join(here, "virtual_device_host.cpp"), "-o", program], check=True)
        for name, size, shape in (("gemm", 256, (16, 16, 16, 16)), ("transpose", 2048, (64, 64, 32, 8))):
            speed, reference = Speed(tool, name, *shape, f"n={size}"), host(program, name, size)
            print(f"{name} {size}: host {reference * 1e3:.2f} ms, device {speed.processor * 1e3:.2f} ms on one core "
                  f"({speed.processor / reference:.2f} times); {speed.spread()}; {speed.checked()}")
    speed = Speed(tool, "barriers", 1000, 1, 1024, 1, "n=50")
    print(f"1,000 blocks of 1024 threads with 100 barriers: {speed.processor:.2f} s on one core; {speed.spread()}; {speed.checked()}")
    for name, shape, n in (("tiled", (16, 64, 16, 16), 256), ("reduce", (64, 1, 256, 1), 4000000), ("tree", (64, 128, 256, 1), 2000000),
                           ("stencil", (64, 256, 32, 8), 2048), ("histogram", (64, 1, 256, 1), 4000000)):
        speed = Speed(tool, name, *shape, f"n={n}")
        print(f"{name}: {speed.processor * 1e3:.2f} ms on one core; {speed.spread()}; {speed.checked()}")
    print("all checks and counters alone, without the kernel:")
    print(subprocess.run([os.path.join(sys.argv[1], "test", "bench", "watch-speed")], check=True, capture_output=True, text=True).stdout, end="")


main()
