#!/usr/bin/env python3
"""Andrews' squeezing mechanism (scenarios/andrews.yaml) in MuJoCo and in Sarrus, against the published end values."""

import sys

import numpy as np
from side_by_side import Body, Loop, Mechanism, main

# Points in the inertial frame at t = 0, m: the fixed hinges, and those between moving bodies.
PIVOT_A, PIVOT_B = (-0.06934, -0.00227), (-0.03635, 0.03273)
POINT_E = (-0.020960022346354336, 0.0012951691937066864)
POINT_F = (0.006986674115451445, -0.0004317230645688955)
POINT_G = (-0.03399720388583999, 0.01646197167499768)
POINT_H = (-0.03163313450740889, -0.015618868668304536)
SPRING_ENDS = (("c", "ground", (0.014, 0.072)), ("d", "K3", (-0.010472393888814626, 0.025357788530275246)))

# Angles of K1, K3, K5, K7 at t = 0, and beta, gamma, delta, epsilon at t = 0.03 s (two independent runs agree to 1e-12).
START = np.array([-0.06171389001427645, 0.45527981916307037, 0.48736497954384256, 1.2305474445498212])
END = np.array([15.810771195153, 0.0408222401196, 0.52440996587995, 1.04808074104194])
T_END = 0.03


def exact_error(times: np.ndarray, angles: np.ndarray) -> float:
    """Of K1, K3, K5 and K7 at the last time; known at t = 0.03 s only."""
    if abs(times[-1] - T_END) > 1e-9:
        return float("nan")
    return float(np.abs(angles[-1, [0, 2, 3, 5]] + START - END).max())


ANDREWS = Mechanism(
    name="Andrews' squeezing mechanism",
    scenario="andrews.yaml",
    dt=4e-6,
    t_end=T_END,
    gravity=0.0,
    bodies=(
        Body("K1", None, (0.0, 0.0), 0.04325, 2.194e-06, (0.0009182485980307614, -5.674074562905483e-05)),
        Body("K2", "K1", POINT_F, 0.00365, 4.41e-07, (-0.0044914333599330725, 0.0002775362557942899)),
        Body("K3", None, PIVOT_B, 0.02373, 5.255e-06, (-0.018742186670315464, 0.020485106789073938)),
        Body("K5", None, PIVOT_A, 0.0705, 1.169e-05, (-0.053236828155704144, 0.016631847966616306)),
        Body("K4", "K5", POINT_G, 0.00706, 5.667e-07, (-0.030222939830158894, 0.012071182356663938)),
        Body("K7", None, PIVOT_A, 0.05498, 1.912e-05, (-0.059262402801791715, -0.010600698332712844)),
        Body("K6", "K7", POINT_H, 0.00706, 5.667e-07, (-0.028543268536783597, -0.010722254707252287)),
    ),
    loops=tuple(Loop(("K2", other), POINT_E) for other in ("K3", "K4", "K6")),
    exact_error=exact_error,
    sarrus_bodies=(0, 1, 2, 4, 3, 6, 5),
    n_rollouts=8,
    n_instances=1000,
    extra_sites=SPRING_ENDS,
    extra_xml=(
        '<tendon><spatial stiffness="4530" springlength="0.07785"><site site="c"/><site site="d"/></spatial></tendon>'
        '<actuator><general joint="K1" gaintype="fixed" gainprm="0" biastype="affine" biasprm="0.033 0 0"/></actuator>'
    ),
)

if __name__ == "__main__":
    sys.exit(main(ANDREWS))
