"""lock.py RUNNER STUB JOB FOLDER: starts the runner while this process holds the device's lock, then lets go."""
import fcntl
import subprocess
import sys

runner, stub, job, folder = sys.argv[1:]
with open(f"{folder}/warpwright-{'5b' * 16}.lock", "w") as lock:
    fcntl.flock(lock, fcntl.LOCK_EX)
    process = subprocess.Popen([runner, job, "--driver", stub, "--lock-dir", folder, "--output", f"{folder}/result.json"])
    try:
        process.wait(timeout=3)
        print("held: runs")
    except subprocess.TimeoutExpired:
        print("held: waits")
print("released:", process.wait(timeout=60))
