"""N environments on one batch, as Gymnasium's vector environments are."""

from __future__ import annotations

import numbers
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Box
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from ..batches import Batch
from ..choices import count_check
from ..errors import ArgumentError, SarrusWarning
from ..models import Model
from ..samples import floats_of
from .draws import Drawer
from .environments import task_of
from .formulas import Formula
from .layouts import Floats, Layout
from .sights import Sight
from .states import State
from .streams import uniforms
from .tasks import Names, Task

Mask = npt.NDArray[np.bool_]
_GOAL, _START = 0, 1  # streams of random numbers


class VectorEnv(gymnasium.vector.VectorEnv):
    """N environments of one task, stepped together.

    task: a `Task`, or the name of one of those registered ("FiveBarReach-v0")
    num_envs: how many
    autoreset_mode: when an environment that has ended begins anew, as Gymnasium has it: with the next step, with the same one
        (`final_obs`, `final_info` in infos), or never but by `reset(options={"reset_mask": …})`
    dtype: of the observations, float32 or float64
    threads, backend, specialize: as of `Batch`
    settings: of the scenario, as for `load`
    substeps, max_episode_steps: instead of the task's; max_episode_steps −1: never truncated
    randomize: False keeps the scenario's nominal parameters
    parameters: label → [N] (or one number): parameters that stay as they are in every episode, each environment's own; the others
        are drawn, or nominal

    All that is random of an environment (parameters, goal, start) depends on its seed and on the number of its episode since that
    seed was given, and on nothing else: its bits are those it has alone. `reset(seed=s)` gives environment i the seed s + i.

    Where a mechanism fails (an action of NaN is one reason) its environment terminates in that step, with `failure_reward`;
    `infos["status"]` tells why (`sarrus.STATUS_WORDS`). Its observation is that of the last good state; what is no finite number
    of it is 0. Others do not notice.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012

    def __init__(
        self,
        task: Task | str,
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        dtype: npt.DTypeLike = np.float32,
        threads: int | None = None,
        backend: str = "cpu",
        specialize: str = "auto",
        settings: Mapping[str, object] | None = None,
        substeps: int | None = None,
        max_episode_steps: int | None = None,
        randomize: bool = True,
        parameters: Mapping[str, npt.ArrayLike] | None = None,
    ) -> None:
        super().__init__()
        self.task = task_of(task) if isinstance(task, str) else task
        self.num_envs = count_check("num_envs", num_envs, 1)
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**type(self).metadata, "autoreset_mode": self.autoreset_mode}
        self._dtype = np.dtype(dtype)
        if self._dtype not in (np.dtype(np.float32), np.dtype(np.float64)):
            raise ArgumentError(f"dtype={dtype!r}; expected float32 or float64")
        self._substeps = self.task.substeps if substeps is None else count_check("substeps", substeps, 1)
        most = self.task.max_episode_steps if max_episode_steps is None else max_episode_steps
        self._n_steps_at_most = -1 if most == -1 else count_check("max_episode_steps", most, 1)
        model = self.task.scenario
        model = model if isinstance(model, Model) and not settings else Model(model, settings)
        self.batch = Batch(model, self.num_envs, draw=False, threads=threads, backend=backend, specialize=specialize)
        self._drawer = Drawer(model, self.num_envs) if randomize and model.parameters else None
        self._kept = _columns_of(model, {} if parameters is None else parameters, self.num_envs)
        self._is_written = self._drawer is not None or bool(self._kept)
        self._sight = Sight(self.batch, Layout(model, self.task.points))
        self._buffers_make(model)
        self._functions_make(model)
        self._spaces_make()

    def _buffers_make(self, model: Model) -> None:
        n, task = self.num_envs, self.task
        self._q_given, self._v_given = self.batch.read_state()
        self._q, self._v = self._q_given.copy(), self._v_given.copy()  # for starts to be written to
        self._low, self._high = np.asarray(task.low, dtype=np.float64), np.asarray(task.high, dtype=np.float64)
        self._action = np.zeros((n, len(self._low)))
        wiring = [(k, 1.0) for k in range(len(self._low))] if task.wiring is None else list(task.wiring)
        if len(wiring) != model.sizes["n_inputs"] or any(not 0 <= k < len(self._low) for k, _ in wiring):
            raise ArgumentError(f"the scenario has {model.sizes['n_inputs']} inputs; wired is {wiring} to {len(self._low)} actions")
        self._sources = None if task.wiring is None else np.array([k for k, _ in wiring], dtype=np.intp)
        self._factors = np.array([factor for _, factor in wiring])
        self._seeds, self._episodes = np.zeros(n, dtype=np.uint64), np.zeros(n, dtype=np.uint64)
        self._is_seeded = np.zeros(n, dtype=bool)
        self._elapsed = np.zeros(n, dtype=np.int64)
        self._ended = np.zeros(n, dtype=bool)
        self._has_begun = np.zeros(n, dtype=bool)
        self._parameters = self.batch.read("parameters") if self._is_written else np.zeros((n, 0))
        self._goal = np.zeros((n, 0))
        self._goal = np.zeros((n, self._goals_of(np.arange(min(n, 1))).shape[1]))
        self._step_time = self._substeps * _step_of(model)

    def _functions_make(self, model: Model) -> None:
        widths = {"goal": self._goal.shape[1], "action": len(self._low), "parameters": len(model.parameters)}

        def made(what: Any) -> Any:
            if not isinstance(what, str) and not callable(what):
                raise ArgumentError(f"rewards, ends and infos are functions of the state or formulas; got {what!r}")
            return Formula(what, self._sight.layout, widths) if isinstance(what, str) else what

        self._reward = made(self.task.reward)
        self._terminated = None if self.task.terminated is None else made(self.task.terminated)
        self._info = {name: made(what) for name, what in self.task.info.items()}

    def _spaces_make(self) -> None:
        n_actions, task = len(self._low), self.task
        self._observe = task.observation if callable(task.observation) else Names(task.observation, self._sight)
        width = self._observed(self._state(np.arange(1)), np.arange(1)).shape[1]
        self._observations = np.zeros((self.num_envs, width), dtype=self._dtype)
        self.single_observation_space = Box(-np.inf, np.inf, (width,), self._dtype.type)
        low, high = (np.full(n_actions, -1.0), np.full(n_actions, 1.0)) if task.normalised else (self._low, self._high)
        self.single_action_space = Box(low.astype(np.float32), high.astype(np.float32), dtype=np.float32)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    # -- Gymnasium's calls

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[Any], dict[str, Any]]:
        """Begins new episodes: of all environments, or of those in `options["reset_mask"]`, [N] of bool.

        seed: s gives environment i the seed s + i and its episode 0; a list has one for each, None keeps that environment's.
        Without a seed each goes on to its next episode. Observations are those of all environments, infos of those that were reset.
        """
        self._open_check()
        mask = self._reset_mask(options)
        self._seed(seed, mask)
        rows = np.flatnonzero(mask)
        if len(rows) == self.num_envs:
            self.batch.reset()  # which an interrupted batch waits for
        state = self._begin(rows)
        failed = self.batch.status
        self._observations[rows] = self._observed(state, rows, failed)
        infos = self._infos(state, rows)
        self._status_tell(failed, mask, infos)
        return self._observations.copy(), infos

    def step(self, actions: npt.ArrayLike) -> tuple[npt.NDArray[Any], Floats, Mask, Mask, dict[str, Any]]:
        """One step of every environment: `substeps` steps of the scenario with the inputs held."""
        self._open_check()
        if not self._has_begun.all():
            raise gymnasium.error.ResetNeeded("step() before reset()")
        mode, ended = self.autoreset_mode, self._ended.copy()
        if mode is AutoresetMode.DISABLED and ended.any():
            raise gymnasium.error.ResetNeeded(f"environments {np.flatnonzero(ended)} have ended; expected a reset of them before")
        self._act(actions)
        self.batch.advance(self._substeps)
        self._elapsed += 1
        rows = np.flatnonzero(~ended) if ended.any() else None
        rewards, terminated, failed = np.zeros(self.num_envs), np.zeros(self.num_envs, dtype=bool), self.batch.status
        truncated = (self._elapsed >= self._n_steps_at_most) & ~ended & (self._n_steps_at_most > 0)
        infos: dict[str, Any] = {}
        if rows is None or len(rows) > 0:
            self._sight.look()
            state = self._state(rows)
            self._judge(state, rows, failed, rewards, terminated)
            self._infos(state, rows, infos)
            if rows is None:
                self._observations = self._observed(state, rows, failed)
            else:
                self._observations[rows] = self._observed(state, rows, failed)
        if rows is not None:  # those that ended before begin anew now
            self._renew(np.flatnonzero(ended), infos)
        self._status_tell(failed, ~ended, infos)
        self._ended = terminated | truncated
        if mode is AutoresetMode.SAME_STEP and self._ended.any():
            infos = self._renew_at_once(infos)
        return self._observations.copy(), rewards, terminated, truncated, infos

    def close_extras(self, **kwargs: Any) -> None:  # noqa: ARG002
        """Lets go of the batch; reset and step are refused from here on."""
        del self.batch, self._sight.batch
        self._drawer = None

    @property
    def np_random_seed(self) -> tuple[int, ...]:  # type: ignore[override]
        """Seeds of the environments; −1: it has none yet."""
        return tuple(int(s) if given else -1 for s, given in zip(self._seeds, self._is_seeded, strict=True))

    def _open_check(self) -> None:
        if self.closed:
            raise gymnasium.error.ClosedEnvironmentError("the environments were closed")

    # -- beginnings

    def _reset_mask(self, options: dict[str, Any] | None) -> Mask:
        unknown = sorted(map(str, set(options or {}) - {"reset_mask"}))
        if unknown:
            warnings.warn(f"reset takes no options {', '.join(unknown)}; expected reset_mask", SarrusWarning, stacklevel=3)
        if options is None or "reset_mask" not in options:
            return np.ones(self.num_envs, dtype=bool)
        mask = options["reset_mask"]
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
            raise TypeError(f"options['reset_mask'] is an array of bool; got {type(mask)} {getattr(mask, 'dtype', '')}")
        if mask.shape != (self.num_envs,) or not mask.any():
            raise ValueError(f"options['reset_mask'] has the shape ({self.num_envs},) and a True at least; got {mask}")
        return mask

    def _seed(self, seed: int | Sequence[int | None] | None, mask: Mask) -> None:
        if isinstance(seed, numbers.Integral):
            super().reset(seed=int(seed))
            seeds: list[int | None] = [int(seed) + i for i in range(self.num_envs)]
        elif seed is not None and (isinstance(seed, str) or not isinstance(seed, Iterable)):
            raise gymnasium.error.Error(f"a seed is a whole number, or one for each environment; got {seed!r}")
        else:
            seeds = [None] * self.num_envs if seed is None else list(seed)
        if len(seeds) != self.num_envs:
            raise ValueError(f"seeds are one for each of {self.num_envs} environments; got {len(seeds)}")
        if any(s is not None and not (isinstance(s, numbers.Integral) and 0 <= s < 2**64) for s in seeds):
            raise gymnasium.error.Error(f"seeds are whole numbers from 0 to 2^64 − 1; got {seed}")
        self._episodes[mask & self._has_begun] += np.uint64(1)
        fresh = None
        for i in np.flatnonzero(mask):
            given = seeds[i]
            if given is None and not self._is_seeded[i]:
                fresh = np.random.SeedSequence().generate_state(self.num_envs, np.uint64) if fresh is None else fresh
                given = int(fresh[i])
            if given is not None:
                self._seeds[i], self._episodes[i], self._is_seeded[i] = given, 0, True

    def _goals_of(self, rows: npt.NDArray[np.intp]) -> Floats:
        if self.task.goal is None:
            return np.zeros((len(rows), 0))
        drawn = uniforms(self._seeds[rows], self._episodes[rows], _GOAL, self.task.n_random)
        return np.asarray(self.task.goal(drawn), dtype=np.float64).reshape(len(rows), -1)

    def _begin(self, rows: npt.NDArray[np.intp]) -> State:
        """New episodes: parameters, start, goals; the seeds and numbers of the episodes are there."""
        mask = np.zeros(self.num_envs, dtype=bool)
        mask[rows] = True
        if self._drawer is not None:
            self._parameters[rows] = self._drawer.take(rows, self._seeds, self._episodes)
        if self._is_written:
            for column, values in self._kept.items():
                self._parameters[rows, column] = values[rows]
            self.batch.write("parameters", self._parameters, mask)
            self._sight.parameters_changed()
        self._elapsed[rows], self._action[rows], self._ended[rows], self._has_begun[rows] = 0, 0.0, False, True
        self._goal[rows] = self._goals_of(rows)
        if self.task.start is not None:
            self._start(rows, mask)
        if self._is_written or self.task.start is not None:
            self.batch.assemble(mask)
        else:
            self.batch.reset(mask)
        self._sight.look(mask)
        return self._state(rows)

    def _start(self, rows: npt.NDArray[np.intp], mask: Mask) -> None:
        if not self._is_written:
            self.batch.write("q", self._q_given, mask)
            self.batch.write("v", self._v_given, mask)
        self._sight.look(mask)
        drawn = uniforms(self._seeds[rows], self._episodes[rows], _START, self.task.n_random)
        self._q[rows], self._v[rows] = self.task.start(self._state(rows), drawn)
        self.batch.write("q", self._q, mask)
        self.batch.write("v", self._v, mask)

    def _renew(self, rows: npt.NDArray[np.intp], infos: dict[str, Any]) -> State:
        """New episodes of those that had ended."""
        self._episodes[rows] += np.uint64(1)
        state = self._begin(rows)
        failed, mask = self.batch.status, np.zeros(self.num_envs, dtype=bool)
        mask[rows] = True
        self._observations[rows] = self._observed(state, rows, failed)
        self._infos(state, rows, infos)
        self._status_tell(failed, mask, infos)
        return state

    def _renew_at_once(self, infos: dict[str, Any]) -> dict[str, Any]:
        rows, last = np.flatnonzero(self._ended), self._observations
        final: dict[str, Any] = {"final_obs": np.zeros_like(last), "_final_obs": self._ended.copy(), "final_info": {}}
        final["final_obs"][rows] = last[rows]
        for name, values in infos.items():
            final["final_info"][name] = values & self._ended if name.startswith("_") else values.copy()
        final["_final_info"] = self._ended.copy()
        if "_status" in infos:  # of episodes that are over
            del infos["status"], infos["_status"]
        ended = self._ended.copy()
        self._renew(rows, infos)
        self._ended[ended] = False
        return infos | final

    # -- steps

    def _act(self, actions: npt.ArrayLike) -> None:
        given = np.asarray(actions, dtype=np.float64)
        if given.shape != self._action.shape:
            raise ArgumentError(f"actions have the shape {self._action.shape}; got {given.shape}")
        if self.task.normalised:
            np.clip(given, -1.0, 1.0, out=self._action)
            self._action += 1.0
            self._action *= 0.5 * (self._high - self._low)
            self._action += self._low
        else:
            np.clip(given, self._low, self._high, out=self._action)
        inputs = self._action if self._sources is None else self._action[:, self._sources] * self._factors
        self.batch.write("input", inputs)

    def _state(self, rows: npt.NDArray[np.intp] | None) -> State:
        goal, action, time = self._goal, self._action, self._elapsed * self._step_time
        if rows is not None:
            goal, action, time = goal[rows], action[rows], time[rows]
        return State(self._sight, rows, goal=goal, action=action, time=time, look=self._looked_at)

    def _looked_at(self, channel: str) -> Floats:
        return self.batch.parameters if channel == "parameters" else self.batch.observe(channel)[channel]

    def _observed(
        self, state: State, rows: npt.NDArray[np.intp] | None, failed: npt.NDArray[np.uint8] | None = None
    ) -> npt.NDArray[Any]:
        failed = self.batch.status if failed is None else failed
        failed = failed if rows is None else failed[rows]
        with np.errstate(over="ignore", invalid="ignore"):
            if isinstance(self._observe, Names):
                found = self._observe(state, self._dtype)
            else:
                found = _rows_check("observation", self._observe(state), state).astype(self._dtype)
                found = found.reshape(len(state), -1)
        if failed.any():
            bad = failed != 0
            part = found[bad]
            part[~np.isfinite(part)] = 0.0
            found[bad] = part
        return found

    def _judge(
        self, state: State, rows: npt.NDArray[np.intp] | None, failed: npt.NDArray[np.uint8], rewards: Floats, terminated: Mask
    ) -> None:
        """Fills rewards and terminations; environments outside of `rows` have none."""
        task, place = self.task, slice(None) if rows is None else rows
        rewards[place] = _rows_check("reward", self._reward(state), state).reshape(len(state))
        if self._terminated is not None:
            terminated[place] = _rows_check("terminated", self._terminated(state), state).reshape(len(state))
        if failed.any():
            bad = np.zeros(self.num_envs, dtype=bool)
            bad[place] = failed[place] != 0
            rewards[bad] = task.failure_reward
            terminated[bad] = True

    def _infos(self, state: State, rows: npt.NDArray[np.intp] | None, infos: dict[str, Any] | None = None) -> dict[str, Any]:
        """The task's numbers of these environments, with a mask for each name, added to what is there."""
        infos = {} if infos is None else infos
        for name, function in self._info.items():
            values = np.asarray(function(state))
            if name not in infos:
                infos[name] = np.zeros((self.num_envs, *values.shape[1:]), dtype=values.dtype)
                infos[f"_{name}"] = np.zeros(self.num_envs, dtype=bool)
            place = slice(None) if rows is None else rows
            infos[name][place] = values
            infos[f"_{name}"][place] = True
        return infos

    def _status_tell(self, failed: npt.NDArray[np.uint8], mask: Mask, infos: dict[str, Any]) -> None:
        """Why those of the mask have failed, beside what is told of others."""
        bad = (failed != 0) & mask
        if bad.any():
            infos["status"] = np.where(bad, failed, infos.get("status", np.zeros(self.num_envs, dtype=np.uint8)))
            infos["_status"] = bad | infos.get("_status", False)


