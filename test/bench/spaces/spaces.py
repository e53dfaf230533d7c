"""The four spaces that are recorded for the loop: what their points are, how each is launched, and what is known of it
before a compiler has seen it. Sectors, wavefronts and instructions are counted lane by lane, as `warpwright analyze`
counts them, for each shape (docs/architecture/loop.md)."""
import itertools

MULTIPROCESSORS = 132
SHAPES = {
    "gemm": [(2048, 2048, 2048), (512, 512, 512), (64, 4096, 1024)],
    "transpose": [(4096, 4096), (1000, 4004), (8192, 512)],
    "reduction": [(1 << 26,), (1 << 20,), (100004,)],
    "softmax": [(4096, 4096), (1024, 8192), (32768, 256)],
}
STRUCTURES = {
    "gemm": ["resize-block", "block-registers", "stage-shared-tile"],
    "transpose": ["resize-block", "swap-thread-axes", "block-registers", "transpose-through-shared"],
    "reduction": ["resize-block", "coarsen-threads factor", "coarsen-threads blocks"],
    "softmax": ["resize-block", "distribute-row-loop", "distribute-row-loop online", "distribute-row-loop registers"],
}
# One value of a parameter that a structure does not have.
NONE = 0


def up(a, b):
    return -(-a // b)


def product(**ranges):
    for values in itertools.product(*ranges.values()):
        yield dict(zip(ranges, values))


def sectors(addresses, width):
    """Of one request: distinct 32-byte segments; addresses in floats, width in floats."""
    return len({(4 * a + 4 * w) // 32 for a in addresses for w in range(width)})


def wavefronts(words, width):
    """Of one shared request of up to 32 lanes, `width` words each: halves for two words, quarters for four."""
    total, lanes = 0, 32 // width
    for first in range(0, len(words), lanes):
        banks = {}
        for word in words[first:first + lanes]:
            for w in range(width):
                banks.setdefault((word + w) % 32, set()).add(word + w)
        total += max(len(found) for found in banks.values())
    return total


def points(space):
    """Every point that its structure admits; the first is the original."""
    return list(globals()[f"{space}_points"]())


def launch(space, p, shape):
    """Grid and block of a point on a shape."""
    return globals()[f"{space}_launch"](p, *shape)


def facts(space, p, shape):
    """(sectors, wavefronts, instructions of warps, shared bytes of a block, registers that its arrays need)."""
    return globals()[f"{space}_facts"](p, *shape)


# gemm ---------------------------------------------------------------------------------------------------------------
def gemm_points():
    empty = dict(BX=NONE, BY=NONE, UNROLL=NONE, TM=1, TN=1, BM=NONE, BN=NONE, BK=NONE, STAGES=NONE, PAD=NONE, VEC=NONE)
    yield {**empty, "STRUCTURE": 0, "BX": 16, "BY": 16, "UNROLL": 1}
    for p in product(BX=[8, 16, 32, 64, 128], BY=[1, 2, 4, 8, 16, 32], UNROLL=[1, 4, 8]):
        if 32 <= p["BX"] * p["BY"] <= 1024 and p != dict(BX=16, BY=16, UNROLL=1):
            yield {**empty, "STRUCTURE": 0, **p}
    for p in product(BX=[16, 32, 64], BY=[2, 4, 8, 16], TM=[1, 2, 4, 8], TN=[1, 2, 4], UNROLL=[1, 4]):
        if p["BX"] * p["BY"] <= 512 and p["TM"] * p["TN"] > 1:
            yield {**empty, "STRUCTURE": 1, **p}
    for p in product(BM=[32, 64, 128], BN=[32, 64, 128], BK=[8, 16, 32], TM=[2, 4, 8], TN=[2, 4, 8], STAGES=[1, 2],
                     PAD=[0, 4], VEC=[1, 4]):
        threads = p["BM"] // p["TM"] * (p["BN"] // p["TN"])
        shared = 4 * p["STAGES"] * p["BK"] * (p["BM"] + p["BN"] + 2 * p["PAD"])
        if 64 <= threads <= 512 and shared <= 48 << 10 and p["BK"] * p["BM"] >= threads * p["VEC"] // 2 and \
                p["BK"] * min(p["BM"], p["BN"]) <= 64 * threads:
            yield {**empty, "STRUCTURE": 2, **p}


def gemm_launch(p, m, n, k):
    if p["STRUCTURE"] < 2:
        return (up(n, p["BX"] * p["TN"]), up(m, p["BY"] * p["TM"]), 1), (p["BX"], p["BY"], 1)
    return (up(n, p["BN"]), up(m, p["BM"]), 1), (p["BM"] // p["TM"] * (p["BN"] // p["TN"]), 1, 1)


def gemm_facts(p, m, n, k):
    tm, tn = p["TM"], p["TN"]
    if p["STRUCTURE"] < 2:
        warps = m * n / (32 * tm * tn)
        rows = max(1, 32 // p["BX"])
        ofA, ofB = tm * rows, tn * sectors([l % p["BX"] for l in range(32)], 1)
        stores = m * n / 8 * max(1, 8 / min(p["BX"], 8))
        return warps * k * (ofA + ofB) + stores, 0, warps * k * (tm + tn + tm * tn + 3 / max(1, p["UNROLL"])), 0, \
            tm * tn + (tm + tn) * p["UNROLL"]
    bm, bn, bk, vec = p["BM"], p["BN"], p["BK"], p["VEC"]
    tx, ty = bn // tn, bm // tm
    threads, blocks, steps = tx * ty, up(m, bm) * up(n, bn), up(k, bk)
    gx, gy, ldA, ldB = min(tn, 4), min(tm, 4), bm + p["PAD"], bn + p["PAD"]
    lanes = range(32)
    storeA = sum(wavefronts([((l * vec) % bk + v) * ldA + (l * vec) // bk for l in lanes], 1) for v in range(vec))
    storeB = wavefronts([(l * vec) // bn * ldB + (l * vec) % bn for l in lanes], vec)
    left = wavefronts([l // tx * gy for l in lanes], gy) * (tm // gy)
    right = wavefronts([l % tx * gx for l in lanes], gx) * (tn // gx)
    requestsA, requestsB = up(bm * bk, 32 * vec), up(bk * bn, 32 * vec)
    warps = threads / 32
    waves = blocks * steps * (storeA * requestsA + storeB * requestsB + warps * bk * (left + right))
    perStep = requestsA * (3 + vec) + requestsB * 4 + warps * (bk * (tm * tn + tm // gy + tn // gx) + 8)
    sector = blocks * steps * (bm * bk / 8 + bk * bn / 8) + m * n / 8
    held = (up(bm * bk, threads * vec) + up(bk * bn, threads * vec)) * vec
    return sector, waves, blocks * steps * perStep, 4 * p["STAGES"] * bk * (ldA + ldB), tm * tn + tm + tn + held


# transpose ------------------------------------------------------------------------------------------------------------
def transpose_points():
    empty = dict(BX=NONE, BY=NONE, RX=NONE, RY=NONE, TX=NONE, TY=NONE, THREADS=NONE, VEC=NONE, LAYOUT=NONE)
    yield {**empty, "STRUCTURE": 0, "BX": 32, "BY": 8, "ORDER": 0}
    for s in (0, 1):
        for p in product(BX=[4, 8, 16, 32, 64, 128, 256], BY=[1, 2, 4, 8, 16, 32], ORDER=[0, 1]):
            if 32 <= p["BX"] * p["BY"] <= 1024 and (s or p != dict(BX=32, BY=8, ORDER=0)):
                yield {**empty, "STRUCTURE": s, **p}
    for p in product(BX=[2, 4, 8, 16, 32, 64], BY=[2, 4, 8, 16, 32, 64], RX=[1, 2, 4], RY=[1, 2, 4], ORDER=[0, 1]):
        if 64 <= p["BX"] * p["BY"] <= 512 and p["RX"] * p["RY"] > 1:
            yield {**empty, "STRUCTURE": 2, **p}
    for p in product(TX=[16, 32, 64, 128], TY=[16, 32, 64, 128], THREADS=[64, 128, 256, 512, 1024], VEC=[1, 2, 4],
                     LAYOUT=[0, 1, 2, 3], ORDER=[0, 1]):
        area = p["TX"] * p["TY"]
        if p["THREADS"] * p["VEC"] <= area <= 64 * p["THREADS"] and 4 * p["TY"] * (p["TX"] + 4) <= 48 << 10:
            yield {**empty, "STRUCTURE": 3, **p}


def transpose_launch(p, rows, cols):
    s = p["STRUCTURE"]
    c, r = {0: (p["BX"], p["BY"]), 1: (p["BY"], p["BX"]), 2: (p["BX"] * p["RX"], p["BY"] * p["RY"]),
            3: (p["TX"], p["TY"])}[s]
    grid = (up(cols, c), up(rows, r), 1)
    if p["ORDER"]:
        grid = (grid[1], grid[0], 1)
    return grid, ((p["THREADS"], 1, 1) if s == 3 else (p["BX"], p["BY"], 1))


def transpose_facts(p, rows, cols):
    s, n, lanes = p["STRUCTURE"], rows * cols, range(32)
    if s < 2:
        one = sectors([l % p["BX"] + l // p["BX"] * cols for l in lanes], 1)
        other = sectors([l % p["BX"] * cols + l // p["BX"] for l in lanes], 1)
        return n / 32 * (one + other), 0, n / 32 * 12, 0, 1
    if s == 2:
        rx, ry = p["RX"], p["RY"]
        read = ry * sectors([l % p["BX"] * rx + l // p["BX"] * ry * cols for l in lanes], rx)
        write = rx * sectors([l % p["BX"] * rx * rows + l // p["BX"] * ry for l in lanes], ry)
        return n / (32 * rx * ry) * (read + write), 0, n / (32 * rx * ry) * (12 + 2 * (rx + ry)), 0, rx * ry
    tx, ty, vec = p["TX"], p["TY"], p["VEC"]
    pad = {0: 0, 1: 1, 2: 4, 3: 0}[p["LAYOUT"]]

    def at(y, x):
        return y * (tx + pad) + (x ^ (y // vec * vec % tx) if p["LAYOUT"] == 3 else x)
    waves = 0
    for v in range(vec):
        waves += wavefronts([at(l // (tx // vec), l % (tx // vec) * vec + v) for l in lanes], 1)
        waves += wavefronts([at(l % (ty // vec) * vec + v, l // (ty // vec)) for l in lanes], 1)
    read = sectors([l // (tx // vec) * cols + l % (tx // vec) * vec for l in lanes], vec)
    write = sectors([l // (ty // vec) * rows + l % (ty // vec) * vec for l in lanes], vec)
    requests = n / (32 * vec)
    return requests * (read + write), requests * waves, requests * (10 + 4 * vec), 4 * ty * (tx + pad), \
        tx * ty // p["THREADS"]


# reduction ------------------------------------------------------------------------------------------------------------
def reduction_points():
    empty = dict(FACTOR=NONE, WALK=NONE, BLOCKS=NONE, UNROLL=NONE, VEC=1)
    blocks = [64, 128, 256, 512, 1024]
    yield {**empty, "STRUCTURE": 0, "BLOCK": 256, "FOLD": 0}
    for p in product(BLOCK=blocks, FOLD=[0, 1, 2]):
        if p != dict(BLOCK=256, FOLD=0):
            yield {**empty, "STRUCTURE": 0, **p}
    for p in product(BLOCK=blocks, FOLD=[0, 1, 2], FACTOR=[2, 4, 8, 16, 32, 64], WALK=[0, 1], VEC=[1, 2, 4]):
        if p["VEC"] <= p["FACTOR"]:
            yield {**empty, "STRUCTURE": 1, **p}
    for p in product(BLOCK=blocks, FOLD=[0, 1, 2], BLOCKS=[1, 2, 4, 8, 16, 32], UNROLL=[1, 2, 4, 8], VEC=[1, 2, 4]):
        yield {**empty, "STRUCTURE": 2, **p}


def reduction_launch(p, n):
    block = (p["BLOCK"], 1, 1)
    if p["STRUCTURE"] == 2:
        return (min(p["BLOCKS"] * MULTIPROCESSORS, up(n, p["BLOCK"] * p["VEC"])), 1, 1), block
    return (up(n, p["BLOCK"] * max(1, p["FACTOR"])), 1, 1), block


def reduction_facts(p, n):
    lanes, block, vec = range(32), p["BLOCK"], p["VEC"]
    grid = reduction_launch(p, n)[0][0]
    stride = p["FACTOR"] if p["STRUCTURE"] == 1 and p["WALK"] else vec
    each = sectors([l * stride for l in lanes], vec)
    sector = n / (32 * vec) * each + grid
    loads = n / (32 * vec) * (2 + vec + (3 / max(1, p["UNROLL"]) if p["STRUCTURE"] == 2 else 1))
    waves, fold, warps = 0, 0, block // 32
    if p["FOLD"] == 2:
        waves, fold = 2 * warps + 1, warps * 14 + 12
    else:
        stride = 1
        waves = warps
        while stride < block:
            if p["FOLD"] == 0:
                words = [l for l in range(block) if l % (2 * stride) == 0]
                active = {l // 32 for l in words}
                waves += sum(3 * wavefronts([l for l in words if l // 32 == w], 1) for w in active)
                fold += warps * 6 + 3 * len(active)
            else:
                waves += 3 * up(block // (2 * stride), 32)
                fold += warps * 4 + 3 * up(block // (2 * stride), 32)
            stride *= 2
    return sector, grid * waves, loads + grid * (fold + 8 * warps), 4 * (32 if p["FOLD"] == 2 else block), \
        vec * max(1, min(8, p["UNROLL"] or p["FACTOR"] // vec))


# softmax --------------------------------------------------------------------------------------------------------------
def softmax_points():
    empty = dict(HELD=NONE, MINBLOCKS=NONE, VEC=1)
    yield {**empty, "STRUCTURE": 0, "LANES": 1, "BLOCK": 128, "UNROLL": 1}
    for p in product(BLOCK=[32, 64, 128, 256, 512], UNROLL=[1, 2, 4, 8]):
        if p != dict(BLOCK=128, UNROLL=1):
            yield {**empty, "STRUCTURE": 0, "LANES": 1, **p}
    lanes, blocks = [4, 8, 16, 32, 64, 128, 256, 512, 1024], [64, 128, 256, 512, 1024]
    for s in (1, 2):
        for p in product(LANES=lanes, BLOCK=blocks, UNROLL=[1, 2, 4], VEC=[1, 4]):
            if p["LANES"] <= p["BLOCK"] <= 32 * p["LANES"]:
                yield {**empty, "STRUCTURE": s, **p}
    for p in product(LANES=lanes, BLOCK=blocks, HELD=[4, 8, 16, 32, 64], VEC=[1, 4], MINBLOCKS=[0, 2, 4, 8]):
        if p["LANES"] <= p["BLOCK"] <= 32 * p["LANES"] and p["BLOCK"] * p["MINBLOCKS"] <= 2048 and \
                p["LANES"] * p["HELD"] >= 256:
            yield {**empty, "STRUCTURE": 3, "UNROLL": 1, **p}


def softmax_launch(p, rows, cols):
    if p["LANES"] == 1:
        return (up(rows, p["BLOCK"]), 1, 1), (p["BLOCK"], 1, 1)
    y = p["BLOCK"] // p["LANES"]
    return (up(rows, y), 1, 1), (p["LANES"], y, 1)


def softmax_facts(p, rows, cols):
    lanes, vec, n = p["LANES"], p["VEC"], rows * cols
    isHeld = p["STRUCTURE"] == 3 and lanes * p["HELD"] >= cols
    each = sectors([l % lanes * vec + l // lanes * cols for l in range(32)], vec)
    requests = n / (32 * vec)
    reads = 1 if isHeld else 2 if p["STRUCTURE"] == 2 else 3
    sector = requests * each * (reads + 1)
    exps = 1 if isHeld else 3 if p["STRUCTURE"] == 2 else 2
    overhead = 0 if isHeld else 3 * reads / max(1, p["UNROLL"])
    fold = rows * lanes / 32 * (2 * 5 * 3 + (8 + lanes / 16 if lanes > 32 else 0)) if lanes > 1 else 0
    waves = rows * lanes / 32 * 2 * (1 + lanes / 32) if lanes > 32 else 0
    shared = 8 * (p["BLOCK"] // 32) if lanes > 32 else 0
    return sector, waves, requests * (reads + 1 + overhead + vec * (exps * 6 + 12)) + fold, shared, \
        p["HELD"] if isHeld else vec * max(1, p["UNROLL"])


if __name__ == "__main__":
    for name in SHAPES:
        print(name, len(points(name)), [sum(1 for p in points(name) if p["STRUCTURE"] == s)
                                        for s in range(len(STRUCTURES[name]))])
