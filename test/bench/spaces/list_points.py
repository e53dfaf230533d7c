#!/usr/bin/env python3
"""list_points.py: one line a point for record_spaces, in a fixed random order: SPACE ID BLOCK_X BLOCK_Y GRIDS -D..."""
import random
import spaces

rows = []
for name, shapes in spaces.SHAPES.items():
    for index, point in enumerate(spaces.points(name)):
        grids = [spaces.launch(name, point, shape) for shape in shapes]
        block = grids[0][1]
        grid = " ".join(f"{g[0]} {g[1]}" for g, _ in grids)
        defines = ",".join(f"-D{key}={value}" for key, value in point.items())
        rows.append(f"{name} {index} {block[0]} {block[1]} {grid} {defines}")
first = [row for row in rows if row.split()[1] == "0"]
rest = [row for row in rows if row.split()[1] != "0"]
random.Random(1).shuffle(rest)
print("\n".join(first + rest))