def _rows_check(what: str, values: Any, state: State) -> npt.NDArray[Any]:
    """What a function of the task gives, which has to be a row for each environment."""
    rows, n = np.asarray(values), len(state)
    if rows.ndim == 0 or len(rows) != n or (what != "observation" and rows.size != n):
        raise ArgumentError(
            f"{what}(state) gives an array of shape {rows.shape}; expected ({n},), one for each environment asked for"
        )
    return rows


def _columns_of(model: Model, given: Mapping[str, npt.ArrayLike], n: int) -> dict[int, Floats]:
    """Own values of parameters by their column, [N] each."""
    columns = {}
    if not isinstance(given, Mapping):
        raise ArgumentError(f"parameters are numbers by the labels of what is drawn; got {type(given).__name__}")
    for label, values in given.items():
        if label not in model.parameters:
            raise ArgumentError(f"{label!r} is no parameter that the scenario draws; expected one of {', '.join(model.parameters)}")
        numbers = floats_of(label, values)
        if numbers.shape not in ((), (n,)):
            raise ArgumentError(f"{label} is one number or one for each of {n} environments; got the shape {numbers.shape}")
        columns[model.parameters.index(label)] = np.broadcast_to(numbers, (n,)).copy()
    return columns


def _step_of(model: Model) -> float:
    """Seconds that `advance(1)` takes the scenario on."""
    batch = Batch(model, 1, draw=False, threads=1, backend="cpu", specialize="off")
    batch.advance()
    return float(batch.time[0])
