#!/usr/bin/env python3
"""kernel_tuner_replay.py SPACE.csv STRATEGY SEEDS [--most N]: Kernel Tuner (PyPI: kernel_tuner) on a recorded space, in its
simulation mode, with its defaults. Prints, a line a seed, how many points were evaluated until one was within 5 % of the
best. The legal points are given to it as they are: it need not find out what is legal."""
import argparse
import contextlib
import csv
import io
import json
import logging
import math
import os
import random
import tempfile
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)
import numpy
import kernel_tuner
import kernel_tuner.interface as interface
from kernel_tuner.runners.simulation import SimulationRunner
from kernel_tuner.searchspace import Searchspace

parser = argparse.ArgumentParser()
parser.add_argument("space")
parser.add_argument("strategy")
parser.add_argument("seeds", type=int)
parser.add_argument("--most", type=int, default=400)
options = parser.parse_args()

rows = list(csv.DictReader(open(options.space)))
names = list(rows[0])
names = names[:names.index("sectors0")]
first = [float(rows[0][f"us{i}"]) for i in range(3)]
cache, keys = {}, {name: sorted({int(row[name]) for row in rows}) for name in names}
for row in rows[1:]:
    point = {name: int(row[name]) for name in names}
    time = math.exp(sum(math.log(float(row[f"us{i}"]) / first[i]) for i in range(3)) / 3)
    cache[",".join(str(point[name]) for name in names)] = {**point, "time": time, "compile_time": 0, "verification_time": 0,
                                                           "benchmark_time": 0, "strategy_time": 0, "framework_time": 0}
enough = 1.05 * min(entry["time"] for entry in cache.values())
document = {"device_name": "recorded", "kernel_name": "recorded", "problem_size": 1, "tune_params_keys": names,
            "tune_params": keys, "objective": "time", "cache": cache}


class Found(Exception):
    pass


seen = set()
run = SimulationRunner.run


def counted(self, points, tuning):
    results = []
    for point in points:
        results += run(self, [point], tuning)
        seen.add(tuple(point))
        if results[-1] and results[-1].get("time", 9) <= enough or len(seen) >= options.most:
            raise Found
    return results


SimulationRunner.run = counted
space = Searchspace(None, None, None, from_cache=document)
interface.Searchspace = lambda *_, **__: space
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "cache.json")
    json.dump(document, open(path, "w"))
    for seed in range(1, options.seeds + 1):
        random.seed(seed)
        numpy.random.seed(seed)
        seen.clear()
        with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(Found):
            kernel_tuner.tune_kernel("recorded", "__global__ void recorded() {}", 1, [], keys, lang="CUDA", simulation_mode=True,
                                     cache=path, strategy=options.strategy, strategy_options={"max_fevals": options.most})
        print(f"seed {seed} evaluations {len(seen)}", flush=True)
