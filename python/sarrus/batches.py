"""N instances of one mechanism, stepped from Python."""

from __future__ import annotations

import difflib
import html
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _core
from .channels import channel_find
from .choices import batch_options, count_check, names_of, seed_check
from .devices import LANES, DeviceView, device_address, stream_handle
from .errors import ArgumentError, UnsupportedError
from .models import Model, Scenario
from .sample_files import sample_of
from .samples import Samples, floats_of, sample_table, sampled_model

if TYPE_CHECKING:
    from .animation import Animation

Floats = npt.NDArray[np.float64]

_FIELDS = {"q": 0, "v": 1, "input": 2, "parameters": 3, "time": 4, "status": 5, "failed_step": 6, "episode": 7}
_WRITTEN = ("q", "v", "input", "parameters")
_OBSERVABLES = {word: value for word, (value, _, _) in _core.observables().items()}
_STATUSES = _core.instance_statuses()
STATUS_WORDS: tuple[str, ...] = tuple(_STATUSES)
_VERDICTS = ("violation", "energy_mismatch", "error", "work", "nearest_change_point", "nearest_change_point_time")
_COUNTS = ("n_steps", "n_rejected", "n_evaluations", "n_rank_changes")


def status_word(value: int) -> str:
    """Also of a status that a damaged file has, or one of a later version."""
    return STATUS_WORDS[value] if 0 <= value < len(STATUS_WORDS) else f"status {value}"


