"""only-correctness.py ANALYSES.DEF: a policy under which rules of speed are off, so that those of correctness and of host code warn."""
import json
import re
import sys

CORRECTNESS = {"divergent-barrier", "host-pointer-argument", "index-overflow", "missing-barrier", "partial-warp-exchange",
               "unchecked-api-call", "unchecked-launch", "unsigned-wrap"}
with open(sys.argv[1]) as table:
    rules = set(re.findall(r'(?m)^WARPWRIGHT_(?:HOST_)?FINDING\("([a-z0-9-]+)"', table.read()))
assert CORRECTNESS <= rules, CORRECTNESS - rules
print(json.dumps({"schema": "warpwright/policy/1", "severity": {rule: "off" for rule in sorted(rules - CORRECTNESS)}}))
