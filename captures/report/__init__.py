"""Reports on judged captures: the summary, its JSON form, and a self-contained HTML page."""

from __future__ import annotations

from mqbridge.captures.report.json_form import report_json, rules_json
from mqbridge.captures.report.page import PageData, write_page
from mqbridge.captures.report.summary import CallStatistics, FindingGroup, Statistics, Summary

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
