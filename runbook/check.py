"""`rulecard check`: what is unexplained, and what on disk is not exactly what `build` would write. Pure."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from engine.files import short_hash
from engine.language.problems import Place, Problem
from engine.language.project import Project
from engine.prompt import split
from runbook.base import Base
from runbook.build import (
    Documents,
    Prepared,
    leftovers,
    outputs,
    prepare,
    read_sources,
    source_files,
    sources_file,
)
from runbook.chain import merged, reaches
from runbook.changes import Shown, shown
from runbook.findings import EXPLAINS
from runbook.items import BLOCK, BLOCKS, INSTRUCTION, NONE, PROMPT, id_of, kind_of
from runbook.lock import Lock, lock_file

BUILD = "Run `rulecard build`."
CODES: Mapping[str, str] = {
    **EXPLAINS,
    "lock_missing": "a line without its lock",
    "lock_edited_by_hand": "a lock that `build` did not write",
    "golden_edited_by_hand": "a rendered prompt that `build` did not write",
    "runbook_edited_by_hand": "a runbook that `build` did not write",
    "knowledge_edited_by_hand": "a file of vectors that `build` did not write",
    "stale": "built files that are older than the cards",
    "line_gone": "built files of a line that is no more",
    "base_missing": "a base revision that cannot be read",
    "unfilled_slot": "a slot that no card can fill",
    "bad_template": "a template that loses words",
    "duplicate_instruction": "an instruction id that stands twice",
    "too_many_switches": "more block switches than prompts can be rendered for",
}
"""Code → what it reports."""


@dataclass(frozen=True)
class Report:
    """What a check found. `shown` holds what is printed of changes; `says`, sentences about the run itself.

    `unusable`: the input could not be read, or the check could not run. `folder`: the project's folder within its
    repository, with a `/` at its end, or empty.
    """

    problems: tuple[Problem, ...]
    shown: Mapping[Problem, Shown] = field(default_factory=dict)
    says: tuple[str, ...] = ()
    unusable: bool = False
    folder: str = ""

    @property
    def status(self) -> int:
        """The exit status: 0 held, 1 findings, 2 unusable input or a check that could not run."""
        if self.unusable:
            return 2
        return 1 if any(problem.level == "error" for problem in self.problems) else 0


def cannot_run(problem: Problem, problems: Iterable[Problem] = ()) -> Report:
    """The report of a check that could not run: a check that cannot run has failed."""
    return Report((problem, *sorted(problems)), unusable=True)


def check(
    project: Project,
    files: Mapping[str, str],
    base: Base,
    documents: Documents,
    problems: Sequence[Problem] = (),
    unusable: bool = False,
) -> Report:
    """Hold a project against its locks, its built files and the base revision.

    `files`: all project files by name. `problems`: what loading, examples and analysis found already; `unusable`
    says that they are of loading. A line with a file that cannot be read is not compared: what it lacks is not known.
    """
    found: list[Problem] = list(problems)
    details: dict[Problem, Shown] = {}
    says = [base.says]
    prepared = prepare(project, files, base)
    for name, line in prepared.items():
        changed = _changed_sources(name, files)
        judged, doubted = _judged(line, files, base, changed)
        found += doubted
        found += [problem for problem, _ in judged]
        details |= {problem: detail for problem, detail in judged if detail is not None}
        if base.revision and line.base is None:
            says.append(f"The line `{name}` has no lock at the base: its chain of entries alone is checked.")
        found += _disk(line, files, base, documents, changed, bool(doubted))
    found += _gone(project, files)
    unread = sorted(set(project.lines) - set(prepared))
    says += [f"The line `{name}` is not compared with its lock: some of its files cannot be read." for name in unread]
    return Report(tuple(sorted(set(found))), details, tuple(says), unusable, base.folder)


def _judged(
    line: Prepared, files: Mapping[str, str], base: Base, changed: Sequence[str]
) -> tuple[list[tuple[Problem, Shown | None]], list[Problem]]:
    """What the lock's rules found, with what is printed of it; and what of that shows a lock edited by hand.

    With no base, and with the cards and blocks of the last build, a difference can only have come from the lock,
    unless a rendered prompt still tells the former text.
    """
    judged, doubted = [], []
    then = line.base.state if line.base else None
    golden = _goldens(line.line.name, files, base)
    for finding in line.judgement.findings:
        detail = shown(finding, line.now, then, golden, line.command)
        text_known = (
            detail is not None and detail.old not in (None, detail.new) and kind_of(finding.item) == INSTRUCTION
        )
        if line.disk and finding.item in line.disk.items and not (changed or line.base or text_known):
            doubted.append(_wrong_item(line, files, finding.item))
        else:
            judged.append((finding.problem, detail))
    return judged, doubted


def _goldens(line: str, files: Mapping[str, str], base: Base) -> dict[str, str]:
    folder = f"reference/{line}/"
    both = (("disk", files), ("base", base.files))
    return {
        f"{where}:{name}": _lf(text)
        for where, texts in both
        for name, text in texts.items()
        if name.startswith(folder) and name.endswith(".txt")
    }


def _lf(text: str) -> str:
    return text.replace("\r\n", "\n")


def _gone(project: Project, files: Mapping[str, str]) -> Iterator[Problem]:
    """Built files of lines that have no cards."""
    lines = {name.split("/")[1] for name in files if name.startswith("cards/") and name.count("/") > 1}
    built = {name.split("/")[1] for name in files if name.startswith("reference/") and name.endswith("/lock.yaml")}
    for name in sorted(built - lines):
        says = f"The line `{name}` has no cards any more, but its lock is still here."
        cure = f"Delete reference/{name}/, runbook/{name}.md and rules/{name}/."
        yield Problem(Place(lock_file(name)), "line_gone", says, cure)


# what is on disk


def _disk(
    line: Prepared, files: Mapping[str, str], base: Base, documents: Documents, changed: Sequence[str], doubted: bool
) -> Iterator[Problem]:
    """Lock, rendered prompts and runbook on disk against what `build` would write. `doubted`: the lock was edited."""
    name, lock = line.line.name, lock_file(line.line.name)
    built = {} if line.judgement.findings else outputs(line, files, documents, page=False)
    if lock not in files:
        says = f"The line `{name}` has no lock."
        yield Problem(Place(lock), "lock_missing", says, f"{BUILD} A lock that was deleted is made anew from the base.")
    by_hand = list(line.problems)
    if built and not changed:
        by_hand += _edited_files(line, files, built, base)
    elif line.disk is not None and not doubted:
        wrong = next(_wrong_items(line, line.disk), None)
        by_hand += [_wrong_item(line, files, wrong)] if wrong else _edited_goldens(line, line.disk, files)
    yield from by_hand
    edited = {problem.place.file for problem in by_hand} | {lock}
    stale = [path for path, text in built.items() if path not in edited and _lf(files.get(path, "\0")) != text]
    if lock in files and not by_hand and built and _lf(files[lock]) != built[lock]:
        stale.insert(0, lock)
    stale += leftovers(name, files, built) if built else []
    if stale:
        yield _stale(stale, changed)


def _changed_sources(line: str, files: Mapping[str, str]) -> list[str]:
    """The cards and blocks that are others than those of the last build; all of them when there was none."""
    then = read_sources(files.get(sources_file(line), ""))
    now = {name: short_hash(text) for name, text in source_files(line, files).items()}
    return sorted(name for name in now.keys() | then.keys() if now.get(name) != then.get(name))


def _stale(stale: Sequence[str], changed: Sequence[str]) -> Problem:
    named = ", ".join(stale[:3]) + (f" and {len(stale) - 3} more" if len(stale) > 3 else "")
    verb = "is" if len(stale) == 1 else "are"
    why = "another version of rulecard wrote it"
    if changed:
        why = f"since the last build {changed[0]} has changed"
        why += f" (and {len(changed) - 1} more)" if len(changed) > 1 else ""
    return Problem(Place(stale[0]), "stale", f"{named} {verb} not what `build` would write: {why}.", BUILD)


def _edited_files(line: Prepared, files: Mapping[str, str], built: Mapping[str, str], base: Base) -> Iterator[Problem]:
    """Built files that are not what the cards and blocks of the last build give; those of the base are another
    version's."""
    name = line.line.name
    same_as_base = source_files(name, files) == source_files(name, base.files)
    refused = {problem.place.file for problem in line.problems}
    for path, text in built.items():
        here = _lf(files.get(path, text))
        if here == text or path in refused or path == sources_file(name):
            continue
        if same_as_base and _lf(base.files.get(path, "")) == here:
            continue
        what = "lock" if path == lock_file(name) else "runbook" if path.startswith("runbook/") else "golden"
        yield _edited(what, path, here, text)


