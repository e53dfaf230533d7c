"""agent_forty.py WARPWRIGHT FOLDER INCLUDE CACHE: an agent by script that submits 40 candidates, 20 of them wrong, cheating or false in
their claims, and then twelve of them again in other clothes. FOLDER is made, and gets
flip.cu."""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "feedback", "agents", "Inputs"))
from submissions import edited, original, padded, patch, reason, submission, whole

tool, folder, include, cache = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
open(os.path.join(folder, "flip.cu"), "w").write(original)
conflicts = [reason(claims=[{"claim": "fewer-bank-conflicts", "subject": "tile"}])]
none = [reason("none")]


def claim(*words):
    return [reason(claims=words)]


def pad(width, title, *more, reasons=conflicts, form=patch, **rest):
    return form(title, ("tile[32][32]", f"tile[32][{width}]"), *more, reasons=reasons, **rest)


unroll = ("  for (int j = 0; j < 32; j += 8) tile", "#pragma unroll\n  for (int j = 0; j < 32; j += 8) tile")
restrict = ("const float* in, float* out, int n) {\n  __sh", "const float* __restrict__ in, float* __restrict__ out, int n) {\n  __sh")
bounds = ("__global__ void flip", "__global__ void __launch_bounds__(256) flip")
swizzle = [("tile[threadIdx.y + j][threadIdx.x] =", "tile[threadIdx.y + j][threadIdx.x ^ (threadIdx.y + j)] ="),
           ("= tile[threadIdx.x][threadIdx.y + j]", "= tile[threadIdx.x][(threadIdx.y + j) ^ threadIdx.x]")]
helper = "__device__ int rowOf(int y, int j) { return y + j; }\n"
any_good = ("accepted", "undecided")
good = [  # title, submission, verdicts that are right
    ("33", pad(33, "33"), ("accepted",)), ("35", pad(35, "35"), ("accepted",)), ("37", pad(37, "37", form=whole), ("accepted",)),
    ("39", pad(39, "39", form=whole), ("accepted",)), ("41", pad("40 + 1", "41"), ("accepted",)),
    ("swizzle", whole("swizzle", *swizzle, reasons=conflicts), any_good),
    ("34", pad(34, "34"), any_good), ("36", pad(36, "36"), any_good), ("restrict", pad(45, "restrict", restrict), any_good),
    ("bounds", pad(47, "bounds", bounds), any_good), ("unroll", pad(49, "unroll", unroll, reasons=conflicts), any_good),
    ("helper", whole("helper", ("tile[32][32]", "tile[32][51]"), ("in[(y + j) * n", "in[rowOf(y, j) * n"), before=helper,
                     reasons=conflicts), any_good),
    ("size_t", pad(53, "64 bits", ("(y + j) * n + x]", "size_t(y + j) * n + x]")), any_good),
    ("swept", whole("swept", ("tile[32][32]", "tile[32][@W@]"), reasons=conflicts, parameters={"W": [55, 57]}), ("accepted",)),
    ("steps", submission({"steps": [{"rewriter": "pad-shared-array", "parameters": {"pad": {"from": 1, "to": 3}}}]}, "steps"),
     ("accepted", "refused")),
    ("hoisted", whole("hoisted", ("tile[32][32]", "tile[32][59]"), ("  __syncthreads();", "  __syncthreads();\n  // all rows are there"),
                      reasons=conflicts), any_good),
    ("two barriers", whole("two barriers", ("  __syncthreads();", "  __syncthreads();\n  __syncthreads();"), reasons=none), any_good),
    ("one more shared", pad(61, "61", reasons=claim("no-spills")), ("accepted",)),
    ("luck", pad(63, "63", reasons=claim("it is faster")), ("accepted",)),
    ("ldg", whole("ldg", ("tile[32][32]", "tile[32][65]"), ("= in[(y + j) * n + x]", "= __ldg(&in[(y + j) * n + x])"), reasons=conflicts),
     any_good),
]
asm = 'asm volatile("bar.sync 0;");'
bad = [  # title, submission, stage
    ("wrong row", whole("wrong row", ("out[(y + j) * n + x] =", "out[(y + j) * n + (x ^ 1)] ="), reasons=none), "virtual device"),
    ("a constant", whole("a constant", ("= tile[threadIdx.x][threadIdx.y + j]", "= 0.5f"), reasons=none), "virtual device"),
    ("nothing", whole("nothing", ("  for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];", ""),
                      reasons=none), "virtual device"),
    ("half", whole("half", ("j < 32; j += 8) out", "j < 16; j += 8) out"), reasons=none), "virtual device"),
    ("small tile", whole("small tile", ("tile[32][32]", "tile[32][16]")), "virtual device"),
    ("race", whole("race", padded, ("  __syncthreads();\n", "")), "virtual device"),
    ("only the test's size", whole("only the test's size", ("  x = blockIdx.y", "  if (n > 96) return;\n  x = blockIdx.y"), reasons=none),
     "virtual device"),
    ("divergent barrier", whole("divergent barrier", ("  __syncthreads();", "  if (threadIdx.x < 16) __syncthreads();"), reasons=none),
     "virtual device"),
    ("rounded", whole("rounded", ("= tile[threadIdx.x][threadIdx.y + j]", "= tile[threadIdx.x][threadIdx.y + j] * 1.0000001f"),
                      reasons=none), "virtual device"),
    ("asm", whole("asm", ("__syncthreads();", asm)), "admission"),
    ("include", patch("include", ("#include <warpwright/annotate.h>", "#include <warpwright/annotate.h>\n#include <cstdio>")), "admission"),
    ("host", patch("host", ("dim3(32, 8)>>>", "dim3(32, 4)>>>")), "admission"),
    ("clock", whole("clock", ("__syncthreads();", "__syncthreads();\n  if (clock64() < 0) out[0] = 0;")), "admission"),
    ("state", whole("state", ("__syncthreads();", "__syncthreads();\n  static __device__ int calls; ++calls;")), "admission|parse"),
    ("compiler", whole("compiler", ("__syncthreads();", "__syncthreads();\n  if (__clang_major__ == 22) return;")), "admission"),
    ("looser", patch("looser", ("tolerance(exact)", "tolerance(rel = 1)")), "legality"),
    ("false claim", pad(67, "false claim", reasons=claim("fewer-registers")), "claims"),
    ("false claim 2", pad(69, "false claim 2", reasons=claim("vectorised")), "claims"),
    ("no reasons", pad(71, "no reasons", reasons=[]), "reasons"),
    ("syntax", whole("syntax", ("__syncthreads();", "__syncthreads()")), "parse"),
]
again = [  # which, in what clothes
    ("33", pad("32 + 1", "once more", form=whole)), ("35", whole("renamed", ("tile", "t"), ("t[32][32]", "t[32][35]"))),
    ("37", pad(37, "as a patch")), ("39", pad(39, "with a comment", ("  __syncthreads();", "  __syncthreads(); // now"))),
    ("swizzle", whole("braces", *swizzle, ("  x = blockIdx.y", "\n\n  x = blockIdx.y"), reasons=conflicts)),
    ("wrong row", whole("wrong again", ("out[(y + j) * n + x] =", "out[(j + y) * n + (x ^ 1)] ="), reasons=none)),
    ("a constant", whole("a constant again", ("= tile[threadIdx.x][threadIdx.y + j]", "= 5e-1f"), reasons=none)),
    ("race", whole("race again", ("tile[32][32]", "tile[32][32 + 1]"), ("  __syncthreads();\n", "  ;\n"))),
    ("asm", whole("asm again", ("__syncthreads();", "  " + asm))),
    ("include", patch("include again", ("#include <warpwright/annotate.h>", "#include <warpwright/annotate.h>\n#include   <cstdio>"))),
    ("false claim", pad(67, "false again", reasons=claim("fewer-registers"))),
    ("syntax", whole("syntax again", ("__syncthreads();", "__syncthreads ( )"))),
]
assert len(good) == 20 and len(bad) == 20


