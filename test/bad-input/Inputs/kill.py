"""kill.py SIGNAL MARK FOLDER COMMAND ...: starts the command, waits until the file MARK is there, kills the command alone, and
waits until nothing is left in FOLDER but MARK. Fails after 60 seconds."""
import os
import signal
import subprocess
import sys
import time

number, mark, folder = getattr(signal, sys.argv[1]), sys.argv[2], sys.argv[3]
end = time.time() + 60


def until(what, condition):
    while not condition():
        if time.time() > end:
            sys.exit(f"not in time: {what}; {os.listdir(folder)}")
        time.sleep(0.05)


# Where this runs in the background, an interrupt may be ignored already.
process = subprocess.Popen(sys.argv[4:], start_new_session=True, preexec_fn=lambda: signal.signal(number, signal.SIG_DFL)
                           if number != signal.SIGKILL else None)
until("the compiler runs", lambda: os.path.exists(mark))
assert len(os.listdir(folder)) == 1, os.listdir(folder)
process.send_signal(number)
if process.wait() != -number:
    sys.exit(f"exit code {process.returncode}")
until("the folder is empty", lambda: not os.listdir(folder))
