"""Rewards, ends and infos that are written as formulas."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import ArgumentError
from .layouts import Layout
from .states import State

Value = Callable[[State], Any]

_FUNCTIONS: dict[str, tuple[Callable[..., Any], int]] = {
    "abs": (np.abs, 1),
    "acos": (np.arccos, 1),
    "asin": (np.arcsin, 1),
    "atan": (np.arctan, 1),
    "atan2": (np.arctan2, 2),
    "cos": (np.cos, 1),
    "exp": (np.exp, 1),
    "hypot": (np.hypot, 2),
    "log": (np.log, 1),
    "max": (np.maximum, 2),
    "min": (np.minimum, 2),
    "sign": (np.sign, 1),
    "sin": (np.sin, 1),
    "sqrt": (np.sqrt, 1),
    "tan": (np.tan, 1),
    "tanh": (np.tanh, 1),
    "where": (np.where, 3),
}
_OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: np.add,
    ast.Sub: np.subtract,
    ast.Mult: np.multiply,
    ast.Div: np.divide,
    ast.Pow: np.power,
    ast.USub: np.negative,
    ast.UAdd: np.positive,
    ast.Not: np.logical_not,
    ast.And: np.logical_and,
    ast.Or: np.logical_or,
    ast.Lt: np.less,
    ast.LtE: np.less_equal,
    ast.Gt: np.greater,
    ast.GtE: np.greater_equal,
    ast.Eq: np.equal,
    ast.NotEq: np.not_equal,
}
_CONSTANTS = {"pi": float(np.pi), "deg": float(np.pi) / 180.0}


class Formula:
    """A function of the state from its text, as "1 - tanh(10*hypot(tip.x - goal[0], tip.y - goal[1]))".

    Numbers, + − * / and ^ (or **), comparisons, `and`, `or`, `not` (or && || !), pi, deg, and the functions abs acos asin atan
    atan2 cos exp hypot log max min sign sin sqrt tan tanh where(condition, then, else). Names:

    "crank.theta", "crank.omega"            a coordinate, a speed
    "tip.x", "tip.vx"                       a point of the task, its velocity
    "goal[0]", "action[1]", "time"          as in `State`
    "parameters[0]", "energy"               as `State.observe` gives them

    Bodies and points whose names are words of Python (`in`, `lambda`), or hold other signs than letters, digits and _, are for
    functions.
    """

    def __init__(self, text: str, layout: Layout, widths: dict[str, int]) -> None:
        self.text, self._layout, self._widths = text, layout, widths
        if "\0" in text:
            raise ArgumentError(f"{text!r} is no formula")
        own = text.replace("^", "**").replace("&&", " and ").replace("||", " or ")
        own = own.replace("!=", "\0").replace("!", " not ").replace("\0", "!=").strip()
        try:
            tree = ast.parse(own, mode="eval")
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise ArgumentError(f"{text!r} is no formula: {error.args[0]}") from None
        self._value = self._made(tree.body)

    def __call__(self, state: State) -> Any:
        """[M]."""
        return np.broadcast_to(self._value(state), (len(state),))

    def _fail(self, what: str) -> ArgumentError:
        return ArgumentError(f"{what} in the formula {self.text!r}")

    def _made(self, node: ast.AST) -> Value:
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            return self._number(node.value)
        if isinstance(node, ast.BinOp):
            return self._applied(node.op, [node.left, node.right])
        if isinstance(node, ast.UnaryOp):
            return self._applied(node.op, [node.operand])
        if isinstance(node, ast.BoolOp):
            value = self._made(node.values[0])
            for other in node.values[1:]:
                value = _joined(_OPERATORS[type(node.op)], [value, self._made(other)])
            return value
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            return self._applied(node.ops[0], [node.left, node.comparators[0]])
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
            return self._called(node.func.id, node.args)
        return self._named(node)

    def _number(self, value: float) -> Value:
        try:
            number = float(value)
        except OverflowError:
            number = float("inf")
        if not np.isfinite(number):
            raise self._fail("there is a number that is too large")
        return lambda _: number

    def _applied(self, operator: ast.AST, operands: list[ast.expr]) -> Value:
        if type(operator) not in _OPERATORS:
            raise self._fail(f"there is no operator {type(operator).__name__}")
        return _joined(_OPERATORS[type(operator)], [self._made(operand) for operand in operands])

    def _called(self, name: str, arguments: list[ast.expr]) -> Value:
        if name not in _FUNCTIONS:
            raise self._fail(f"there is no function {name}; expected one of {', '.join(_FUNCTIONS)}")
        function, n = _FUNCTIONS[name]
        if len(arguments) != n:
            raise self._fail(f"{name} takes {n} argument{'s' if n > 1 else ''}; got {len(arguments)}")
        column = _dotted(arguments[0])
        if name in ("sin", "cos") and column in self._layout.coordinates:  # with the kernels' bits
            return (lambda state: state.sine(column)) if name == "sin" else (lambda state: state.cosine(column))
        return _joined(function, [self._made(argument) for argument in arguments])

    def _named(self, node: ast.AST) -> Value:
        if isinstance(node, ast.Subscript):
            return self._indexed(_dotted(node.value), node.slice)
        name = _dotted(node)
        if name is None:
            raise self._fail(f"{ast.unparse(node)!r} has no meaning")
        if name in _CONSTANTS:
            return lambda _: _CONSTANTS[name]
        if name == "time":
            return lambda state: state.time
        if name == "energy":
            return lambda state: state.observe("energy")
        if name in self._layout.coordinates or name in self._layout.speeds:
            return lambda state: state.column(name)
        point, _, axis = name.partition(".")
        axes = "xyz"[: self._layout.dimensions]
        if point in self._layout.points and axis.removeprefix("v") in tuple(axes):
            i = axes.index(axis[-1])
            return (lambda state: state.velocity(point)[:, i]) if axis[0] == "v" else (lambda state: state.point(point)[:, i])
        raise self._fail(f"nothing is called {name!r}; expected a coordinate, a speed, POINT.x or .vx, goal[0], action[0] or time")

    def _indexed(self, name: str | None, index: ast.expr) -> Value:
        number = index.value if isinstance(index, ast.Constant) else None
        width = self._widths.get(name or "")
        if width is None or type(number) is not int or not 0 <= number < width:
            known = ", ".join(f"{word}[0 … {n - 1}]" for word, n in self._widths.items() if n > 0)
            raise self._fail(f"there is no such number of {name}; expected {known}")
        if name == "parameters":
            return lambda state: state.observe("parameters")[:, number]
        return lambda state: getattr(state, name)[:, number]


def _joined(function: Callable[..., Any], values: list[Value]) -> Value:
    if len(values) == 1:
        first = values[0]
        return lambda state: function(first(state))
    if len(values) == 2:
        first, second = values
        return lambda state: function(first(state), second(state))
    return lambda state: function(*(value(state) for value in values))


def _dotted(node: ast.AST) -> str | None:
    """A name with dots; None: it is something else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        head = _dotted(node.value)
        return None if head is None else f"{head}.{node.attr}"
    return None
