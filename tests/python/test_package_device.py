"""What the package does for programs that stay on the GPU, as far as it can be seen without one: how a field is handed on by
`__cuda_array_interface__` and DLPack, which streams and arrays are taken, and what a batch on the processor says. Exit code 77
(skipped) without the package."""

import ctypes
import sys
from types import SimpleNamespace

from package import raises, run_all, sarrus
from program import SOURCE
from sarrus import devices

FOUR_BAR = str(SOURCE / "scenarios/four_bar.yaml")


class Tensor(ctypes.Structure):
    """DLTensor of DLPack's header."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


def array_on_gpu(typestr, shape, strides=None, address=4096):
    """What a library of arrays shows of one."""
    own = {"typestr": typestr, "shape": shape, "strides": strides, "data": (address, False), "version": 3}
    return SimpleNamespace(__cuda_array_interface__=own)


def view_of(steps):
    """A view of 70 instances, of a field of 5 numbers in tiles of 160 arrays on GPU 3; each wait is noted in `steps`."""

    class Core:
        @property
        def step(self):
            steps.append("waited")
            return 0

    return sarrus.DeviceView(SimpleNamespace(n=70, _core=Core()), "q", (1 << 20, 3, 3, 5, 160 * 32))


def test_view():
    steps = []
    view = view_of(steps)
    assert (view.shape, view.strides, view.device, view.n) == ((3, 5, 32), (8 * 160 * 32, 8 * 32, 8), 3, 70)
    own = view.__cuda_array_interface__
    assert own["data"] == (1 << 20, False) and own["typestr"] == "<f8" and own["version"] == 3
    assert own["shape"] == view.shape and own["strides"] == view.strides
    assert steps == ["waited"]
    assert view.__dlpack_device__() == (2, 3)
    capsule = view.__dlpack__(stream=7)
    assert steps == ["waited", "waited"]
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    tensor = Tensor.from_address(pointer(capsule, b"dltensor"))
    assert (tensor.data + tensor.byte_offset, tensor.device_type, tensor.device_id) == (1 << 20, 2, 3)
    assert (tensor.code, tensor.bits, tensor.lanes) == (2, 64, 1)
    assert tensor.shape[: tensor.ndim] == [3, 5, 32] and tensor.strides[: tensor.ndim] == [160 * 32, 32, 1]


def test_streams():
    assert devices.stream_handle(None) == 0 and devices.stream_handle(1234) == 1234
    assert devices.stream_handle(SimpleNamespace(cuda_stream=5)) == 5
    assert devices.stream_handle(SimpleNamespace(ptr=6)) == 6
    assert devices.stream_handle(SimpleNamespace(__cuda_stream__=lambda: (0, 7))) == 7
    raises(sarrus.ArgumentError, lambda: devices.stream_handle("fast"), "stream")


def test_arrays():
    shape = (3, 5, 32)
    packed = (5 * 32 * 8, 32 * 8, 8)
    for strides in (None, packed):
        assert devices.device_address("out", array_on_gpu("<f8", shape, strides), shape, ("<f8",)) == 4096
    for kind in ("|b1", "|u1"):
        assert devices.device_address("mask", array_on_gpu(kind, (70,)), (70,), ("|b1", "|u1")) == 4096
    for array in (
        [0.0],
        array_on_gpu("<f4", shape),
        array_on_gpu("<f8", (3, 32, 5)),
        array_on_gpu("<f8", shape, (8, 24, 120)),
    ):
        raises(sarrus.ArgumentError, lambda own=array: devices.device_address("out", own, shape, ("<f8",)), "out")


def test_a_batch_on_the_processor():
    batch = sarrus.Batch(FOUR_BAR, 70, backend="cpu", specialize="off")
    width = len(batch.model.coordinates)
    for call in (
        lambda: batch.device_view("status"),
        lambda: batch.advance_async(3),
        lambda: batch.write_async("v", array_on_gpu("<f8", (3, len(batch.model.speeds), 32))),
        lambda: batch.reset_async(array_on_gpu("|b1", (70,))),
        lambda: batch.observe_async("q", array_on_gpu("<f8", (3, width, 32))),
    ):
        raises(sarrus.UnsupportedError, call, "on the processor")
    raises(sarrus.UnsupportedError, lambda: batch.device_view("time"), "copied only")
    raises(sarrus.ArgumentError, lambda: batch.device_view("speed"), "no field")
    raises(sarrus.ArgumentError, lambda: batch.advance_async(-1), "k=")
    raises(sarrus.ArgumentError, lambda: batch.observe_async("crank.x", None), "no observable")
    raises(sarrus.ArgumentError, lambda: batch.reset_async(array_on_gpu("|b1", (69,))), "mask")
    batch.advance(2)
    assert batch.view("status").shape[1] == 1


if __name__ == "__main__":
    sys.exit(run_all(globals()))
