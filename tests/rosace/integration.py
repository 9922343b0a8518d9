# SPDX-License-Identifier: Apache-2.0
"""An integration of the flight of its own: what the C code under test is compared with.

It shares no line and no structure with examples/rosace: one state vector for aircraft, engine and
elevator, moved by a general rule (Euler as the example does, or Runge-Kutta for the continuous
motion), filters as difference equations of their transfer functions, one loop for the order.
"""

from math import atan2, cos, hypot, sin

from flights import HOLD

STEP = 0.005
# a0, a1, b0, b1 of (b1 z + b0) / (z2 + a1 z + a0).
MEDIUM = (0.766000101841272, -1.734903205885821, 0.014857648981438, 0.016239246974013)
SLOW = (0.956543675476034, -1.955578398054313, 0.000479064865372430, 0.000486212556348925)
FAST = (0.411240701442774, -1.158045899830964, 0.107849979167580, 0.145344822444230)
FILTERS = {  # and the trim
    "h": (MEDIUM, 10000.0),
    "va": (SLOW, 230.0),
    "vz": (SLOW, 0.0),
    "q": (MEDIUM, 0.0),
    "az": (FAST, 0.0),
}
PITCH, THROTTLE, ELEVATOR = 0.026485847681737, 1.5868660794926, 0.012009615652468
TRIM = (230 * cos(PITCH), 230 * sin(PITCH), 0.0, PITCH, 10000.0, THROTTLE, ELEVATOR, 0.0)


def aerodynamics(state):
    """Specific forces along the body's axes (m/s2), without thrust, and the pitch acceleration."""
    u, w, q, _, h, _, elevator, _ = state
    speed, alpha = hypot(u, w), atan2(w, u)
    density = 1.225 * (1 - 0.0065 * h / 288.15) ** (9.80665 / (287.05 * 0.0065) - 1)
    push = density * speed**2 / 2 * 122.6
    lift = 0.193 * elevator + 5.5 * (alpha + 0.05)
    drag = 0.016 + 0.05 * elevator + 2.5 * (alpha + 0.05) ** 2
    moment = 0.04 - 1.5 * elevator - 0.83 * alpha - 15 * q * 4.29 / speed
    forward = push * (lift * sin(alpha) - drag * cos(alpha)) / 57837.5
    down = -push * (drag * sin(alpha) + lift * cos(alpha)) / 57837.5
    return forward, down, push * 4.29 * moment / 3781272


def rates(state, throttle, elevator):
    """The derivative of the state vector under commands that are held."""
    u, w, q, pitch, _, x, angle, turn = state
    forward, down, spin = aerodynamics(state)
    return (
        forward + 26350 * x / 57837.5 - 9.80665 * sin(pitch) - q * w,
        down + 9.80665 * cos(pitch) + q * u,
        spin,
        q,
        u * sin(pitch) - w * cos(pitch),
        0.75 * (throttle - x),
        turn,
        25**2 * (elevator - angle) - 2 * 0.85 * 25 * turn,
    )


def ahead(state, slope, time):
    return tuple(value + time * rate for value, rate in zip(state, slope))


def euler(state, *commands):
    return ahead(state, rates(state, *commands), STEP)


def runge_kutta(state, *commands):
    first = rates(state, *commands)
    second = rates(ahead(state, first, STEP / 2), *commands)
    third = rates(ahead(state, second, STEP / 2), *commands)
    fourth = rates(ahead(state, third, STEP), *commands)
    slope = tuple((a + 2 * b + 2 * c + d) / 6 for a, b, c, d in zip(first, second, third, fourth))
    return ahead(state, slope, STEP)


def sensors(state):
    u, w, q, pitch, h, x, angle, _ = state
    return {
        "h": h,
        "va": hypot(u, w),
        "vz": w * cos(pitch) - u * sin(pitch),
        "q": q,
        "az": 9.80665 * cos(pitch) + aerodynamics(state)[1],
        "thrust": 26350 * x,
        "elevator": angle,
    }


class Filter:
    def __init__(self, coefficients, trim):
        self.coefficients = coefficients
        self.now = self.before = self.input = trim

    def step(self, value):
        """The output that goes with this input, which it does not know yet."""
        a0, a1, b0, b1 = self.coefficients
        output = self.now
        self.now = b1 * value + b0 * self.input - a1 * output - a0 * self.before
        self.before, self.input = output, value
        return output


class Controllers:
    def __init__(self):
        self.altitude = self.vertical = self.airspeed = 0.0

    def hold(self, error):
        if abs(error) > 50:
            self.altitude = 532.2730285 if error < 0 else -532.27
            return -2.5 if error < 0 else 2.5
        command = 0.1014048 * error + 0.0048288 * self.altitude
        self.altitude += 0.02 * error
        return command

    def step(self, pilot, f):
        """Throttle and elevator, and the vertical speed that altitude hold wants."""
        _, altitude, airspeed, climb = pilot
        target = self.hold(f["h"] - altitude) if climb is HOLD else climb
        throttle = THROTTLE + 0.049802610664357 * self.airspeed + 21.692383376322041 * f["q"]
        throttle -= 0.486813084356079 * (f["va"] - 230) + 0.077603095495388 * f["vz"]
        elevator = ELEVATOR + 0.000627342822264 * self.vertical + 0.376071446897134 * f["q"]
        elevator -= 0.003252836726554 * f["vz"] + 0.001566907423747 * f["az"]
        self.airspeed += 0.02 * (airspeed - f["va"])
        self.vertical += 0.02 * (target - f["vz"])
        return throttle, elevator, target


def fly(flight, rule):
    """The flight's samples, one a step: the aircraft at that time and the commands in force."""
    state, commands, target = TRIM, (THROTTLE, ELEVATOR), 0.0
    filters = {name: Filter(*constants) for name, constants in FILTERS.items()}
    controllers, filtered, samples = Controllers(), {}, []
    for step in range(round(flight.end / STEP) + 1):
        if step % 20 == 0:
            pilot = [row for row in flight.commands if row[0] <= step * STEP + 1e-9][-1]
        seen = sensors(state)
        samples.append(seen | {"t": step * STEP, "h_c": pilot[1], "va_c": pilot[2], "vz_c": target})
        state = rule(state, *commands)
        if step % 2 == 0:
            filtered = {name: each.step(seen[name]) for name, each in filters.items()}
        if step % 4 == 0:
            *commands, target = controllers.step(pilot, filtered)
    return samples
