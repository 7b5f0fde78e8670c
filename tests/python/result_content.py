"""What stands in result files, for tests that hold one against another. Without a program or h5py the test ends here: skipped (exit
code 77)."""

import sys

from program import place

try:
    import h5py
except ImportError as error:
    print(f"skipped: {error.name} is not installed")
    sys.exit(77)

PROGRAM = place()
if PROGRAM is None:
    sys.exit(77)

__all__ = ["PROGRAM", "content", "datasets", "h5py"]


def datasets(path):
    """All datasets of a file by their paths."""
    found = {}
    with h5py.File(path) as file:
        file.visititems(lambda name, item: found.update({name: item[()]}) if isinstance(item, h5py.Dataset) else None)
    return found


def content(path, but=()):
    """Type, shape, bytes, scales and attributes of every dataset, and the attributes of groups: all but the date, the parts that it
    is made of, and the attributes `but`."""
    left_out = {"created", "DIMENSION_LIST", "REFERENCE_LIST", *but}
    found = {}

    def attributes(item):
        return {name: str(item.attrs[name]) for name in set(item.attrs) - left_out}

    def take(name, item):
        if "parts" in name.split("/"):
            return
        found[name] = attributes(item)
        if isinstance(item, h5py.Dataset):
            values = item[()]
            scales = [[scale.name for scale in axis.values()] for axis in item.dims]
            texts = list(values.ravel()) if item.shape else str(values)
            found[name] = (str(item.dtype), item.shape, texts if item.dtype == object else values.tobytes(), scales, found[name])

    with h5py.File(path) as file:
        file.visititems(take)
        take("/", file)
    return found
