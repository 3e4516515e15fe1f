"""`rulecard accept`: the entry that says why an item changed, written into the card that owns it. Pure."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping

from engine.language.problems import nearest
from engine.language.splice import SpliceRefused, append_item
from engine.language.yaml_write import Value
from runbook.build import Prepared
from runbook.chain import window
from runbook.findings import Finding
from runbook.items import INSTRUCTION, LINE, NONE, ORDER, UNEXPLAINED, id_of, item_name, kind_of, speakable


class AcceptRefused(Exception):
    """Nothing was accepted; the message is one sentence, and what to do."""


def accept(prepared: Prepared, files: Mapping[str, str], spoken: str, why: str, date: dt.date) -> dict[str, str]:
    """The card with the new entry under `changes`: project file → new text.

    `spoken`: an instruction's id (of a renamed one: either), or `order rules`, `block rules`, `blocks`, `prompt`,
    `schema rating`, `question rating`. Raises AcceptRefused.
    """
    if not why.strip():
        raise AcceptRefused('A change is accepted with its reason: --why "…".')
    if why.strip().lower().startswith(UNEXPLAINED):
        raise AcceptRefused(f"`{UNEXPLAINED}` is no reason.")
    finding = _finding(prepared, item_name(spoken))
    owner = _owner(prepared, finding)
    last = max((e.change.date for e in prepared.now.entries.get(finding.item, {}).get(owner, ())), default=date)
    if date < last:
        raise AcceptRefused(
            f"The last entry about `{speakable(finding.item)}` is of {last}; one of {date} cannot follow it."
        )
    file = prepared.line.source.file if owner == LINE else prepared.line.cards[owner].file
    try:
        return {file: append_item(files[file], ("changes",), _entry(finding, why.strip(), date))}
    except SpliceRefused as refused:
        raise AcceptRefused(f"{file} cannot be changed: {refused}") from None


def acceptable(prepared: Prepared) -> list[Finding]:
    """The findings that `accept` can answer: each is a change that lacks its reason."""
    return [f for f in prepared.judgement.findings if f.before or f.after]


def _finding(prepared: Prepared, name: str) -> Finding:
    findings = acceptable(prepared)
    for finding in findings:
        if name in (finding.item, f"{INSTRUCTION} {finding.was}"):
            return finding
    said = speakable(name)
    broken = next((f for f in prepared.judgement.findings if f.item == name), None)
    if broken is not None:
        raise AcceptRefused(f"{broken.problem.place}: {broken.problem.says} {broken.problem.cure}")
    if prepared.disk is None and prepared.base is None:
        raise AcceptRefused("The line has no lock yet, so nothing has changed. Run `rulecard build`.")
    known = {*prepared.now.items, *(prepared.disk.items if prepared.disk else ())}
    if name not in known:
        cure = nearest(said, [speakable(one) for one in known])
        raise AcceptRefused(f"There is no instruction or locked thing `{said}`. {cure}".rstrip())
    raise AcceptRefused(f"`{said}` has not changed since its last entry: there is nothing to accept.")


def _owner(prepared: Prepared, finding: Finding) -> str:
    """The card in which the entry belongs; for a removed instruction the one that explained it, else line.yaml."""
    item = prepared.now.items.get(finding.item)
    if item is None:
        locks = [prepared.base.lock if prepared.base else None, prepared.disk]
        then = next((lock.items[finding.item].card for lock in locks if lock and finding.item in lock.items), LINE)
        return then if then in prepared.line.cards else LINE
    if item.card is None:
        said = id_of(finding.item)
        raise AcceptRefused(f"No card explains `{said}`: write `explains: [{said}]` in the card that gives its reason.")
    return item.card


def _entry(finding: Finding, why: str, date: dt.date) -> dict[str, Value]:
    entry: dict[str, Value] = {"date": date.isoformat(), "why": why}
    before, after = finding.before or NONE, finding.after or NONE
    if kind_of(finding.item) == INSTRUCTION:
        entry["instruction"] = id_of(finding.item)
        if finding.was:
            entry["was"] = finding.was
    else:
        entry["item"] = finding.item
    if kind_of(finding.item) == ORDER:
        before, after = window(before, after)
    return {**entry, "from": before, "to": after}
