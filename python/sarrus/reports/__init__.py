"""`sarrus.report`: one page of the result of a study."""

from .pages import Report, report

__all__ = ["Report", "report"]
