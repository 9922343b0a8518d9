#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Prints a portfolio of options for blackscholes; the same seed gives the same one.

    generate.py COUNT [SEED]
"""

import random
import sys


def main():
    count = int(sys.argv[1])
    chance = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    print(count)
    for _ in range(count):
        spot = chance.uniform(20, 120)
        strike = spot * chance.uniform(0.8, 1.25)
        rate, volatility = chance.uniform(0.01, 0.1), chance.uniform(0.05, 0.65)
        print(f"{spot:.2f} {strike:.2f} {rate:.4f} {volatility:.2f} {chance.uniform(0.05, 2):.2f} {chance.choice('CP')}")


if __name__ == "__main__":
    main()