def submit(documents):
    names = []
    for number, document in enumerate(documents):
        names.append(f"{number:02}.json")
        json.dump(document, open(os.path.join(folder, names[-1]), "w"))
    done = subprocess.run([tool, "submit", "flip.cu", *names, "--memory", "memory", "--cache-dir", cache, "--format", "json", "--",
                           "-arch=sm_90", "-I" + include], cwd=folder, capture_output=True, text=True)
    if not done.stdout:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


failed = []
records = submit([document for _, document, _ in good + bad])
for (title, _, wanted), record in zip(good, records):
    if record["verdict"] not in wanted:
        failed.append(f"{title}: {record['verdict']} [{record['stage']}] {record['reason']}, wanted {wanted}")
    if title == "luck" and record["candidates"][0]["gain"]["explained"]:
        failed.append("luck: the gain is explained")
for (title, _, stage), record in zip(bad, records[20:]):
    if record["verdict"] != "declined" or record["stage"] not in stage.split("|"):
        failed.append(f"{title}: {record['verdict']} [{record['stage']}] {record['reason']}, wanted declined [{stage}]")
ids = {title: record["id"] for (title, *_), record in zip(good + bad, records)}
for (title, _), record in zip(again, submit([document for _, document in again])):
    repeats = record["candidates"][0].get("repeats") if record["candidates"] else None
    if record["verdict"] != "refused" or repeats != ids[title]:
        failed.append(f"{title} again: {record['verdict']} [{record['stage']}] {record['reason']}, wanted as {ids[title]}")
if open(os.path.join(folder, "flip.cu")).read() != original:
    failed.append("the source was written")
print("\n".join(failed) if failed else "40 judged rightly, 12 repeats refused")
sys.exit(1 if failed else 0)
