"""write.py NAME FILE ...: writes submissions of the table below."""
import json
import sys

from submissions import patch, padded, reason, submission, whole

table = {
    "padded": patch("longer rows", padded, reasons=[reason(claims=[{"claim": "fewer-bank-conflicts", "subject": "tile"}])]),
    # The same program: another form, other names, another layout, a comment.
    "padded-again": whole("columns further apart", ("tile", "rows"), ("rows[32][32]", "rows[32]\n    [33] /* odd */"),
                          ("int j = 0", "int k = 0"), ("j < 32; j += 8", "k < 32; k += 8"), ("y + j", "y + k")),
    "swept": whole("sweep", ("tile[32][32]", "tile[32][32 + @PAD@]"), parameters={"PAD": {"from": 0, "to": 4, "step": 2}}),
    "without-reasons": patch("because", padded, reasons=[]),
    "no-such-finding": patch("because", padded, reasons=[reason("low-ilp-in-space")]),
    "syntax": whole("forgot a bracket", ("tile[32][32]", "tile[32][33")),
    "wrong": whole("one row off", ("in[(y + j) * n + x]", "in[(y + j) * n + (x ^ 1)]"), reasons=[reason("none")]),
    "out-of-bounds": whole("tile too small", ("tile[32][32]", "tile[31][33]")),
    "no-barrier": whole("who needs barriers", ("  __syncthreads();\n", ""), padded),
    "false-claim": patch("longer rows", ("tile[32][32]", "tile[32][34]"), reasons=[reason(claims=["fewer-registers"])]),
    "assembly": whole("asm", ("  __syncthreads();", '  asm volatile("bar.sync 0;");')),
    "include": patch("include", ("#include <warpwright/annotate.h>", "#include <warpwright/annotate.h>\n#include <cstdio>")),
    "host": patch("host", ("dim3(32, 8)>>>", "dim3(32, 4)>>>")),
    "shared-helper": patch("helper", ("2.0f * x", "x + x")),
    "annotation": patch("looser", ("tolerance(exact)", "tolerance(rel = 1)")),
    "steps": submission({"steps": [{"rewriter": "pad-shared-array", "parameters": {"pad": 1}}]}, "the tool's own"),
    "unexplained": whole("longer rows", ("tile[32][32]", "tile[32][35]"), reasons=[reason(claims=["luck"])]),
}

for name, path in zip(sys.argv[1::2], sys.argv[2::2]):
    json.dump(table[name], open(path, "w"), indent=1)
