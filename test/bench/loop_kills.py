#!/usr/bin/env python3
"""loop_kills.py LOOP-REPLAY SPACE.csv KILLS: kills a search at random moments (SIGKILL), resumes it each time, and compares
what it ends with, and what its store holds, with a search that nobody killed. Exits with 1 where they differ."""
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

replay, space, kills = sys.argv[1], sys.argv[2], int(sys.argv[3])
columns = "round, identity, proposer, strategy, bottleneck, verdict, ratio, gain"


def outcomes(path):
    return sqlite3.connect(path).execute(f"SELECT {columns} FROM outcome ORDER BY id").fetchall()


def start(path, delay):
    return subprocess.Popen([replay, space, "--store", path, "--delay", str(delay)], stdout=subprocess.PIPE, text=True)


with tempfile.TemporaryDirectory() as folder:
    whole, cut = os.path.join(folder, "whole.sqlite"), os.path.join(folder, "cut.sqlite")
    begin = time.monotonic()
    expected = start(whole, 0).communicate()[0].split(";")[0]
    alone = time.monotonic() - begin  # what starting and reading takes, beside which nothing is measured
    random.seed(1)
    done, held, searches, lost = 0, 0, 0, 0
    while done < kills:
        running = start(cut, 20)
        time.sleep(random.uniform(0.01, alone + 0.25))
        if running.poll() is not None:  # it came to its end, of which nothing was made: once more, then another search
            lost += outcomes(cut) != outcomes(whole) or start(cut, 0).communicate()[0].split(";")[0] != expected
            lost += outcomes(cut) != outcomes(whole)
            searches += 1
            for name in os.listdir(folder):
                if name.startswith("cut"):
                    os.remove(os.path.join(folder, name))
            held = 0
            continue
        running.send_signal(signal.SIGKILL)
        running.wait()
        done += 1
        if os.path.exists(cut):
            try:
                now = outcomes(cut)
            except sqlite3.OperationalError:  # killed before there was a table
                now = []
            lost += len(now) < held or now != outcomes(whole)[:len(now)]
            held = len(now)
    text = start(cut, 0).communicate()[0].split(";")[0]
    same = text == expected and outcomes(cut) == outcomes(whole)
    print(f"{done} kills over {searches + 1} searches: {lost} lost something; the result is {'the same' if same else 'another'}: {text}")
    sys.exit(0 if same and lost == 0 else 1)
