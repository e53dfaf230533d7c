"""hostile.py WARPWRIGHT FOLDER INCLUDE: 1,200 messages that no good client sends."""
import json
import os
import random
import subprocess
import sys

tool, folder, include = sys.argv[1:]
chance = random.Random(7)
meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}


def fail(what):
    server.kill()
    sys.exit(f"hostile: {what}")


def request(method, params=None, number=1):
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": {**(params or {}), "_meta": meta}}


def call(name, arguments):
    return request("tools/call", {"name": name, "arguments": arguments})


def submission(**changes):
    document = {"schema": "warpwright/submission/1", "kernel": "flip", "change": {"patch": "@@ -1 +1 @@\n-a\n+b\n"}, "reasons": []}
    document.update(changes)
    return call("submit", {"submission": document})


shell = "$(touch pwned); `touch pwned`; touch pwned; | touch pwned\n&& touch pwned"
crafted = [  # each with whether an answer is due, and whether that is an error of some kind
    (b"", False), (b"\xff\xfe\x00", True), (b"{", True), (b"null", True), (b"[" * 100000, True), (b'{"a":' * 5000, True),
    (b'"' + b"x" * 1000000, True), (b"{" + b" " * 5000000 + b"}", True), (b"\x00\x01\x02", True), (b"[]", True), (b"[1, 2]", True),
    (json.dumps([request("tools/list")]).encode(), True), (b'{"jsonrpc": "2.0", "id": {}, "method": "tools/list"}', True),
    (b'{"jsonrpc": "1.0", "id": 1, "method": "tools/list"}', True), (b'{"jsonrpc": "2.0", "id": 1}', True),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": 3}', True),
    (b'{"jsonrpc": "2.0", "id": 99999999999999999999999, "method": "tools/list"}', True),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "' + b"m" * 100000 + b'"}', True),
    (b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": [[]]}}', False),
    (b'{"jsonrpc": "2.0", "id": 5, "result": {"a": 1}}', False), (b'{"jsonrpc": "2.0", "id": 5, "error": 3}', False),
]
for value in ("../../etc/passwd", "/etc/passwd", shell, "\x1b[2J", "a\x00b", "x" * 500, -1, 1e308, None, [], {}, True):
    for name in ("facts", "verdict", "tried", "search", "measure", "write", "submit", "no-such-tool", "../submit"):
        for key in ("kernel", "id", "words", "steps", "submission"):
            crafted.append((json.dumps(call(name, {key: value, "more": value})).encode(), True))
    crafted.append((json.dumps(request("tools/call", {"name": value})).encode(), True))
    for key in ("schema", "kernel", "change", "parameters", "launch", "reasons", "author", shell):
        crafted.append((json.dumps(submission(**{key: value})).encode(), True if key != "kernel" else None))
crafted += [
    (json.dumps(submission(change={"steps": [{"rewriter": shell}]})).encode(), True),
    (json.dumps(submission(change={"kernel": "x" * 300000})).encode(), True),
    (json.dumps(submission(parameters={"A": {"from": 0, "to": 2 ** 60}})).encode(), True),
    (json.dumps(submission(parameters={"A": {"from": 0, "to": 10, "step": 0}})).encode(), True),
    (json.dumps(submission(parameters={"A": [1] * 10, "B": [1] * 10})).encode(), True),
    (json.dumps(call("measure", {"kernel": "flip", "steps": shell})).encode(), True),
]


def spoilt():
    line = bytearray(json.dumps(submission(title="t")).encode())
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(line))
        kind = chance.randrange(3)
        if kind == 0:
            line[at] = chance.randrange(256)
        elif kind == 1:
            del line[at:at + chance.randint(1, 9)]
        else:
            line[at:at] = chance.choice([b"{", b"}", b'"', b"\\", b"\\u0000", b"\xc3", b"[", b"null"])
    return bytes(line).replace(b"\n", b" ")


messages = crafted[:1200]
while len(messages) < 1200:
    messages.append((spoilt(), None))
server = subprocess.Popen([tool, "mcp", "flip.cu", "--memory", "memory", "--", "-arch=sm_90", "-I" + include], cwd=folder,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def is_error(reply):
    return "error" in reply or reply["result"].get("isError") or reply["result"].get("structuredContent", {}).get("verdict") == "declined"


for number, (message, wants_error) in enumerate(messages):
    # A question behind each: what comes before its answer belongs to the message.
    server.stdin.write(message + b"\n" + json.dumps(request("server/discover", number=f"q{number}")).encode() + b"\n")
    server.stdin.flush()
    replies = []
    while True:
        line = server.stdout.readline()
        if not line:
            fail(f"the server ended at message {number}: {message[:200]!r}")
        reply = json.loads(line)
        if reply.get("jsonrpc") != "2.0" or ("result" in reply) == ("error" in reply):
            fail(f"no answer of the protocol: {line[:200]!r}")
        if reply.get("id") == f"q{number}":
            break
        replies.append(reply)
    if len(replies) > 1:
        fail(f"{len(replies)} answers to {message[:200]!r}")
    if wants_error is True and not (replies and is_error(replies[0])):
        fail(f"no error for {message[:200]!r}: {replies}")
    if wants_error is False and replies:
        fail(f"an answer to {message[:200]!r}")
server.stdin.close()
if server.wait(timeout=20) != 0:
    fail("the server failed when its client went")
if "pwned" in os.listdir(folder) or open(os.path.join(folder, "flip.cu")).read() != open(os.path.join(os.path.dirname(__file__), "flip.cu")).read():
    fail("something was written")
print(f"{len(messages)} messages, no crash, no hang")
