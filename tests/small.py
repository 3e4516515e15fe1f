"""A small project as files, built and checked without a disk: what the tests of lock, build and accept share."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping

from engine.language.project import LineSource, Project, read_project
from runbook.accept import accept
from runbook.base import Base
from runbook.build import Documents, Prepared, leftovers, outputs, prepare
from runbook.check import Report, check

LINE = """\
rulecard: 1
title: Corner shop
languages: [en, es]
zone: Europe/London
region: GB
switches:
  lookup: {value: on}
  photos: {value: off}
facts:
  line.phones: {value: ['+44 20 7946 0100', '+44 20 7946 0101']}
prompt:
  opening: You answer for {line.name}.
  blocks: [manner, rules, lookup]
"""
MANNER = """\
title: Manner
instructions:
  - id: manner.greet
    text: Greet the customer once.
  - id: manner.short
    text: Answer in two sentences.
  - id: manner.kind
    text: Stay kind.
"""
RULES = """\
title: Rules
instructions:
  - id: rules.wait   # a comment that stays
    text: Answer within {limits.wait}.
  - id: rules.phones
    text: |
      Give only these numbers:
      {line.phones}

      No others.
"""
LOOKUP = """\
title: Looking up
switch: lookup
instructions:
  - {id: lookup.ask, text: Ask for a look-up when you do not know.}
"""
STYLE = """\
# how the line writes
title: It writes briefly and kindly
why: Customers read on a small screen.
since: 2026-09-21
explains: [manner.greet, manner.short, manner.kind]
"""
BACKGROUND = """\
title: What it looks up
why: Stock changes by the hour.
since: 2026-09-21
explains: [lookup.ask]
"""
GUARD = """\
title: A telephone number that is not ours
why: A made-up number sends a customer to a stranger.
since: 2026-09-21
explains: [rules.phones]
when: {answer.phones: {not_in: [$line.phones]}}
then: hold
examples:
  - {answer: Call +44 20 7946 0999, fires: true}
  - {answer: Call +44 20 7946 0100, fires: false}
"""
LIMIT = """\
title: How long a customer waits
why: After a quarter of an hour they have gone.
since: 2026-09-21
explains: [rules.wait]
value: 15 min
"""
RATING = """\
title: What the answer is worth
why: Weak answers are read by a person.
since: 2026-09-21
calls: rater
instructions: [manner]
fields:
  good: yes_no
  kind: [repeat, new]
  score: {type: number, from: 0, to: 1}
  note: {type: text, optional: true}
"""
SMALL: Mapping[str, str] = {
    "cards/shop/line.yaml": LINE,
    "cards/shop/style/brief.yaml": STYLE,
    "cards/shop/background/stock.yaml": BACKGROUND,
    "cards/shop/guard/unknown_phone.yaml": GUARD,
    "cards/shop/limits/wait.yaml": LIMIT,
    "cards/shop/questions/rating.yaml": RATING,
    "rules/shop/manner.yaml": MANNER,
    "rules/shop/rules.yaml": RULES,
    "rules/shop/lookup.yaml": LOOKUP,
}
LOCK = "reference/shop/lock.yaml"
GOLDEN = "reference/shop/instructions.txt"
RUNBOOK = "runbook/shop.md"
NO_BASE = Base("", "no base")
DAY = dt.date(2026, 12, 1)

Files = dict[str, str]


def _markdown(line: LineSource) -> str:
    cards = "".join(f"## {card.name}\n\n{card.body.title}\n\n{card.body.why}\n\n" for card in line.cards.values())
    return f"# {line.config.title}\n\n{cards}"


DOCUMENTS = Documents(_markdown, lambda line: f"<h1>{line.config.title}</h1>\n")
"""Plain documents in place of the rendered ones: they change with every card."""


def read(files: Mapping[str, str]) -> Project:
    """The project; fails when a file of it cannot be read."""
    project = read_project(files)
    assert not project.problems, [str(problem) for problem in project.problems]
    return project


def line_of(files: Mapping[str, str], name: str = "shop") -> LineSource:
    return read(files).lines[name]


def prepared(files: Mapping[str, str], base: Base = NO_BASE, name: str = "shop") -> Prepared:
    return prepare(read(files), files, base)[name]


def built(files: Mapping[str, str], base: Base = NO_BASE, name: str = "shop") -> Files:
    """The files with everything that `build` writes of a line; fails when it refuses."""
    ready = prepared(files, base, name)
    assert not ready.judgement.findings, [str(finding.problem) for finding in ready.judgement.findings]
    made = outputs(ready, files, DOCUMENTS, page=False)
    kept = {name: text for name, text in files.items() if name not in leftovers(ready.line.name, files, made)}
    return {**kept, **made}


def small() -> Files:
    """The small project, built."""
    return built(SMALL)


def edited(files: Mapping[str, str], name: str, old: str, new: str) -> Files:
    """The files with one stretch of one file replaced, which must be there once."""
    assert files[name].count(old) == 1, f"{name} holds {old!r} {files[name].count(old)} times"
    return {**files, name: files[name].replace(old, new)}


def at_base(files: Mapping[str, str]) -> Base:
    return Base("0123456789abcdef", "Compared with a base made for a test.", dict(files))


def checked(files: Mapping[str, str], base: Base = NO_BASE) -> Report:
    return check(read(files), files, base, DOCUMENTS)


def codes(files: Mapping[str, str], base: Base = NO_BASE) -> list[str]:
    """The codes that a check finds, sorted."""
    return sorted(problem.code for problem in checked(files, base).problems)


def accepted(
    files: Mapping[str, str], spoken: str, why: str = "Because.", base: Base = NO_BASE, date: dt.date = DAY
) -> Files:
    """The files with one change accepted, not yet built."""
    return {**files, **accept(prepared(files, base), files, spoken, why, date)}
