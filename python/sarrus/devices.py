"""A batch for programs that stay on the GPU: fields where the steps are made, and streams and arrays of other libraries."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import _core
from .errors import ArgumentError

if TYPE_CHECKING:
    from .batches import Batch

LANES = 32  # instances of a tile on a GPU


class DeviceView:
    """A field in the memory of a GPU, [tiles, width, 32] of float64; instance i is [i // 32, :, i % 32].

    `torch.as_tensor(view, device="cuda")`, `torch.from_dlpack(view)` and `cupy.asarray(view)` take it without a copy; JAX takes
    compact arrays alone (`Batch.observe_async`). Lanes behind the last instance are padding. It keeps the batch alive.

    shape: (tiles, width, 32); strides: bytes, of tiles that hold other fields too; device: the GPU's number; n: instances
    """

    def __init__(self, batch: Batch, field: str, place: tuple[int, int, int, int, int]) -> None:
        self._batch = batch
        self._address, self.device, n_tiles, n_components, tile = place
        self.field = field
        self.n = batch.n
        self.shape = (n_tiles, n_components, LANES)
        self.strides = (8 * tile, 8 * LANES, 8)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """Version 3. What was queued for the batch is waited for, so that whoever takes it need not."""
        self._wait()
        return {
            "shape": self.shape,
            "typestr": "<f8",
            "data": (self._address, False),  # PyTorch takes no array that may not be written
            "strides": self.strides,
            "version": 3,
            "stream": None,
        }

    def __dlpack__(self, **wishes: Any) -> Any:
        """As of the array API standard. What was queued for the batch is waited for, on whatever stream."""
        self._wait()
        wishes.pop("stream", None)
        return self._array().__dlpack__(**wishes)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._array().__dlpack_device__()

    def _array(self) -> Any:
        return _core.device_array(self._address, self.device, self.shape, tuple(stride // 8 for stride in self.strides), self)

    def _wait(self) -> None:
        _ = self._batch._core.step

    def __repr__(self) -> str:
        return f"<sarrus.DeviceView of {self.field}: {self.shape} on GPU {self.device}>"


def stream_handle(stream: Any) -> int:
    """The cudaStream_t of a number, or of a stream of PyTorch, CuPy or CUDA Python; None: the default stream."""
    if stream is None:
        return 0
    protocol = getattr(stream, "__cuda_stream__", None)
    if protocol is not None:
        return operator.index((protocol() if callable(protocol) else protocol)[1])
    for name in ("cuda_stream", "ptr"):
        if hasattr(stream, name):
            return operator.index(getattr(stream, name))
    try:
        return operator.index(stream)
    except TypeError:
        raise ArgumentError(f"stream={stream!r}; expected a number, or a stream of PyTorch, CuPy or CUDA Python") from None


def device_address(name: str, array: Any, shape: tuple[int, ...], kinds: tuple[str, ...]) -> int:
    """Where an array of this shape, contiguous and of one of these types ("<f8", …), lies in the memory of a GPU."""
    own = getattr(array, "__cuda_array_interface__", None)
    if not isinstance(own, Mapping):
        raise ArgumentError(f"{name} is an array on the GPU, with __cuda_array_interface__; got {type(array).__name__}")
    if tuple(own["shape"]) != shape or own["typestr"] not in kinds:
        raise ArgumentError(f"{name} is of {' or '.join(kinds)} and shape {shape}; got {own['typestr']} of {tuple(own['shape'])}")
    size = int(kinds[0][2:])
    packed = []
    for length in reversed(shape):
        packed.insert(0, size)
        size *= length
    strides = own.get("strides")
    if strides is not None and tuple(strides) != tuple(packed):
        raise ArgumentError(f"{name} is contiguous; got the strides {tuple(strides)}")
    return int(own["data"][0])
