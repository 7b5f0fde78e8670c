"""Where the scenarios of the tasks are."""

from pathlib import Path


def scenario(name: str) -> str:
    """Path of a scenario that comes with the package."""
    return str(Path(__file__).parents[1] / "scenarios" / f"{name}.yaml")
