# SPDX-License-Identifier: Apache-2.0
"""The flights of examples/rosace as the tests expect them, and the figures known of them."""

from dataclasses import dataclass, field

HOLD = None


@dataclass(frozen=True)
class Requirement:
    """Of a step: settling into 5 %, overshoot, rise from 10 to 90 %, static error at the end."""

    settling: float
    overshoot: float
    rise: float
    error: float


@dataclass(frozen=True)
class Step:
    column: str
    start: float
    end: float
    required: Requirement  # the requirement that the case study publishes
    reference: Requirement  # the values of a plain simulation of the equations


@dataclass(frozen=True)
class Flight:
    """`commands`: time s, altitude m, airspeed m/s, vertical speed m/s or HOLD."""

    commands: tuple
    heights: dict = field(default_factory=dict)  # reference altitudes by time
    step: Step | None = None

    @property
    def end(self):
        return self.commands[-1][0]


FLIGHTS = {
    "climb": Flight(
        commands=((0, 10100, 230, HOLD), (120, 10100, 230, HOLD)),
        heights={10: 10012.535, 30: 10062.760, 50: 10097.580, 60: 10101.417, 119: 10099.972},
    ),
    "climb_1000": Flight(
        commands=((0, 11000, 230, HOLD), (600, 11000, 230, HOLD)),
        heights={50: 10112.332, 200: 10484.024, 380: 10929.798, 420: 11000.712, 599: 11000.000},
    ),
    "vz_step": Flight(
        commands=((0, 10000, 230, -2.5), (50, 10000, 230, -2.5)),
        step=Step(
            column="vz",
            start=0.0,
            end=-2.5,
            required=Requirement(settling=10.0, overshoot=0.10, rise=6.0, error=0.05),
            reference=Requirement(settling=8.36, overshoot=0.0396, rise=5.20, error=0.0085),
        ),
    ),
    "va_step": Flight(
        commands=((0, 10000, 235, 0), (50, 10000, 235, 0)),
        step=Step(
            column="va",
            start=230.0,
            end=235.0,
            required=Requirement(settling=20.0, overshoot=0.10, rise=12.0, error=0.05),
            reference=Requirement(settling=17.28, overshoot=0.0353, rise=11.66, error=0.0012),
        ),
    ),
    "tour": Flight(
        commands=(
            (0, 10000, 230, HOLD),
            (5, 10100, 230, HOLD),
            (60, 10100, 233, HOLD),
            (90.5, 9980, 228, HOLD),
            (220, 9980, 228, HOLD),
        ),
    ),
}