def _edited(what: str, path: str, here: str, text: str) -> Problem:
    lines = itertools.zip_longest(here.split("\n"), text.split("\n"))
    number = next(number for number, (one, other) in enumerate(lines, 1) if one != other)
    spoken = {"lock": "The lock", "golden": "The rendered prompt", "runbook": "The runbook"}[what]
    says = f"{spoken} was edited by hand (or another version of rulecard wrote it): `build` does not write this line."
    cure = "Change the card or the rule instead, then run `rulecard build`."
    return Problem(Place(path, number, 1), f"{what}_edited_by_hand", says, cure)


def _wrong_items(line: Prepared, disk: Lock) -> Iterator[str]:
    """Items of the lock on disk that no build can have written: their text was never one of the chain's, or what
    they were first is not what the base says."""
    for name, locked in sorted(disk.items.items()):
        expected = line.judgement.expected.get(name)
        if expected is None:
            continue
        then = line.base.lock.items.get(name) if line.base else None
        chain = merged(name, locked.first, line.now.entries.get(name, {}))
        if (then is not None and locked.first != then.first) or not reaches(name, locked.text, chain, expected):
            yield name


def _wrong_item(line: Prepared, files: Mapping[str, str], name: str) -> Problem:
    lock = lock_file(line.line.name)
    number = next(i for i, one in enumerate(_lf(files[lock]).split("\n"), 1) if one.startswith(f"{name}: "))
    says = f"The lock was edited by hand: `{name}` was never built so."
    return Problem(Place(lock, number, 1), "lock_edited_by_hand", says, "Restore it, then run `rulecard build`.")


def _edited_goldens(line: Prepared, disk: Lock, files: Mapping[str, str]) -> Iterator[Problem]:
    """Rendered prompts on disk that lack a text which the lock on disk says was in them."""
    setting = line.line.config.prompt
    if line.now.items[PROMPT].text != disk.text(PROMPT, NONE):
        return
    folder = f"reference/{line.line.name}/"
    for path in sorted(name for name in files if name.startswith(f"{folder}instructions") and name.endswith(".txt")):
        on = path.removeprefix(f"{folder}instructions").removesuffix("txt").strip(".").split("+")
        held = {short_hash(text) for text in split(_lf(files[path]), setting)}
        for name, locked in sorted(disk.items.items()):
            if kind_of(name) != INSTRUCTION or locked.text in held:
                continue
            block = id_of(name).partition(".")[0]
            included = disk.text(f"{BLOCK} {block}").split(" ")[0]
            if block in disk.text(BLOCKS).split() and (included == "always" or included.removeprefix("switch:") in on):
                says = f"The rendered prompt was edited by hand: the lock holds another text of `{id_of(name)}`."
                cure = "Change the rule instead, then run `rulecard build`."
                yield Problem(Place(path), "golden_edited_by_hand", says, cure)
                break
