"""searched.py WARPWRIGHT FOLDER INCLUDE CACHE: what an agent is told of a kernel that searches on devices have measured."""
import json
import subprocess
import sys

tool, folder, include, cache = sys.argv[1:]
meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
server = subprocess.Popen([tool, "mcp", "flip.cu", "--memory", "memory", "--knowledge", "knowledge.sqlite", "--cache-dir", cache,
                           "--", "-arch=sm_90", "-I" + include], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def call(name, kernel):
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
               "params": {"name": name, "arguments": {"kernel": kernel}, "_meta": meta}}
    server.stdin.write(json.dumps(request) + "\n")
    server.stdin.flush()
    return json.loads(server.stdout.readline())["result"]["structuredContent"]


for kernel in ("flip", "sum", "flop"):
    answer = call("tried", kernel)
    print(kernel, answer.get("summary", answer.get("error")))
    print(kernel, json.dumps(call("feedback", kernel).get("searched")))
server.stdin.close()
server.wait()
