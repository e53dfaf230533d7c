"""endpoint.py WARPWRIGHT FOLDER INCLUDE CACHE: rounds against a scripted server that speaks chat completions, and against a
program. No model is behind either."""
import http.server
import json
import os
import subprocess
import sys
import threading

from submissions import padded, patch, reason, whole

tool, folder, include, cache = sys.argv[1:]
key = "secret-" + "k" * 20
good = json.dumps(patch("longer rows", padded, reasons=[reason(claims=[{"claim": "fewer-bank-conflicts", "subject": "tile"}])]))
bad = json.dumps(whole("no barrier", ("  __syncthreads();\n", "")))
answers = {"planner": ["pad the tile"],
           "coder": ["Here it is:\n```json\n" + bad + "\n```\nGood luck.", "```json\n" + good + "\n```"],
           "reviewer": ["object: the barrier is gone", "agree"], "diagnoser": ["padding pays"]}
starts = {"You plan": "planner", "You change": "coder", "You read a change": "reviewer", "You read what": "diagnoser"}
seen, statuses, keys = [], [], []


class Scripted(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        keys.append(self.headers.get("Authorization"))
        if len(statuses) < 2:
            statuses.append(503 if not statuses else 429)
            self.send_response(statuses[-1])
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        system = body["messages"][0]["content"]
        role = next(name for start, name in starts.items() if system.startswith(start))
        assert "warpwright/submission/1" in body["messages"][1]["content"], "the prefix has no constraints"
        seen.append(role)
        text = json.dumps({"choices": [{"message": {"role": "assistant", "content": answers[role].pop(0)}}],
                           "usage": {"total_tokens": 1000}}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *arguments):
        pass


def run(config, memory, *options, works=True):
    path = os.path.join(folder, "config.json")
    json.dump({"schema": "warpwright/agents/1", **config}, open(path, "w"))
    done = subprocess.run([tool, "agents", "flip.cu", "--config", path, "--kernel", "flip", "--memory", memory, "--cache-dir", cache,
                           "--format", "json", *options, "--", "-arch=sm_90", "-I" + include], cwd=folder, capture_output=True,
                          text=True, env={**os.environ, "SCRIPTED_KEY": key, "no_proxy": "127.0.0.1"})
    if works != bool(done.stdout):
        sys.exit(done.stdout + done.stderr)
    return json.loads(done.stdout) if works else done.stderr, done


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Scripted)
threading.Thread(target=server.serve_forever, daemon=True).start()
endpoint = {"url": f"http://127.0.0.1:{server.server_port}/v1/chat/completions", "model": "scripted-model",
            "key_variable": "SCRIPTED_KEY", "first_wait_ms": 10}
members = [{"role": role, "endpoint": endpoint} for role in ("planner", "coder", "reviewer", "diagnoser")]
result, done = run({"rounds": 1, "members": members}, "endpoint")
assert result["accepted"] == 1, (result, done.stderr)
print("endpoint:", *seen)
records = [json.load(open(os.path.join(folder, "endpoint", name))) for name in os.listdir(os.path.join(folder, "endpoint"))]
kept = any(key in open(os.path.join(root, name), errors="replace").read() for root, _, names in os.walk(folder) for name in names)
assert statuses == [503, 429] and set(keys) == {"Bearer " + key} and not kept and key not in done.stdout + done.stderr
print("retried twice, key sent, key in no file")
author = records[0]["submission"]["author"]
assert author["kind"] == "agent" and len(author["prompt"]) == 64, author
print("signed by", author["model"])

asked = len(seen)
result, done = run({"rounds": 1, "members": [{"role": "coder", "endpoint": {**endpoint, "total_tokens": 100}}]}, "capped")
assert "tokens are spent" in result["stopped"] and len(seen) == asked, result
print("tokens capped")

program = os.path.join(folder, "coder.py")
open(program, "w").write("import json, sys\nassert json.load(sys.stdin)['messages']\nprint(json.dumps({'content': " + repr(good) + "}))\n")
result, done = run({"rounds": 1, "members": [{"role": "coder", "command": [sys.executable, program]}]}, "command")
assert result["accepted"] == 1, (result, done.stderr)
print("command: accepted")

policy = os.path.join(folder, "policy.json")
json.dump({"schema": "warpwright/policy/1", "agents": {"level": "bench"}}, open(policy, "w"))
members = [{"role": "coder", "command": [sys.executable, program]}]
result, done = run({"rounds": 3, "members": members}, "level", "--policy", policy, works=False)
assert "the level 'bench' admits no submissions" in result and done.returncode == 2, done
assert "round 1" in result and "round 2" not in result, result
result, done = run({"members": members}, "twice", "--kernel", "sum", works=False)
assert "--kernel is given once" in result and done.returncode == 3, done
print("what no answer mends: ended at once")

open(program, "w").write("import os, time\nos.close(1)\ntime.sleep(600)\n")
result, done = run({"rounds": 1, "members": [{"role": "coder", "command": [sys.executable, program], "command_seconds": 1}]}, "silent")
assert "did not answer within 1 seconds" in result["stopped"], result
print("command: ended in time")

open(program, "w").write("print('{\"content\": \"no object at all\"}')\n")
result, done = run({"rounds": 2, "turns": 3, "members": [{"role": "coder", "command": [sys.executable, program]}]}, "turns")
assert result["turns"] == 6 and result["submissions"] == 0, result
print("turns capped")
