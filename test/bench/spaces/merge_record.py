#!/usr/bin/env python3
"""merge_record.py RECORD FOLDER: joins what record_spaces measured with the points and what is known of them before, a
file a space. Sectors, wavefronts and instructions are in thousands, times in microseconds, one a shape."""
import os
import sys
import spaces

measured = {}
for line in open(sys.argv[1]):
    name, index, *rest = line.strip().split(",")
    measured[name, int(index)] = rest
for name in spaces.SHAPES:
    points = spaces.points(name)
    names = sorted(key for key in points[0] if key != "STRUCTURE")
    with open(os.path.join(sys.argv[2], name + ".csv"), "w") as out:
        out.write(",".join(["structure"] + [key.lower() for key in names] +
                           ["sectors", "wavefronts", "instructions", "threads", "grid", "shared_bytes", "held",
                            "registers", "local_bytes", "resident"] + [f"us{i}" for i in range(3)]) + "\n")
        for index, point in enumerate(points):
            status, registers, local, shared, resident, *times = measured.get((name, index), ["none"] + ["0"] * 4)
            if status != "ok":
                continue
            grid, block = spaces.launch(name, point, spaces.SHAPES[name][0])
            facts = spaces.facts(name, point)
            known = [round(f / 1000) for f in facts[:3]] + [block[0] * block[1], grid[0] * grid[1], round(facts[3]), facts[4]]
            row = [point["STRUCTURE"]] + [point[key] for key in names] + known + [registers, local, resident] + \
                [str(round(float(t), 1)) for t in times]
            out.write(",".join(map(str, row)) + "\n")
