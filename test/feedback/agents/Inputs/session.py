"""session.py PACKAGES WARPWRIGHT FOLDER INCLUDE CACHE: a whole session with the mcp package's own client."""
import os
import sys

packages, tool, folder, include, cache = sys.argv[1:]
sys.path.insert(0, packages)
import anyio  # noqa: E402
from mcp.client.client import Client  # noqa: E402
from mcp.client.stdio import StdioServerParameters, stdio_client  # noqa: E402

from submissions import padded, patch, reason, whole  # noqa: E402


def expect(condition, what):
    if not condition:
        sys.exit(f"session: {what}")


async def session(mode, memory):
    parameters = StdioServerParameters(
        command=tool, cwd=folder, env=dict(os.environ),
        args=["mcp", "flip.cu", "--memory", memory, "--cache-dir", cache, "--", "-arch=sm_90", "-I" + include])
    async with Client(stdio_client(parameters), mode=mode) as client:
        async def call(name, **arguments):
            result = await client.call_tool(name, arguments)
            expect(result.structured_content is not None, f"{name} has no structured content")
            return result.is_error, result.structured_content

        tools = [tool.name for tool in (await client.list_tools()).tools]
        expect(tools == ["kernels", "source", "facts", "findings", "feedback", "capabilities", "constraints", "tried",
                         "verdict", "search", "measure", "submit", "write"], f"tools are {tools}")
        _, kernels = await call("kernels")
        expect([k["kernel"] for k in kernels["kernels"]] == ["flip", "sum"], f"kernels: {kernels}")
        _, findings = await call("findings", kernel="flip")
        expect("bank-conflict" in [f["id"] for f in findings["findings"]], f"findings: {findings}")
        _, facts = await call("facts", kernel="flip")
        expect(facts["predictions"][0]["shapes"], "facts have no shapes")
        _, feedback = await call("feedback", kernel="flip")
        expect(feedback["shapes"][0]["busiest_unit"] == "shared memory", f"feedback: {feedback}")
        _, capabilities = await call("capabilities", kernel="flip")
        expect("pad-shared-array" in capabilities["proposed"], f"capabilities: {capabilities}")
        _, constraints = await call("constraints", kernel="flip")
        expect(constraints["level"] == "propose" and "submission" in constraints, f"constraints: {constraints}")
        _, source = await call("source", kernel="flip")
        expect("__global__ void flip" in source["source"], f"source: {source}")
        failed, none = await call("facts", kernel="flop")
        expect(failed and "there are flip, sum" in none["error"], f"no such kernel: {none}")

        _, wrong = await call("submit", submission=whole("off by one", ("in[(y + j) * n + x]", "in[(y + j) * n + (x ^ 1)]"),
                                                         reasons=[reason("none")]))
        expect(wrong["verdict"] == "declined" and wrong["category"] == "semantics", f"wrong: {wrong}")
        expect(any("instead of" in line for line in wrong["details"]), f"wrong: {wrong}")
        _, good = await call("submit", submission=patch("longer rows", padded, reasons=[
            reason(claims=[{"claim": "fewer-bank-conflicts", "subject": "tile"}])]))
        expect(good["verdict"] == "accepted" and good["candidates"][0]["gain"]["explained"], f"good: {good}")
        _, again = await call("measure", kernel="flip", steps="pad-shared-array pad=1")
        expect(again["verdict"] == "refused", f"again: {again}")
        failed, _ = await call("submit", submission={"schema": "warpwright/submission/1"})
        expect(failed, "an empty submission is taken")
        _, tried = await call("tried", kernel="flip")
        expect("longer rows: accepted" in tried["summary"], f"tried: {tried}")
        _, verdict = await call("verdict", id=good["id"])
        expect(verdict["verdict"] == "accepted", f"verdict: {verdict}")
        _, found = await call("search", words="longer rows")
        expect(good["id"] in [r["id"] for r in found["found"]], f"search: {found}")
        failed, write = await call("write", id=good["id"])
        expect(failed and "'propose'" in write["error"], f"write: {write}")
        print(f"{client.protocol_version}: session complete", flush=True)


for mode, memory in (("auto", "modern"), ("legacy", "legacy")):
    anyio.run(session, mode, memory)
