"""A report as text for people, as JSON, as annotations of GitHub, and as SARIF 2.1.0. Pure."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote

from engine.files import short_hash
from engine.language.problems import Level, Problem
from runbook.changes import Shown, printed, visible
from runbook.check import CODES, Report

_ANSI: Mapping[Level, str] = {"error": "\x1b[31m", "warning": "\x1b[33m", "note": "\x1b[36m"}
_PLAIN = "\x1b[0m"
_GITHUB: Mapping[Level, str] = {"error": "error", "warning": "warning", "note": "notice"}


def text(report: Report, colour: bool = False) -> str:
    """One paragraph a finding: place, what is wrong, what to do; of a change also both texts as a word diff."""
    parts = []
    for problem in report.problems:
        detail = report.shown.get(problem)
        parts.append("\n".join([_head(problem, colour, detail is None), *(printed(detail, colour) if detail else ())]))
    parts.append("\n".join([*(visible(one) for one in report.says), _count(report)]))
    return "\n\n".join(parts) + "\n"


def _head(problem: Problem, colour: bool, cure: bool) -> str:
    level = f"{_ANSI[problem.level]}{problem.level}{_PLAIN}" if colour else problem.level
    key = f" [{problem.place.key}]" if problem.place.key else ""
    proof = f" ({problem.proof})" if problem.proof else ""
    said = " ".join(f"{problem.says}{proof} {problem.cure if cure else ''}".split())
    return f"{visible(str(problem.place))}: {level}: {problem.code}{visible(key)}: {visible(said)}"


def _count(report: Report) -> str:
    counts = Counter(problem.level for problem in report.problems)
    levels: tuple[Level, ...] = ("error", "warning", "note")
    found = ", ".join(f"{counts[level]} {level}{'s' * (counts[level] != 1)}" for level in levels if counts[level])
    if report.unusable:
        return f"The check could not run to its end: {found or 'see above'}."
    return f"{'Held' if report.status == 0 else 'Refused'}{': ' * bool(found)}{found}."


def as_json(report: Report) -> str:
    """The report as one JSON object; only ASCII, so that it is the same in every terminal."""
    value = {
        "status": report.status,
        "says": [*report.says],
        "problems": [_plain(problem, report) for problem in report.problems],
    }
    return json.dumps(value, indent=2, ensure_ascii=True) + "\n"


def _plain(problem: Problem, report: Report) -> dict[str, Any]:
    place = problem.place
    value: dict[str, Any] = {
        "file": place.file, "line": place.line, "column": place.column, "key": place.key, "level": problem.level,
        "code": problem.code, "says": problem.says, "cure": problem.cure, "proof": problem.proof,
    }  # fmt: skip
    detail = report.shown.get(problem)
    if detail is not None:
        value["change"] = {
            "item": detail.finding.item, "from": detail.finding.before, "to": detail.finding.after,
            "was": detail.finding.was or None, "old": detail.old, "new": detail.new, "card": detail.owner,
            "card_file": detail.owner_file, "lacks": detail.lacks, "examples": [*detail.examples],
            "accept": detail.accept,
        }  # fmt: skip
    return value


def github(report: Report) -> str:
    """Workflow commands: one annotation a finding, at its place in the repository."""
    lines = []
    for problem in report.problems:
        place = problem.place
        properties = {"file": report.folder + place.file}
        if place.line:
            properties |= {"line": str(place.line), "col": str(place.column)}
        properties["title"] = f"rulecard: {problem.code}"
        said = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
        lines.append(f"::{_GITHUB[problem.level]} {said}::{_data(_message(problem, report.shown.get(problem)))}")
    lines += [f"::notice title=rulecard::{_data(one)}" for one in report.says]
    return "\n".join(lines) + "\n" if lines else ""


def _message(problem: Problem, detail: Shown | None) -> str:
    proof = f" ({problem.proof})" if problem.proof else ""
    said = visible(f"{problem.says}{proof} {problem.cure}".strip())
    return "\n".join([said, *printed(detail)]) if detail else said


def _data(value: str) -> str:
    return value.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(value: str) -> str:
    return _data(value).replace(":", "%3A").replace(",", "%2C")


def sarif(report: Report) -> str:
    """SARIF 2.1.0: one run, a rule for each code found, places relative to the repository's root."""
    codes = sorted({problem.code for problem in report.problems})
    rules = [{"id": code, "shortDescription": {"text": CODES.get(code, code.replace("_", " "))}} for code in codes]
    run = {
        "tool": {"driver": {"name": "rulecard", "rules": rules}},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": not report.unusable, "exitCode": report.status}],
        "results": [_result(problem, report, codes) for problem in report.problems],
    }
    document = {"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run]}
    return json.dumps(document, indent=2, ensure_ascii=True) + "\n"


def _result(problem: Problem, report: Report, codes: list[str]) -> dict[str, Any]:
    place = problem.place
    where: dict[str, Any] = {
        "artifactLocation": {"uri": quote(report.folder + place.file, safe="/"), "uriBaseId": "%SRCROOT%"}
    }
    if place.line:
        where["region"] = {"startLine": place.line, "startColumn": max(place.column, 1)}
    location: dict[str, Any] = {"physicalLocation": where}
    if place.key:
        location["logicalLocations"] = [{"fullyQualifiedName": place.key}]
    return {
        "ruleId": problem.code,
        "ruleIndex": codes.index(problem.code),
        "level": problem.level,
        "message": {"text": _message(problem, report.shown.get(problem))},
        "locations": [location],
        "partialFingerprints": {
            "rulecard/v1": short_hash(f"{problem.code}\n{place.file}\n{place.key}\n{problem.says}")
        },
    }


FORMATS: Mapping[str, Callable[[Report], str]] = {"text": text, "json": as_json, "github": github, "sarif": sarif}
"""The names that `--format` takes."""
