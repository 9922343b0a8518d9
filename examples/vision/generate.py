#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes what the detector needs: the camera's frames, and the cascade that it has learnt.

    generate.py frames      writes frames/*.pgm: 320 x 240 points, three faces that move, 30 frames a second
    generate.py cascade     writes cascade.h; takes some minutes

Faces are drawn, not photographed: an oval with hair, brows, eyes, a nose and a mouth, under light from a side. The same
function draws those of the frames and those of the training, with other random numbers.

The cascade is learnt as Viola and Jones do (Robust real-time face detection, IJCV 57(2), 2004): each stage by AdaBoost,
from differences of sums of rectangles; each stage keeps nearly all faces, and the next one learns from the windows
without a face that the stages before it let through."""

import bisect
import math
import random
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
WIDTH, HEIGHT, FRAMES = 320, 240, 6
WINDOW = 24  # points a side of the window that the cascade looks at
STAGES = [3, 5, 8, 12]  # features of each stage
FACES, OTHERS, POOL = 500, 700, 500  # what a stage learns from, and the features that it chooses among
MOST = 200_000  # windows that are looked at to find them
KEPT = 0.995  # of the faces, by each stage


class Image:
    """Points from 0 to 255, row by row."""

    def __init__(self, width, height, points=None):
        self.width, self.height = width, height
        self.points = points or [0.0] * (width * height)

    def blend(self, x, y, value, share):
        if 0 <= x < self.width and 0 <= y < self.height:
            at = y * self.width + x
            self.points[at] += share * (value - self.points[at])

    def oval(self, x, y, across, down, value, share=1.0):
        """Draws an oval whose edge is soft: `across` and `down` are half its axes."""
        for row in range(int(y - down - 1), int(y + down + 2)):
            for column in range(int(x - across - 1), int(x + across + 2)):
                distance = math.hypot((column - x) / max(across, 0.5), (row - y) / max(down, 0.5))
                inside = min(1.0, max(0.0, (1 - distance) * min(across, down) + 0.5))
                self.blend(column, row, value, share * inside)

    def rounded(self, chance, noise):
        """The points as bytes, with the noise of a sensor."""
        return [min(255, max(0, round(point + chance.gauss(0, noise)))) for point in self.points]


def background(chance, width, height):
    """Draws light and dark that change slowly, and things with edges on them."""
    cell = chance.choice([12, 20, 32])
    columns = width // cell + 2
    grid = [chance.uniform(40, 200) for _ in range(columns * (height // cell + 2))]
    image = Image(width, height)
    for y in range(height):
        for x in range(width):
            column, row = x // cell, y // cell
            right, down = x % cell / cell, y % cell / cell
            upper, lower = row * columns + column, (row + 1) * columns + column
            image.points[y * width + x] = (
                (grid[upper] * (1 - right) + grid[upper + 1] * right) * (1 - down)
                + (grid[lower] * (1 - right) + grid[lower + 1] * right) * down)
    for _ in range(max(2, width * height // 1500)):
        x, y, size = chance.uniform(0, width), chance.uniform(0, height), chance.uniform(2, min(width, height) / 4)
        value, share = chance.uniform(10, 240), chance.uniform(0.4, 1)
        if chance.random() < 0.5:
            image.oval(x, y, size * chance.uniform(0.3, 1), size * chance.uniform(0.3, 1), value, share)
        else:
            for row in range(int(y), int(y + size * chance.uniform(0.2, 2))):
                for column in range(int(x), int(x + size)):
                    image.blend(column, row, value, share)
    return image


def looks(chance):
    """What one face has, in parts of its size."""
    return {"skin": chance.uniform(120, 215), "hair": chance.uniform(15, 80), "eye": chance.uniform(10, 55),
            "wide": chance.uniform(0.36, 0.42), "apart": chance.uniform(0.17, 0.2), "eyes": chance.uniform(0.38, 0.42),
            "mouth": chance.uniform(0.75, 0.79), "open": chance.uniform(0.03, 0.06), "light": chance.uniform(-0.25, 0.25)}


def face(image, look, left, top, size):
    """Draws a face into the square whose upper left corner is at `left`, `top`."""
    def part(x, y, across, down, value, share=1.0):
        image.oval(left + x * size, top + y * size, across * size, down * size, value, share)

    skin = look["skin"]
    part(0.5, 0.42, look["wide"] + 0.06, 0.46, look["hair"])
    part(0.5, 0.54, look["wide"], 0.44, skin)
    part(0.5 + 0.22 * (1 if look["light"] > 0 else -1), 0.54, 0.19, 0.36, skin * (1 - abs(look["light"])), 0.7)
    for side in (-1, 1):
        x = 0.5 + side * look["apart"]
        part(x, look["eyes"] - 0.09, 0.1, 0.022, look["hair"], 0.8)
        part(x, look["eyes"], 0.095, 0.05, skin * 0.55, 0.8)
        part(x, look["eyes"], 0.05, 0.04, look["eye"])
    part(0.5, 0.55, 0.035, 0.12, min(250, skin * 1.15), 0.8)
    part(0.5, 0.65, 0.07, 0.025, skin * 0.6, 0.8)
    part(0.5, look["mouth"], 0.15, look["open"], skin * 0.45)


def places(number):
    """Where the faces of a frame are: left, top, size."""
    for x, y, size, right, down in ((22, 60, 64, 3.0, 0.6), (150, 30, 96, -1.5, 1.0), (250, 150, 44, -2.0, -1.5)):
        yield x + number * right, y + number * down, size


def frames():
    """The camera's frames, each the bytes of a picture."""
    chance = random.Random(30)
    empty = background(chance, WIDTH, HEIGHT)
    people = [looks(chance) for _ in places(0)]
    for number in range(FRAMES):
        image = Image(WIDTH, HEIGHT, list(empty.points))
        for look, place in zip(people, places(number)):
            face(image, look, *place)
        yield bytes(image.rounded(chance, 3))


def sums(points, side):
    """The sums over all points above and left of each, with a row and a column of zeros before them."""
    table = [0] * ((side + 1) * (side + 1))
    for y in range(side):
        row = 0
        for x in range(side):
            row += points[y * side + x]
            table[(y + 1) * (side + 1) + x + 1] = table[y * (side + 1) + x + 1] + row
    return table


class Sample:
    """A window: its sums, and what the differences of a feature are divided by."""

    def __init__(self, points):
        self.table = sums(points, WINDOW)
        area = WINDOW * WINDOW
        spread = area * sum(point * point for point in points) - sum(points) ** 2
        self.flat = spread < (area * 8) ** 2
        self.norm = math.sqrt(max(spread, 1))

    def value(self, feature):
        whole, part, weight = feature
        return (weight * self.sum(part) - self.sum(whole)) / self.norm

    def sum(self, rectangle):
        x, y, width, height = rectangle
        row, table = WINDOW + 1, self.table
        return (table[(y + height) * row + x + width] - table[y * row + x + width]
                - table[(y + height) * row + x] + table[y * row + x])


def features(chance, count):
    """Random features: a rectangle, and a half, the middle third or the centre of it, which counts so often that both
    weigh the same."""
    found = set()
    while len(found) < count:
        width, height = chance.randrange(4, WINDOW + 1), chance.randrange(3, WINDOW + 1)
        x, y = chance.randrange(WINDOW - width + 1), chance.randrange(WINDOW - height + 1)
        kind = chance.choice(["left", "upper", "column", "row", "centre"])
        whole = (x, y, width, height)
        if kind == "left" and width % 2 == 0:
            found.add((whole, (x, y, width // 2, height), 2))
        elif kind == "upper" and height % 2 == 0:
            found.add((whole, (x, y, width, height // 2), 2))
        elif kind == "column" and width % 3 == 0:
            found.add((whole, (x + width // 3, y, width // 3, height), 3))
        elif kind == "row" and height % 3 == 0:
            found.add((whole, (x, y + height // 3, width, height // 3), 3))
        elif kind == "centre" and width % 3 == 0 and height % 3 == 0:
            found.add((whole, (x + width // 3, y + height // 3, width // 3, height // 3), 9))
    return sorted(found)


def with_face(chance):
    """A window with a face in it, at about its place and size."""
    image = background(chance, WINDOW, WINDOW)
    size = WINDOW * chance.uniform(0.95, 1.1)
    face(image, looks(chance), (WINDOW - size) / 2 + chance.uniform(-1, 1), (WINDOW - size) / 2 + chance.uniform(-1, 1), size)
    return Sample(image.rounded(chance, 3))


def shrunk(image, left, top, side):
    """A square of an image as a window: the mean of the points that fall on each of its points."""
    points = []
    for y in range(WINDOW):
        for x in range(WINDOW):
            rows = range(top + y * side // WINDOW, max(top + (y + 1) * side // WINDOW, top + y * side // WINDOW + 1))
            columns = range(left + x * side // WINDOW, max(left + (x + 1) * side // WINDOW, left + x * side // WINDOW + 1))
            inside = [image.points[row * image.width + column] for row in rows for column in columns]
            points.append(round(sum(inside) / len(inside)))
    return points


def windows_without_face(chance):
    """Windows without a face, without end: of backgrounds, and beside or across faces."""
    while True:
        image = background(chance, 120, 90)
        size = chance.uniform(26, 60)
        x, y = chance.uniform(0, 120 - size), chance.uniform(0, 90 - size)
        face(image, looks(chance), x, y, size)
        for _ in range(60):
            side = chance.randrange(WINDOW, 90)
            left, top = chance.randrange(120 - side), chance.randrange(90 - side + 1)
            near = abs(left + side / 2 - x - size / 2) < size / 4 and abs(top + side / 2 - y - size / 2) < size / 4
            if not (near and 0.6 < side / size < 1.6):
                sample = Sample(shrunk(image, left, top, side))
                if not sample.flat:
                    yield sample


def best_threshold(values, weights, labels, order):
    """The threshold and the side of a feature with the least weight of wrong answers."""
    faces = sum(weight for weight, label in zip(weights, labels) if label)
    others = sum(weights) - faces
    below_faces = below_others = 0.0
    best = (min(faces, others), -math.inf, faces >= others)
    for place, index in enumerate(order):
        if labels[index]:
            below_faces += weights[index]
        else:
            below_others += weights[index]
        if place + 1 < len(order) and values[order[place + 1]] == values[index]:
            continue
        next_value = values[order[place + 1]] if place + 1 < len(order) else values[index] + 1
        threshold = (values[index] + next_value) / 2
        for error, above in ((below_faces + others - below_others, True), (below_others + faces - below_faces, False)):
            if error < best[0]:
                best = (error, threshold, above)
    return best


def stage(faces, others, pool, rounds):
    """A stage by AdaBoost: its features with threshold, side and vote, and the least sum of votes that passes."""
    samples, labels = faces + others, [True] * len(faces) + [False] * len(others)
    weights = [0.5 / len(faces)] * len(faces) + [0.5 / len(others)] * len(others)
    columns = [[sample.value(feature) for sample in samples] for feature in pool]
    orders = [sorted(range(len(samples)), key=column.__getitem__) for column in columns]
    chosen, votes = [], [0.0] * len(samples)
    for _ in range(rounds):
        total = sum(weights)
        weights = [weight / total for weight in weights]
        found = [best_threshold(column, weights, labels, order) for column, order in zip(columns, orders)]
        which = min(range(len(pool)), key=lambda index: found[index][0])
        error, threshold, above = found[which]
        vote = math.log((1 - error) / max(error, 1e-6))
        for index, value in enumerate(columns[which]):
            said = (value > threshold) == above
            votes[index] += vote if said else 0
            if said == labels[index]:
                weights[index] *= max(error, 1e-6) / (1 - error)
        chosen.append((pool[which], threshold, above, vote))
    passing = sorted(votes[:len(faces)])
    return chosen, passing[int(len(passing) * (1 - KEPT))] - 1e-3


def passes(sample, stages):
    for chosen, least in stages:
        if sum(vote for feature, threshold, above, vote in chosen
               if (sample.value(feature) > threshold) == above) < least:
            return False
    return True


def cascade():
    chance = random.Random(2004)
    faces = [with_face(chance) for _ in range(FACES)]
    pool, stages, source = features(chance, POOL), [], windows_without_face(chance)
    for rounds in STAGES:
        others, looked = [], 0
        while len(others) < OTHERS and looked < MOST:
            sample = next(source)
            looked += 1
            if passes(sample, stages):
                others.append(sample)
        print(f"stage {len(stages) + 1}: {len(others)} of {looked} windows without a face come to it", flush=True)
        if len(others) < 30:
            break
        stages.append(stage(faces, others, pool, rounds))
        faces = [sample for sample in faces if passes(sample, stages)]
    return stages


def header(stages):
    """The cascade as C."""
    lines = ["/* SPDX-License-Identifier: Apache-2.0 */", "/* Made by generate.py. */", "#pragma once", "",
             '#include "detector.h"', "", "static const struct feature features[] = {"]
    for chosen, _ in stages:
        for (whole, part, weight), threshold, above, vote in chosen:
            corners = ", ".join("{%d, %d, %d, %d}" % rectangle for rectangle in (whole, part))
            lines.append(f"    {{{corners}, {weight}, {'true' if above else 'false'}, {threshold:.5f}F, {vote:.4f}F}},")
    lines += ["};", "", "static const struct stage stages[] = {"]
    lines += [f"    {{{len(chosen)}, {least:.4f}F}}," for chosen, least in stages]
    return "\n".join(lines + ["};", ""])


def main():
    what = sys.argv[1] if len(sys.argv) == 2 else ""
    if what == "frames":
        for number, points in enumerate(frames()):
            (HERE / f"frames/{number}.pgm").write_bytes(b"P5\n%d %d\n255\n" % (WIDTH, HEIGHT) + points)
    elif what == "cascade":
        (HERE / "cascade.h").write_text(header(cascade()))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
