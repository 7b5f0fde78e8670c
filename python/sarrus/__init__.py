"""Sarrus: batches of linkages (closed loops, redundant constraints, singular configurations) in double precision.

    sarrus.check("five_bar.yaml")             the model card
    result = sarrus.run("five_bar.yaml")      all instances to t_end, in memory or into an HDF5 file
    batch = sarrus.Batch("five_bar.yaml", 4096); batch.advance(10); batch.q
    sarrus.open("out.h5")                     a result file as an xarray DataTree
    sarrus.animate("out.h5", "out.html")      its motion as a page, a GIF or a film
    sarrus.report("out.h5", "report.html")    the result of a study on one page
    sarrus.pinv(a)                            pseudoinverses of a stack of matrices
    sarrus.compare("five_bar.yaml")           formulations and pseudoinverses on the same states
    sarrus.Kinematics("arm_7r.yaml")          screws, effective inertia and their derivatives
    sarrus.gym                                closed loops as Gymnasium environments
"""

import sys
from typing import TYPE_CHECKING

from ._core import version as __version__
from .batches import STATUS_WORDS, Batch
from .comparisons import ComparedRow, Comparison, compare
from .devices import DeviceView
from .errors import (
    ArgumentError,
    BackendError,
    BusyError,
    Diagnostic,
    Error,
    FileError,
    InterruptedError,
    SarrusWarning,
    ScenarioError,
    UnsupportedError,
)
from .kinematics import Kinematics, Pair
from .models import Card, Model, check, load
from .pseudoinverse import METHODS as PINV_METHODS
from .pseudoinverse import RANK_METHODS, PinvReport, pinv
from .results import open
from .studies import Result, run, status_words

__all__ = [
    "PINV_METHODS",
    "RANK_METHODS",
    "STATUS_WORDS",
    "Animation",
    "ArgumentError",
    "BackendError",
    "Batch",
    "BusyError",
    "Card",
    "ComparedRow",
    "Comparison",
    "DeviceView",
    "Diagnostic",
    "Error",
    "FileError",
    "InterruptedError",
    "Kinematics",
    "Model",
    "Pair",
    "PinvReport",
    "Report",
    "Result",
    "SarrusWarning",
    "ScenarioError",
    "UnsupportedError",
    "__version__",
    "animate",
    "check",
    "compare",
    "gym",
    "load",
    "open",
    "pinv",
    "report",
    "run",
    "status_words",
]


if TYPE_CHECKING:
    from . import gym
    from .animation import Animation, animate
    from .reports import Report, report
else:

    def __getattr__(name):
        # What takes long to load is loaded by those who use it.
        import importlib

        if name == "gym":
            return importlib.import_module("sarrus.gym")
        if name in ("animate", "Animation"):
            return getattr(importlib.import_module("sarrus.animation"), name)
        if name in ("report", "Report"):
            return getattr(importlib.import_module("sarrus.reports"), name)
        raise AttributeError(f"module 'sarrus' has no attribute {name!r}")


# Who has Gymnasium already finds "sarrus/FiveBarReach-v0" and the others in its registry.
if "gymnasium" in sys.modules:
    from . import gym
