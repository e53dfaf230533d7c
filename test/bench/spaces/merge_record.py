#!/usr/bin/env python3
"""merge_record.py RECORD FOLDER: joins what record_spaces measured with the points and what is known of them on each shape before,
a file a space. Times are in microseconds, one a shape."""
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
                           [f"{key}{i}" for i in range(3) for key in ("sectors", "wavefronts", "instructions", "grid", "held")] +
                           ["block_threads", "shared_bytes", "registers", "local_bytes", "resident"] +
                           [f"us{i}" for i in range(3)]) + "\n")
        for index, point in enumerate(points):
            status, registers, local, shared, resident, *times = measured.get((name, index), ["none"] + ["0"] * 4)
            if status != "ok":
                continue
            known = []
            for shape in spaces.SHAPES[name]:
                grid, block = spaces.launch(name, point, shape)
                facts = spaces.facts(name, point, shape)
                known += [round(f) for f in facts[:3]] + [grid[0] * grid[1], facts[4]]
            known += [block[0] * block[1], round(facts[3])]
            row = [point["STRUCTURE"]] + [point[key] for key in names] + known + [registers, local, resident] + \
                [str(round(float(t), 1)) for t in times]
            out.write(",".join(map(str, row)) + "\n")