class Batch:
    """N instances of one scenario, assembled and ready to step. One thread at a time uses a batch; calls release the interpreter's
    lock, and Ctrl-C stops those that make steps (`reset` makes the batch usable again then). Of `assemble` and `redraw` it leaves
    the instances that were not reached with the status not_run: assemble these again.

    scenario: path, dict, text or `Model`; a single one, not a list of several
    n: number of instances; None: the scenario's
    settings: as for `load`
    seed: of the draws; None: the scenario's
    draw: False gives every instance the nominal parameters
    samples: own values [n, parameters] in SI units, columns as `Model.parameters`, a dict of them by label, or a file of them
    backend: "auto", "cpu", "cuda"; threads: None takes all processors
    specialize: "auto", "on", "off": kernels compiled for the mechanism, which give the same bits faster
    first_instance: the number in its study of the batch's instance 0, whose draws it takes. The study is the scenario's, of
        `Model.n_instances`, or one of n where n is larger, which matters to Latin hypercubes and grids
    keep_rank_events: changes of rank are kept for `rank_events`
    all_rows: "kept" and "dropped" can be observed of the largest mechanisms too, which takes memory

    Arrays are copies in [N, n] order, made by the batch's threads; `view` shows fields in place. An instance that fails (NaN
    included) gets a status and freezes; it never changes another one's bits.
    """

    def __init__(
        self,
        scenario: Scenario,
        n: int | None = None,
        *,
        settings: Mapping[str, object] | None = None,
        seed: int | None = None,
        draw: bool = True,
        samples: Samples | None = None,
        backend: str = "auto",
        threads: int | None = None,
        specialize: str = "auto",
        first_instance: int = 0,
        keep_rank_events: bool = False,
        all_rows: bool = False,
    ) -> None:
        n_asked = 0 if n is None else count_check("n", n, 1)
        samples = sample_of(samples)
        self.model = sampled_model(scenario, settings, samples, n_asked, n_asked)
        # A copy: pickling makes the batch anew from it, whatever the caller has done with their own.
        sample = None if samples is None else sample_table(self.model, samples).copy()
        if n is None:
            n = self.model.n_instances if sample is None else len(sample)
        n = count_check("n", n, 1)
        if sample is not None and len(sample) != n:
            raise ArgumentError(f"samples has {len(sample)} rows for n={n} instances")
        self._open(
            n,
            (backend, threads, specialize),
            {
                "keep_rank_events": bool(keep_rank_events),
                "all_rows": bool(all_rows),
                "first_instance": count_check("first_instance", first_instance),
                "seed": None if seed is None else seed_check(seed),
                "draw": bool(draw),
                "sample": sample,
            },
        )

    def _open(self, n: int, machine: tuple[str, int | None, str], options: dict[str, Any]) -> None:
        """`machine`: backend, threads and specialize as they were asked for."""
        self._made = (n, machine, options)
        self._core = _core.Batch(self.model._core, n, batch_options(*machine) | options)
        self._labels = list(self._core.parameter_labels)

    def __reduce__(self) -> tuple[Any, ...]:
        """For pickle: the scenario, how the batch was made, and its state, which goes on with the same bits."""
        more = {key: value for key, value in self.__dict__.items() if key not in ("model", "_made", "_core", "_labels")}
        return _batch_restored, (type(self), self.model, self._made, self.save()), more

    def __setattr__(self, name: str, value: object) -> None:
        """Takes attributes of one's own, but for names that are nearly those of fields: they would change nothing."""
        if not name.startswith("_") and not hasattr(type(self), name):
            near = difflib.get_close_matches(name.lower(), _WRITTEN, 1, 0.75)
            if near:
                raise AttributeError(f"a batch has no {name!r} to be written; expected {near[0]!r}")
        super().__setattr__(name, value)

    # -- what it is

    @property
    def n(self) -> int:
        """Number of instances."""
        return self._core.n

    @property
    def first_instance(self) -> int:
        """The number in its study of the batch's instance 0."""
        return self._made[2]["first_instance"]

    def __len__(self) -> int:
        return self._core.n

    @property
    def backend(self) -> str:
        """ "cpu" or "cuda"."""
        return self._core.backend

    @property
    def device(self) -> str:
        """What computes, as "avx2, 2 threads"."""
        return self._core.device

    @property
    def interval(self) -> float:
        """s of one step of `advance`: the scenario's dt; of an adaptive method an interval of the output's grid."""
        return self._core.interval

    @property
    def parameter_labels(self) -> list[str]:
        """Names of the columns of `parameters`."""
        return list(self._labels)

    @property
    def specialization(self) -> dict[str, Any]:
        """How it stands with kernels for this mechanism: state, compile_seconds, step_share, note, …"""
        return self._core.specialization

    # -- fields

    def read(self, field: str, out: Floats | None = None, mask: npt.ArrayLike | None = None) -> Floats:
        """A field of all instances, [N, width]: "q", "v", "input", "parameters", "time", "status", "failed_step", "episode".

        mask: [N] of bool: the rows of these alone are written into `out`, which is to be given; the others stay as they are.
        """
        if mask is not None and out is None:
            raise ArgumentError("mask without out; expected the array whose other rows stay as they are")
        number, own = self._field(field), self._mask(mask)
        array = self._room(out, self._core.field_width(number))
        if array.size > 0:
            self._core.copy_out(number, own, array)
        return array

    def read_state(
        self, q: Floats | None = None, v: Floats | None = None, mask: npt.ArrayLike | None = None
    ) -> tuple[Floats, Floats]:
        """Coordinates [N, n_q] and speeds [N, n_v] at once: quicker than two times `read` with `formulation: relative`.

        mask: as of `read`; q and v are to be given with it.
        """
        if mask is not None and (q is None or v is None):
            raise ArgumentError("mask without q and v; expected the arrays whose other rows stay as they are")
        own = self._mask(mask)
        both = self._room(q, len(self.model.coordinates)), self._room(v, len(self.model.speeds))
        if np.may_share_memory(*both):
            raise ArgumentError("q and v share memory; expected an array for each")
        self._core.copy_state(own, *both)
        return both

    def write(self, field: str, values: npt.ArrayLike, mask: npt.ArrayLike | None = None) -> None:
        """Writes "q", "v", "input" or "parameters" of the masked instances; what broadcasts to [N, width] is taken.

        Coordinates, speeds and parameters are to be followed by `assemble`. NaN harms no instance but its own.
        """
        number = self._field(field)
        shape = (self.n, self._core.field_width(number))
        given = floats_of(field, values)
        if given.shape == shape and given.flags.c_contiguous:
            self._core.copy_in(number, self._mask(mask), given)
            return
        if given.ndim == 1 and shape[1] == 1 and given.shape[0] == self.n:
            given = given[:, None]
        try:
            table = np.ascontiguousarray(np.broadcast_to(given, shape))
        except ValueError:
            raise ArgumentError(f"{field} has the shape {shape}, [instances, width]; got {given.shape}") from None
        self._core.copy_in(number, self._mask(mask), table)

    @property
    def q(self) -> Floats:
        """Coordinates of the bodies, [N, n_q] m | rad, whatever the formulation. A copy, not to be written to; `batch.q = values`
        writes all of them, and `assemble` is to follow."""
        return self._shown("q")

    @q.setter
    def q(self, values: npt.ArrayLike) -> None:
        self.write("q", values)

    @property
    def v(self) -> Floats:
        """Speeds, [N, n] m/s | rad/s."""
        return self._shown("v")

    @v.setter
    def v(self, values: npt.ArrayLike) -> None:
        self.write("v", values)

    @property
    def input(self) -> Floats:
        """The scenario's inputs, [N, n_inputs] N | N m: forces and torques held until they are written again."""
        return self._shown("input")

    @input.setter
    def input(self, values: npt.ArrayLike) -> None:
        self.write("input", values)

    @property
    def parameters(self) -> Floats:
        """The drawn parameters, [N, P] in the units of the scenario's numbers, columns as `parameter_labels`."""
        return self._shown("parameters")

    @parameters.setter
    def parameters(self, values: npt.ArrayLike) -> None:
        self.write("parameters", values)

    @property
    def time(self) -> Floats:
        """s since each instance began, [N]."""
        return self.read("time")[:, 0]

    @property
    def status(self) -> npt.NDArray[np.uint8]:
        """[N], 0: ok; `STATUS_WORDS` names the others. An instance that is not ok stands still."""
        return self.read("status")[:, 0].astype(np.uint8)

    @property
    def failed_step(self) -> npt.NDArray[np.int64]:
        """[N] the step at which an instance failed; 0: it has not, or before the first."""
        return self.read("failed_step")[:, 0].astype(np.int64)

    @property
    def episode(self) -> npt.NDArray[np.uint64]:
        """[N] number of the last `redraw`, to its last bit; 0: none. `read("episode")` gives it as a float, up to 2^53."""
        array = np.empty(self.n, dtype=np.uint64)
        self._core.copy_episodes(array)
        return array

    def view(self, field: str) -> Floats:
        """A field in place, without a copy: [tiles, width, lanes]; instance i is [i // lanes, :, i % lanes].

        "q", "v", "input" and "status", of which status is not to be written. The array keeps the batch alive and hands itself on by
        DLPack (`torch.from_dlpack(batch.view("q"))`). Lanes behind the last instance are padding. `UnsupportedError`: coordinates
        and speeds with `formulation: relative`, which `auto` mostly is: tiles hold those of joints then, and
        `settings={"dynamics.formulation": "udwadia-kalaba"}` has a view.
        """
        array = self._in_place(self._core.view, field)
        if field == "status":
            array.flags.writeable = False
        return array

    def device_view(self, field: str) -> DeviceView:
        """A field where a GPU makes the steps, without a copy: "q", "v", "input" or "status" as [tiles, width, 32] of float64.

        Everything but status may be written there; what is queued next (`advance_async`), or read by the host, is what stands there
        then. From now on calls that are not …_async wait for the GPU first, and `view` is refused. `UnsupportedError`: the batch is
        on the processor, on several GPUs or larger than one, a field was viewed on the host, or coordinates and speeds with
        `formulation: relative`, which `auto` mostly is; `observe_async` shows them.
        """
        return DeviceView(self, field, self._in_place(self._core.device_view, field))

    def joint_points(self) -> Floats:
        """Where the joints are in their bodies, [N, joints, 2, 2 | 3] m: the point in the frame of the parent, and of the child; of
        ground in the inertial frame. Joints as `Model.joints`, bodies as `Model.joint_bodies`. NaN of invalid parameters."""
        array = np.empty((self.n, len(self.model.joints), 2, 3 if self.model.is_spatial else 2))
        if array.size > 0:
            self._core.copy_joint_points(array)
        return array

    def see(
        self,
        table: npt.NDArray[np.int32],
        at: Floats,
        own: Floats | None,
        mask: npt.ArrayLike | None,
        out: Floats,
    ) -> None:
        """Numbers of the bodies' present motion to out [K, N], of all instances or those of the mask, in one pass by the batch's
        threads: sarrus_batch_copy_seen (include/sarrus/seen.h) with its table in arrays.

        table: [K, 6] of int32: kind (0 q, 1 v, 2 sine, 3 cosine, 4 place, 5 velocity), i, j (−1: none), body, axis, column of `own`
            where the instance's place begins (−1: `at` holds it)
        at: [K, 3] m, places in the frames of the bodies
        own: [N, ..] m, such places of each instance
        """
        shape = (len(table), self.n)
        for name, array, dtype, wanted in (
            ("table", table, np.int32, (shape[0], 6)),
            ("at", at, np.float64, (shape[0], 3)),
            ("own", own, np.float64, (self.n, None)),
            ("out", out, np.float64, shape),
        ):
            if array is not None:
                _array_check(name, array, dtype, wanted)
        if not out.flags.writeable:
            raise ArgumentError("out is an array that can be written to")
        self._see(table, at, own, mask, out)

    # -- steps

    def advance(self, k: int = 1) -> None:
        """k steps of the scenario's dt; of an adaptive method k intervals of the output's grid."""
        self._core.advance(count_check("k", k))

    def advance_async(self, k: int = 1, stream: Any = None) -> None:
        """Queues k steps on a stream of the GPU and returns at once: the bits of `advance`, without waiting, copying or allocating.

        stream: a number (cudaStream_t), or a stream of PyTorch, CuPy or CUDA Python; None: the default stream.
        A graph may capture it, after one such call or `device_view`. What else is asked of the batch waits first; so do `time` and
        `read`. `UnsupportedError`: as of `device_view`, and where the host has a hand in the steps (`keep_rank_events`, cuSOLVER).
        """
        self._core.advance_async(count_check("k", k), stream_handle(stream))

    def write_async(self, field: str, values: Any, stream: Any = None) -> None:
        """ "q", "v" or "input" of all instances from an array on the GPU, by a stream of it: contiguous float64 of the shape
        [tiles, width, 32] with __cuda_array_interface__, that lives until it was read."""
        number = self._field(field)
        shape = (-(-self.n // LANES), self._core.field_width(number), LANES)
        self._core.copy_in_async(number, device_address("values", values, shape, ("<f8",)), stream_handle(stream))

    def reset_async(self, mask: Any, stream: Any = None) -> None:
        """As `reset(mask)`, on a stream of the GPU: the mask is an array there, [N] of bool or uint8 with __cuda_array_interface__,
        that lives until it was read."""
        address = device_address("mask", mask, (self.n,), ("|b1", "|u1"))
        self._core.reset_some_async(address, stream_handle(stream))

    def observe_async(self, channel: str, out: Any, stream: Any = None) -> None:
        """An observable of the present state into an array on the GPU, by a stream of it: `out` is contiguous float64 of the shape
        [tiles, width, 32] with __cuda_array_interface__, as that of `device_view`; `channel` is a whole observable of `observe`
        ("q", "energy", "reactions"). An instance that has failed shows its last good state, not NaN."""
        if channel not in _OBSERVABLES:
            raise ArgumentError(f"there is no observable {channel!r}; expected one of {', '.join(_OBSERVABLES)}")
        number = _OBSERVABLES[channel]
        shape = (-(-self.n // LANES), self._core.observable_width(number), LANES)
        self._core.observe_async(number, device_address("out", out, shape, ("<f8",)), stream_handle(stream))

    def reset(self, mask: npt.ArrayLike | None = None) -> None:
        """Puts instances back to their beginning: state, time, counters, status; inputs are 0. None: all of them.

        From there each goes as in a fresh batch, bit for bit. `mask`: [N] of bool.
        """
        if mask is None:
            self._core.reset()
            self.write("input", 0.0)
        else:
            self._core.reset_some(self._mask(mask))

    def assemble(self, mask: npt.ArrayLike | None = None) -> None:
        """Lets instances begin anew from the coordinates, speeds and parameters that were written: they are projected onto the
        constraints at t = 0. One that cannot be assembled gets its status."""
        self._core.assemble(self._mask(mask))

    def redraw(
        self,
        mask: npt.ArrayLike | None = None,
        *,
        seeds: npt.ArrayLike | None = None,
        episodes: npt.ArrayLike | None = None,
        numbers: npt.ArrayLike | None = None,
    ) -> None:
        """Draws the parameters of instances anew and assembles these. A draw depends on (seed, number, episode, parameter) only;
        without `episodes` each takes the one after its last, without `seeds` the scenario's seed. The number is that of the
        instance in its study, `first_instance` and on, or of `numbers`: equal ones draw equal parameters, at whatever place."""
        self._core.redraw(
            self._mask(mask), self._counts("seeds", seeds), self._counts("episodes", episodes), self._counts("numbers", numbers)
        )

    # -- looking

    def observe(self, channels: Iterable[str] | str) -> dict[str, Floats]:
        """Observables of the present state, by name; instances that have failed give NaN.

        "q", "v", "acceleration": [N, n]; "energy", "work", "position_error", "velocity_error", "rank", "kept", "dropped": [N];
        "reactions": [N, joints, 3 | 6], joints as `Model.joints`; "drives": [N, drives] in the order of the scenario;
        "constraints": [N, loads]; the name of a coordinate or a speed ("crank_a.theta"): [N]. And by paths of a result file:
        "state/q", "diagnostics/energy", …; "reactions/A" [N, 3 | 6]; "drives/A" [N], of several drives [N, k];
        "joints/A/coordinate", "joints/A/speed" [N, k].

        A reaction is force (and torque) on the child at the joint point, in the inertial frame, without the joint's springs and
        dampers.
        """
        names = names_of(channels)
        found: dict[str, Floats] = {}
        out = {}
        for name in names:
            word, column = self._channel(name)
            if word not in found:
                number = _OBSERVABLES[word]
                width = self._core.observable_width(number)
                found[word] = self._room(None, width)
                if width > 0:
                    self._core.copy_observable(number, found[word])
            out[name] = self._shaped(word, found[word], column)
        return out

    def systems(self) -> dict[str, Floats]:
        """The equations of the present states, written out in full: M a + J'λ = F, J a = γ.

        "mass" [N, n, n], "force" [N, n], "jacobian" [N, m, n], "gamma" [N, m]; speeds are `Model.speeds`, rows
        those of `sarrus check`. M may be semi-definite and J rank deficient: matrices for whoever compares solvers. On the CPU.
        """
        n, m = self.model.sizes["n"], self.model.sizes["m"]
        mass, force, jacobian, gamma = (self._room(None, width) for width in (n * n, n, m * n, m))
        self._core.copy_systems(mass, force, jacobian, gamma)
        mass, jacobian = mass.reshape(len(mass), n, n), jacobian.reshape(len(mass), m, n)
        return {"mass": mass, "force": force, "jacobian": jacobian, "gamma": gamma}

    def rollout(
        self, n_times: int, every: int = 1, channels: Iterable[str] | str = ("q", "v"), *, include_start: bool = False
    ) -> dict[str, Floats]:
        """n_times times `every` steps, observed after each: arrays as of `observe` with a time axis, [N, n_times, …].

        One call of the library, without Python in between. `include_start`: the first of the n_times rows is the present state, and
        n_times − 1 times steps are made.
        """
        n_times, every = count_check("n_times", n_times, 1), count_check("every", every, 1)
        names = names_of(channels)
        placed = [(name, *self._channel(name)) for name in names]
        arrays: dict[str, Floats] = {}
        for _, word, _ in placed:
            width = self._core.observable_width(_OBSERVABLES[word])
            try:
                arrays.setdefault(word, np.empty((self.n, n_times, width)))
            except ValueError:
                raise ArgumentError(f"n_times={n_times} of {self.n} instances are more numbers than an array can have") from None
        pairs = [(_OBSERVABLES[word], array) for word, array in arrays.items() if array.size > 0]
        self._core.observe(n_times, every, bool(include_start), pairs)
        return {name: self._shaped(word, arrays[word], column) for name, word, column in placed}

    def verdict(self) -> dict[str, Floats]:
        """The worst seen of each instance since it began, [N] each: violation, energy_mismatch, error, work,
        nearest_change_point, nearest_change_point_time."""
        table = np.empty((len(_VERDICTS), self.n))
        self._core.verdicts(table)
        return dict(zip(_VERDICTS, table, strict=True))

    def statistics(self) -> dict[str, npt.NDArray[np.uint64]]:
        """The work done for each instance since it began, [N] each: n_steps, n_rejected, n_evaluations, n_rank_changes."""
        table = np.empty((len(_COUNTS), self.n), dtype=np.uint64)
        self._core.statistics(table)
        return dict(zip(_COUNTS, table, strict=True))

    def rank_events(self, *, clear: bool = False) -> list[tuple[int, float, int, int]]:
        """Changes of rank kept so far: (instance, time, rank before, rank after). Needs keep_rank_events and the channel `rank`."""
        events = self._core.rank_events()
        if clear:
            self._core.rank_events_clear()
        return events

    # -- bytes

    def save(self) -> bytes:
        """The whole state of the batch; what is loaded goes on with the same bits."""
        return self._core.save()

    def load(self, data: bytes) -> None:
        """Takes in what `save` gave, of the same scenario with the same number of instances, on any backend. Where an older Sarrus
        has chosen another formulation (`dynamics.formulation: auto`), the batch is to be made with that one in its settings."""
        if not isinstance(data, bytes | bytearray | memoryview):
            raise ArgumentError(f"what is loaded are bytes, as save gives them; got {type(data).__name__}")
        self._core.load(bytes(data))

    def animate(self, instance: int = 0, output: str | None = None, **options: Any) -> Animation:
        """The motion of an instance from the scenario's beginning: `sarrus.animate(batch, output, instance=instance, …)`."""
        from .animation import animate

        return animate(self, output, instance=instance, **options)

    def __repr__(self) -> str:
        name = self.model.name or self.model.path or "a scenario"
        return f"<sarrus.Batch of {self.n}: {name}; {self.backend} ({self.device})>"

    def _repr_html_(self) -> str:
        words, counts = np.unique(self.status, return_counts=True)
        rows = "".join(f"<tr><td>{STATUS_WORDS[word]}</td><td>{count}</td></tr>" for word, count in zip(words, counts, strict=True))
        return f"<b>{html.escape(repr(self))}</b><table><tr><th>status</th><th>instances</th></tr>{rows}</table>"

    # -- within

    def _in_place(self, find: Callable[[int], Any], field: str) -> Any:
        """`find` of a field; a refusal says what there is in Python instead."""
        try:
            return find(self._field(field))
        except UnsupportedError as error:
            if "motion of joints" not in str(error):
                raise
            bodies = 'settings={"dynamics.formulation": "udwadia-kalaba"}'
            raise UnsupportedError(f"tiles hold the motion of joints; expected Batch.{field}, which copies, or {bodies}") from None

    def _see(self, table: Any, at: Floats, own: Floats | None, mask: npt.ArrayLike | None, out: Floats) -> None:
        """`see` for arrays that are known to be good."""
        self._core.copy_seen(table, at, own, self._mask(mask), out)

    def _shown(self, field: str) -> Floats:
        """A copy that cannot be written to: `batch.input[:, 0] = 5` would change nothing but it."""
        array = self.read(field)
        array.flags.writeable = False
        return array

    def _field(self, word: str) -> int:
        if not isinstance(word, str) or word not in _FIELDS:
            raise ArgumentError(f"there is no field {word!r}; expected one of {', '.join(_FIELDS)}")
        return _FIELDS[word]

    def _mask(self, mask: npt.ArrayLike | None) -> npt.NDArray[np.uint8] | None:
        if mask is None:
            return None
        given = np.asarray(mask)
        if given.shape != (self.n,) or given.dtype not in (np.dtype(bool), np.dtype(np.uint8)):
            raise ArgumentError(f"a mask is [N] of bool, N = {self.n}; got {given.dtype} of shape {given.shape}")
        return np.ascontiguousarray(given if given.dtype == np.bool_ else given != 0).view(np.uint8)

    def _counts(self, name: str, values: npt.ArrayLike | None) -> npt.NDArray[np.uint64] | None:
        if values is None:
            return None
        try:
            given = np.asarray(values)
            if given.dtype.kind == "f" and isinstance(values, Sequence):  # whole numbers on both sides of 2^63 make floats
                given = np.array([operator.index(value) for value in values], dtype=np.uint64)
        except (TypeError, ValueError, OverflowError) as error:
            raise ArgumentError(f"{name}: {error}; expected whole numbers from 0 on, one for each instance") from None
        if given.dtype.kind not in "ui" or np.ma.isMaskedArray(values) or (given.dtype.kind == "i" and np.any(given < 0)):
            raise ArgumentError(f"{name} are whole numbers from 0 on, unmasked, one for each instance; got {given.dtype}")
        try:
            return np.ascontiguousarray(np.broadcast_to(given, (self.n,)), dtype=np.uint64)
        except ValueError:
            raise ArgumentError(f"{name} are [N], N = {self.n}; got the shape {given.shape}") from None

    def _room(self, out: Floats | None, width: int) -> Floats:
        """[N, width] to be written to: the caller's, or a new one."""
        array = np.empty((self.n, width)) if out is None else out
        if not isinstance(array, np.ndarray) or not array.flags.writeable:
            raise ArgumentError(f"out is an array that can be written to; got {type(array).__name__}")
        if array.shape != (self.n, width) or array.dtype != np.float64 or not array.flags.c_contiguous:
            raise ArgumentError(f"out is a contiguous float64 array of shape {(self.n, width)}")
        return array

    def _channel(self, name: str) -> tuple[str, int | slice | None]:
        return channel_find(self.model, _OBSERVABLES, name)

    def _shaped(self, word: str, array: Floats, column: int | slice | None) -> Floats:
        if column is not None:
            return np.ascontiguousarray(array[..., column])
        if word == "reactions" and array.shape[-1] > 0:
            return array.reshape(*array.shape[:-1], len(self.model.joints), -1)
        scalar = word not in ("q", "v", "acceleration", "drives", "constraints")
        return array[..., 0] if scalar and array.shape[-1] == 1 else array


def _array_check(name: str, array: Any, dtype: type, shape: tuple[int | None, ...]) -> None:
    """What the library reads or writes in place has to be that already: a copy that was made on the way would be lost."""
    is_good = isinstance(array, np.ndarray) and array.dtype == dtype and array.flags.c_contiguous and array.ndim == len(shape)
    if not is_good or any(own is not None and own != given for own, given in zip(shape, array.shape, strict=True)):
        told = ", ".join("·" if n is None else str(n) for n in shape)
        raise ArgumentError(f"{name} is a contiguous {np.dtype(dtype).name} array of shape ({told})")


def _batch_restored(kind: type[Batch], model: Model, made: tuple[Any, ...], data: bytes) -> Batch:
    batch = kind.__new__(kind)
    batch.model = model
    batch._open(*made)
    batch.load(data)
    return batch
