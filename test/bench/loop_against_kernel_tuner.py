#!/usr/bin/env python3
"""loop_against_kernel_tuner.py LOOP-REPLAY [--seeds N] [--kernel-tuner FOLDER]: on each recorded space, the median of
evaluations until a point within 5 % of the best: the loop, without feedback, without weights, and Kernel Tuner's strategies.
FOLDER holds the output of kernel_tuner_replay.py as SPACE.STRATEGY.txt; what is missing is run, which takes minutes.
The loop's constants were chosen on gemm and the reduction; the other two were not looked at for that. Weights come from
searches of other kernels: each of the two from the other one, the others from both. Prints figures and judges nothing."""
import argparse
import os
import statistics
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
parser = argparse.ArgumentParser()
parser.add_argument("replay")
parser.add_argument("--seeds", type=int, default=30)
parser.add_argument("--kernel-tuner", default="kernel-tuner")
options = parser.parse_args()
learnt = {"gemm": ["reduction"], "reduction": ["gemm"], "transpose": ["gemm", "reduction"], "softmax": ["gemm", "reduction"]}


def path(space):
    return os.path.join(here, "recorded", space + ".csv")


def figures(text, field):
    return [float(line.split()[field]) for line in text.splitlines() if line.startswith("seed")]


def loop(space, *switches):
    learn = [] if "--no-weights" in switches else [word for other in learnt[space] for word in ("--learn", path(other))]
    return subprocess.run([options.replay, path(space), "--seeds", str(options.seeds), *switches, *learn],
                          capture_output=True, text=True, check=True).stdout


def kernel_tuner(space, strategy):
    name = os.path.join(options.kernel_tuner, f"{space}.{strategy}.txt")
    if not os.path.exists(name):
        os.makedirs(options.kernel_tuner, exist_ok=True)
        text = subprocess.run([sys.executable, os.path.join(here, "kernel_tuner_replay.py"), path(space), strategy,
                               str(options.seeds)], capture_output=True, text=True, check=True).stdout
        open(name, "w").write(text)
    return statistics.median(figures(open(name).read(), 3))


print(f"{'space':10} {'loop':>6} {'no fb':>6} {'no wt':>6} {'random':>7} {'genetic':>8} {'bayes':>6}  share  screen; default stop")
for space in learnt:
    text = loop(space)
    median = statistics.median(figures(text, 3))
    without = [statistics.median(figures(loop(space, switch), 3)) for switch in ("--no-feedback", "--no-weights")]
    others = [kernel_tuner(space, strategy) for strategy in ("random_sample", "genetic_algorithm", "bayes_opt")]
    print(f"{space:10} {median:6.1f} {without[0]:6.1f} {without[1]:6.1f} {others[0]:7.1f} {others[1]:8.1f} {others[2]:6.1f}  "
          f"{median / min(others):5.2f}  {text.splitlines()[0][7:]}; {statistics.median(figures(text, 7)):.0f} candidates, "
          f"{statistics.median(figures(text, 8)):.3f} of the best", flush=True)
