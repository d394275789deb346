"""What is told of judged captures: the summary that reports are made of, its JSON form, and one page of HTML that needs
nothing but a browser."""

from __future__ import annotations

from captures.report.json_form import report_json, rules_json
from captures.report.page import write_page
from captures.report.page_data import PageData
from captures.report.summary import CallStatistics, FindingGroup, Statistics, Summary

__all__ = [
    "CallStatistics",
    "FindingGroup",
    "PageData",
    "Statistics",
    "Summary",
    "report_json",
    "rules_json",
    "write_page",
]
