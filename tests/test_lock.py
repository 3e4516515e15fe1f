"""The lock: every change of what the model is told is refused and named until its card says why."""

from __future__ import annotations

import datetime as dt
import os
import random
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small import (
    DAY,
    GOLDEN,
    LOCK,
    NO_BASE,
    RUNBOOK,
    SMALL,
    Files,
    accepted,
    at_base,
    built,
    checked,
    codes,
    edited,
    line_of,
    prepared,
    read,
    small,
)

from engine.language.project import LineSource, read_project
from engine.language.yaml_source import parse
from engine.prompt import answer_schema, goldens
from runbook.accept import acceptable
from runbook.base import Base
from runbook.build import prepare
from runbook.check import CODES
from runbook.items import speakable
from runbook.lock import Lock, Locked, read_lock, write_lock

MANNER, RULES, LOOKUP = "rules/shop/manner.yaml", "rules/shop/rules.yaml", "rules/shop/lookup.yaml"
LINE, STYLE, GUARD = "cards/shop/line.yaml", "cards/shop/style/brief.yaml", "cards/shop/guard/unknown_phone.yaml"
LIMIT, RATING, STOCK = (
    "cards/shop/limits/wait.yaml",
    "cards/shop/questions/rating.yaml",
    "cards/shop/background/stock.yaml",
)
GREET = "  - id: manner.greet\n    text: Greet the customer once.\n"
SHORT = "  - id: manner.short\n    text: Answer in two sentences.\n"
KIND = "  - id: manner.kind\n    text: Stay kind.\n"
EXPLAINS = "[manner.greet, manner.short, manner.kind]"


@dataclass(frozen=True)
class Case:
    """One change: file, old, new (several of them), the code it is named by, where, and what `accept` takes."""

    name: str
    edits: tuple[tuple[str, str, str], ...]
    code: str
    place: str
    accept: str


CASES = [
    Case("one word", ((MANNER, "two sentences", "three sentences"),), "instruction_changed", f"{MANNER}:6:11", "manner.short"),
    Case("a number it takes in", ((LIMIT, "15 min", "20 min"),), "instruction_changed", f"{RULES}:4:11", "rules.wait"),
    Case("added", ((MANNER, KIND, KIND + "  - {id: manner.more, text: Be brief.}\n"), (STYLE, EXPLAINS, EXPLAINS[:-1] + ", manner.more]")),
         "instruction_added", f"{MANNER}:9:29", "manner.more"),
    Case("removed", ((MANNER, KIND, ""), (STYLE, EXPLAINS, "[manner.greet, manner.short]")),
         "instruction_removed", f"{MANNER}:3:3", "manner.kind"),
    Case("removed with its card", ((LOOKUP, "- {id: lookup.ask, text: Ask for a look-up when you do not know.}", "- {id: lookup.new, text: Look.}"),
         (STOCK, "lookup.ask", "lookup.new")), "instruction_added", f"{LOOKUP}:4:28", "lookup.new"),
    Case("renamed", ((MANNER, "manner.kind", "manner.friendly"), (STYLE, "manner.kind", "manner.friendly")),
         "instruction_renamed", f"{MANNER}:8:11", "manner.friendly"),
    Case("renamed, by its former id", ((MANNER, "manner.kind", "manner.friendly"), (STYLE, "manner.kind", "manner.friendly")),
         "instruction_renamed", f"{MANNER}:8:11", "manner.kind"),
    Case("moved to another block", ((MANNER, KIND, ""), (RULES, "instructions:\n", "instructions:\n" + KIND.replace("manner.", "rules.")),
         (STYLE, "manner.kind", "rules.kind")), "instruction_moved", f"{RULES}:4:11", "rules.kind"),
    Case("reordered", ((MANNER, SHORT + KIND, KIND + SHORT),), "instructions_reordered", f"{MANNER}:5:9", "order manner"),
    Case("reordered, with a colon", ((MANNER, GREET + SHORT, SHORT + GREET),), "instructions_reordered", f"{MANNER}:3:9", "order:manner"),
    Case("switch taken away", ((LOOKUP, "switch: lookup\n", ""),), "block_switch_changed", f"{LOOKUP}:1:8", "block lookup"),
    Case("switch added", ((RULES, "title: Rules\n", "title: Rules\nswitch: photos\n"),), "block_switch_changed", f"{RULES}:2:9", "block rules"),
    Case("another switch", ((LOOKUP, "switch: lookup", "switch: photos"),), "block_switch_changed", f"{LOOKUP}:2:9", "block:lookup"),
    Case("title", ((RULES, "title: Rules", "title: Laws"),), "block_title_changed", f"{RULES}:1:8", "block rules"),
    Case("order of blocks", ((LINE, "[manner, rules, lookup]", "[rules, manner, lookup]"),), "prompt_blocks_changed", f"{LINE}:13:11", "blocks"),
    Case("a block left out", ((LINE, "[manner, rules, lookup]", "[manner, rules]"),), "prompt_blocks_changed", f"{LINE}:13:11", "blocks"),
    Case("template", ((LINE, "  blocks:", "  item: '* {text}'\n  blocks:"),), "prompt_template_changed", f"{LINE}:12:3", "prompt"),
    Case("opening", ((LINE, "You answer", "You reply"),), "prompt_template_changed", f"{LINE}:12:3", "prompt"),
    Case("a name that the opening takes in", ((LINE, "title: Corner shop", "title: Corner store"),), "prompt_template_changed", f"{LINE}:12:3", "prompt"),
    Case("a heading of its own", ((RULES, "title: Rules", "heading: '## {title}'\ntitle: Rules"),), "block_title_changed", f"{RULES}:2:8", "block rules"),
    Case("a field's bound", ((RATING, "to: 1", "to: 10"),), "answer_schema_changed", f"{RATING}:7:3", "schema rating"),
    Case("order of fields", ((RATING, "  good: yes_no\n  kind: [repeat, new]\n", "  kind: [repeat, new]\n  good: yes_no\n"),),
         "answer_schema_changed", f"{RATING}:7:3", "schema rating"),
    Case("what a question gets", ((RATING, "[manner]", "[manner, rules]"),), "question_instructions_changed", f"{RATING}:5:15", "question rating"),
    Case("explained by another card", ((STYLE, ", manner.kind]", "]"), (STOCK, "[lookup.ask]", "[lookup.ask, manner.kind]")),
         "explanation_moved", f"{STOCK}:4:24", "manner.kind"),
]  # fmt: skip


def changed(files: Files, case: Case) -> Files:
    for name, old, new in case.edits:
        files = edited(files, name, old, new)
    return files


@pytest.mark.parametrize("with_base", [False, True], ids=["chain alone", "with a base"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_change_is_refused_named_and_placed_and_holds_once_its_card_says_why(case: Case, with_base: bool) -> None:
    before = small()
    base = at_base(before) if with_base else NO_BASE
    after = changed(before, case)
    report = checked(after, base)
    named = [problem for problem in report.problems if problem.code == case.code]
    assert len(named) == 1, [str(problem) for problem in report.problems]
    assert f"{named[0].place}" == case.place
    assert case.code in CODES
    assert report.status == 1
    assert prepared(after, base).judgement.findings  # build refuses
    shown = report.shown[named[0]]
    assert shown.accept in named[0].cure

    done = accepted(after, case.accept, base=base)
    for finding in acceptable(prepared(done, base)):  # what else the case changed
        done = accepted(done, speakable(finding.item), base=base)
    assert codes(done, base) == ["stale"]
    done = built(done, base)
    assert codes(done, base) == []
    assert codes(done, at_base(before)) == []
    assert codes(done, at_base(done)) == []


def test_the_same_without_a_change_holds() -> None:
    files = small()
    assert codes(files) == []
    assert codes(files, at_base(files)) == []
    assert built(files) == files


@pytest.mark.parametrize(
    "edits, code, says",
    [
        (((STYLE, ", manner.kind]", "]"),), "instruction_unexplained", "No card explains the instruction `manner.kind`."),
        (((STOCK, "[lookup.ask]", "[lookup.ask, manner.kind]"),), "explained_twice", "explained by background/stock and by style/brief"),
        (((STYLE, "manner.kind]", "manner.kind, manner.kinde]"),), "explains_unknown", "style/brief explains `manner.kinde`"),
        (((STYLE, "since: 2026-09-21\n", "since: 2026-09-21\nchanges: [{date: 2026-10-01, why: W, item: odrer manner, from: a, to: b}]\n"),),
         "unknown_item", "`odrer manner` is no locked thing."),
        (((STYLE, "since: 2026-09-21\n", "since: 2026-09-21\nchanges: [{date: 2026-10-01, why: W, instruction: manner.kind, to: b}]\n"),),
         "chain_broken", "lacks `from`"),
    ],
)  # fmt: skip
def test_an_explanation_that_does_not_fit_is_named(
    edits: tuple[tuple[str, str, str], ...], code: str, says: str
) -> None:
    files = small()
    for name, old, new in edits:
        files = edited(files, name, old, new)
    for base in (NO_BASE, at_base(small())):
        found = [problem for problem in checked(files, base).problems if problem.code == code]
        assert len(found) == 1
        assert says in found[0].says


def test_a_near_miss_in_explains_offers_the_right_id() -> None:
    files = edited(SMALL, STYLE, "manner.kind]", "manner.kinde]")
    cures = {problem.code: problem.cure for problem in checked(files).problems}
    assert cures["explains_unknown"] == "Did you mean `manner.kind`?"


def test_no_value_of_any_file_changes_what_the_model_is_told_unseen() -> None:
    """Every single value of every card and block, changed by one character: where a prompt or a schema changes, the
    lock has a finding."""
    before, told = small(), 0
    for name, text in SMALL.items():
        source, _ = parse(text, name)
        assert source is not None
        for path, span in source.spans.items():
            if span.style in "{[:-":
                continue
            after = {**before, name: f"{text[: span.end]}9{text[span.end :]}" if span.style == "plain" else text}
            if span.style != "plain":
                after[name] = f"{text[: span.start + 3]}9{text[span.start + 3 :]}"
            project = read_project(after)
            line = project.lines.get("shop")
            if project.problems or line is None or line.broken:
                continue  # no longer a card: refused for another reason
            if _said(line) != _said(line_of(before)):
                told += 1
                assert prepare(project, after, NO_BASE)["shop"].judgement.findings, (name, path)
    assert told > 20


def _said(line: LineSource) -> tuple[object, ...]:
    return goldens(line), {name: answer_schema(card) for name, card in line.of("questions").items()}


# old entries


def there_and_back() -> Files:
    """manner.short went from A to B and back to A, both explained and built."""
    files = small()
    for old, new, day in (("two", "three", 1), ("three", "two", 2)):
        files = edited(files, MANNER, f"Answer in {old} sentences", f"Answer in {new} sentences")
        files = built(accepted(files, "manner.short", f"Now {new}.", date=dt.date(2026, 10, day)))
    assert codes(files) == []
    return files


@pytest.mark.parametrize("with_base", [False, True])
def test_an_old_entry_excuses_nothing(with_base: bool) -> None:
    """A, B, A, and now B again: the entry from A to B stands there, and is of another day."""
    before = there_and_back()
    files = edited(before, MANNER, "two sentences", "three sentences")
    base = at_base(before) if with_base else NO_BASE
    [problem] = checked(files, base).problems
    assert problem.code == "instruction_changed"
    assert "It has been this text before" in problem.says
    assert "excuses nothing" in problem.says
    again = built(accepted(files, "manner.short", date=dt.date(2026, 10, 3)), base)
    assert codes(again, base) == []


@pytest.mark.parametrize("with_base", [False, True])
def test_an_old_entry_written_once_more_is_refused(with_base: bool) -> None:
    before = there_and_back()
    entry = before[STYLE][before[STYLE].index("  - date: 2026-10-01") : before[STYLE].index("  - date: 2026-10-02")]
    files = edited(before, MANNER, "two sentences", "three sentences")
    files = {**files, STYLE: files[STYLE] + entry}
    found = checked(files, at_base(before) if with_base else NO_BASE).problems
    assert [problem.code for problem in found] == ["chain_broken"]
    assert "is dated before the entry of 2026-10-02" in found[0].says
    assert found[0].place.file == STYLE
    assert found[0].place.line == len(before[STYLE].splitlines()) + 1


@pytest.mark.parametrize(
    "old, new",
    [
        ("why: Now three.", "why: Another reason."),
        ("date: 2026-10-01", "date: 2026-09-30"),
        (
            "  - date: 2026-10-01\n    why: Now three.\n",
            "  - date: 2026-09-25\n    why: In between.\n  - date: 2026-10-01\n    why: Now three.\n",
        ),
    ],
)
def test_an_edited_old_entry_is_refused_against_the_base(old: str, new: str) -> None:
    before = there_and_back()
    found = checked(edited(before, STYLE, old, new), at_base(before)).problems
    rewritten = [problem for problem in found if problem.code == "changes_rewritten"]
    assert len(rewritten) == 1
    assert rewritten[0].place.file == STYLE
    assert "2026-10-01" in rewritten[0].says


def test_an_edited_hash_in_an_old_entry_breaks_the_chain_without_a_base() -> None:
    before = there_and_back()
    first = prepared(small()).now.items["instruction manner.short"].text
    text = before[STYLE].replace(f"from: {first}", "from: 0123456789abcdee", 1)
    found = checked({**before, STYLE: text}).problems
    assert "chain_broken" in [problem.code for problem in found]
    assert "begins at `0123456789abcdee`" in next(p.says for p in found if p.code == "chain_broken")


def test_a_removed_old_entry_is_refused() -> None:
    before = there_and_back()
    cut = before[STYLE][: before[STYLE].index("  - date: 2026-10-02")]
    for base, code in ((NO_BASE, "instruction_changed"), (at_base(before), "changes_rewritten")):
        assert code in codes({**before, STYLE: cut}, base)


def test_an_old_entry_about_behaviour_is_as_fixed_as_the_others() -> None:
    entry = "changes: [{date: 2026-10-01, why: Fewer false alarms., expect: {log: l1, flips: 3}}]\n"
    before = built(edited(SMALL, GUARD, "when:", entry + "when:"))
    found = codes(edited(before, GUARD, "flips: 3", "flips: 2"), at_base(before))
    assert "changes_rewritten" in found


def test_entries_that_went_with_their_card_are_asked_for() -> None:
    """The card is deleted and another explains its instructions, without their entries."""
    before = there_and_back()
    files = {name: text for name, text in before.items() if name != STYLE}
    files["cards/shop/style/new.yaml"] = SMALL[STYLE]
    assert "changes_rewritten" in codes(files, at_base(before))


def test_a_card_under_another_name_is_no_change() -> None:
    for before in (small(), there_and_back()):
        files = {name: text for name, text in before.items() if name != STYLE}
        files["cards/shop/style/renamed.yaml"] = before[STYLE]
        for base in (NO_BASE, at_base(before)):
            assert codes(files, base) == ["stale"]
            assert codes(built(files, base), base) == []


def test_an_instruction_removed_together_with_its_card_is_explained_in_line_yaml() -> None:
    before = edited(small(), LOOKUP, "when you do not know", "when in doubt")
    before = built(accepted(before, "lookup.ask"))
    for base in (NO_BASE, at_base(before)):
        files = edited(before, LINE, "[manner, rules, lookup]", "[manner, rules]")
        files = {name: text for name, text in files.items() if name not in (LOOKUP, STOCK)}
        assert codes(files, base) == ["instruction_removed", "prompt_blocks_changed"]
        files = accepted(files, "lookup.ask", "We no longer look things up.", base)
        files = built(accepted(files, "blocks", "Its only instruction is gone.", base), base)
        assert "instruction: lookup.ask" in files[LINE]
        assert codes(files, base) == []
        assert "reference/shop/instructions.lookup.txt" not in files


# by hand


def test_a_lock_that_was_deleted_is_missed_and_made_anew_with_its_beginning() -> None:
    before = there_and_back()
    without = {name: text for name, text in before.items() if name != LOCK}
    assert codes(without) == ["lock_missing"]
    assert codes(without, at_base(before)) == ["lock_missing"]
    assert built(without, at_base(before)) == before
    assert built(without) == before  # the entries alone tell the beginning


def test_deleting_lock_and_chain_does_not_make_a_change_unseen() -> None:
    before = small()
    files = edited(before, MANNER, "two sentences", "ten sentences")
    without = {name: text for name, text in files.items() if not name.startswith(("reference/", "runbook/"))}
    remade = built(without)  # with no repository there is nothing to hold it against
    assert codes(remade) == []
    assert codes(remade, at_base(before)) == ["instruction_changed", "lock_edited_by_hand"]
    back = edited(there_and_back(), MANNER, "two sentences", "ten sentences")
    files = {**back, STYLE: SMALL[STYLE]}
    without = {name: text for name, text in files.items() if not name.startswith(("reference/", "runbook/"))}
    assert "changes_rewritten" in codes(built(without), at_base(there_and_back()))


def test_a_line_under_another_name_keeps_its_lock() -> None:
    before = small()
    moved = {
        name.replace("/shop/", "/store/"): text
        for name, text in before.items()
        if name.startswith(("cards/", "rules/"))
    }
    changed = edited(moved, "rules/store/manner.yaml", "two sentences", "ten sentences")
    assert codes(changed, at_base(before)) == ["instruction_changed", "lock_missing"]
    assert codes(built(moved, at_base(before), "store"), at_base(before)) == []


@pytest.mark.parametrize("with_base", [False, True])
@pytest.mark.parametrize(
    "name, old, new, code",
    [
        (LOCK, "order rules: {text: 'wait phones'", "order rules: {text: 'phones wait'", "lock_edited_by_hand"),
        (LOCK, "card: limits/wait", "card: style/brief", "lock_edited_by_hand"),
        (LOCK, "block rules:", "# a remark\nblock rules:", "lock_edited_by_hand"),
        (LOCK, "block rules:", "\nblock rules:", "lock_edited_by_hand"),
        (LOCK, "block rules:", "blocc rules:", "lock_edited_by_hand"),
        (GOLDEN, "Stay kind.", "Stay very kind.", "golden_edited_by_hand"),
        (GOLDEN, "# Rules", "# Laws", "golden_edited_by_hand"),
        ("reference/shop/instructions.lookup.txt", "Ask for", "Beg for", "golden_edited_by_hand"),
        ("reference/shop/question.rating.txt", "Stay kind.", "Be kind.", "golden_edited_by_hand"),
        (RUNBOOK, "small screen", "tiny screen", "runbook_edited_by_hand"),
    ],
)
def test_a_hand_edit_is_named_with_its_line(name: str, old: str, new: str, code: str, with_base: bool) -> None:
    before = small()
    files = edited(before, name, old, new)
    report = checked(files, at_base(before) if with_base else NO_BASE)
    assert {problem.code for problem in report.problems} == {code}
    number = next(
        n for n, (a, b) in enumerate(zip(before[name].split("\n"), files[name].split("\n"), strict=False), 1) if a != b
    )
    assert (report.problems[0].place.file, report.problems[0].place.line) == (name, number)
    assert report.status == 1


@pytest.mark.parametrize("with_base", [False, True])
def test_a_hash_edited_in_the_lock_is_named_as_such(with_base: bool) -> None:
    before = small()
    text = prepared(before).now.items["instruction manner.kind"].text
    files = edited(before, LOCK, text, "0123456789abcdef")
    found = codes(files, at_base(before) if with_base else NO_BASE)
    assert found == ["lock_edited_by_hand"]


def test_a_hand_edit_of_the_lock_is_named_beside_a_changed_card_too() -> None:
    before = built(accepted(edited(small(), MANNER, "Stay kind", "Be kind"), "manner.kind"))
    changed = edited(before, GUARD, "sends a customer to a stranger", "costs a customer an hour")
    text = prepared(before).now.items["instruction manner.kind"].text
    line = next(one for one in changed[LOCK].split("\n") if text in one)
    first = line.rpartition("first: ")[2].rstrip("}")
    for old in (f"'{text}'", first):
        wrong = line.replace(old, "'0123456789abcdef'")
        spoilt = edited(changed, LOCK, line, wrong)
        report = checked(spoilt, at_base(before))
        assert [problem.code for problem in report.problems] == ["lock_edited_by_hand", "stale"]
        assert "`instruction manner.kind` was never built so" in report.problems[0].says


def test_a_lock_edited_to_match_a_changed_rule_is_seen_without_a_base() -> None:
    """The rule, and its hash in the lock; the golden file still tells the old text."""
    before = small()
    files = edited(before, MANNER, "two sentences", "ten sentences")
    old, new = (prepared(one).now.items["instruction manner.short"].text for one in (before, files))
    assert "golden_edited_by_hand" in codes(edited(files, LOCK, old, new))
    assert "instruction_changed" in codes(edited(files, LOCK, old, new), at_base(before))


def test_a_merge_conflict_in_the_lock_is_named_and_built_away() -> None:
    before = small()
    files = edited(before, LOCK, "block rules:", "<<<<<<< HEAD\nblock rules:")
    [problem] = checked(files, at_base(before)).problems
    assert problem.code == "lock_edited_by_hand"
    assert "conflict of a merge" in problem.says
    assert built(files, at_base(before)) == before


def test_a_card_changed_since_the_build_makes_it_stale_and_nothing_more() -> None:
    before = small()
    files = edited(before, GUARD, "sends a customer to a stranger", "costs a customer an hour")
    [problem] = checked(files, at_base(before)).problems
    assert problem.code == "stale"
    assert GUARD in problem.says
    assert problem.cure == "Run `rulecard build`."
    assert codes(built(files, at_base(before)), at_base(before)) == []


def test_another_version_that_writes_otherwise_is_not_called_a_hand_edit() -> None:
    before = edited(small(), RUNBOOK, "# Corner shop", "# The corner shop")
    [problem] = checked(before, at_base(before)).problems
    assert problem.code == "stale"
    assert "another version of rulecard" in problem.says


def test_windows_line_ends_on_disk_are_no_hand_edit() -> None:
    files = small()
    windows = {name: text.replace("\n", "\r\n") for name, text in files.items()}
    assert codes(windows, at_base(files)) == []


def test_built_files_of_a_line_that_is_no_more_are_named() -> None:
    files = {name.replace("/shop/", "/store/"): text for name, text in SMALL.items()}
    files = built(files, name="store") | {LOCK: small()[LOCK]}
    assert codes(files) == ["line_gone"]


# the order of a block


def test_added_and_removed_instructions_leave_the_order_as_it_was() -> None:
    """Adding one in the middle is explained by its own entry; no entry about the order is asked for."""
    before = small()
    files = edited(before, MANNER, GREET, GREET + "  - {id: manner.more, text: Be brief.}\n")
    files = edited(files, STYLE, EXPLAINS, EXPLAINS[:-1] + ", manner.more]")
    assert codes(files) == ["instruction_added"]
    files = built(accepted(files, "manner.more"))
    assert codes(files, at_base(before)) == []
    files = edited(files, MANNER, SHORT + KIND, KIND + SHORT)
    assert codes(files) == ["instructions_reordered"]
    files = accepted(files, "order manner", "Kindness first.")
    assert "item: order manner\n    from: short kind\n    to: kind short\n" in files[LINE]
    assert codes(built(files), at_base(before)) == []


@pytest.mark.parametrize("with_base", [False, True])
def test_an_instruction_that_came_later_has_its_place_in_the_order_too(with_base: bool) -> None:
    more = "  - {id: manner.more, text: Be brief.}\n"
    before = edited(edited(small(), MANNER, GREET, GREET + more), STYLE, EXPLAINS, EXPLAINS[:-1] + ", manner.more]")
    before = built(accepted(before, "manner.more"))
    base = at_base(before) if with_base else NO_BASE
    files = edited(before, MANNER, GREET + more, more + GREET)
    assert codes(files, base) == ["instructions_reordered"]
    files = accepted(files, "order manner", base=base)
    assert "from: greet more\n    to: more greet\n" in files[LINE]
    assert codes(built(files, base), base) == []


def test_an_order_changed_after_a_rename_is_still_seen() -> None:
    before = small()
    files = edited(edited(before, MANNER, "manner.kind", "manner.warm"), STYLE, "manner.kind", "manner.warm")
    files = built(accepted(files, "manner.warm"))
    warm = KIND.replace("kind\n", "warm\n")
    files = edited(files, MANNER, SHORT + warm, warm + SHORT)
    assert codes(files) == ["instructions_reordered"]
    assert codes(files, at_base(before)) == ["instructions_reordered"]
    files = built(accepted(files, "order manner"))
    assert codes(files, at_base(before)) == codes(files) == []


def test_two_branches_that_add_to_one_block_can_be_merged() -> None:
    """No entry of one stands in the way of the other."""
    before = small()
    one = "  - {id: manner.one, text: One.}\n"
    two = "  - {id: manner.two, text: Two.}\n"
    files = edited(edited(before, MANNER, GREET, one + GREET), MANNER, KIND, KIND + two)
    files["cards/shop/style/one.yaml"] = SMALL[STYLE].replace(EXPLAINS, "[manner.one]")
    files["cards/shop/style/two.yaml"] = SMALL[STYLE].replace(EXPLAINS, "[manner.two]")
    files = built(accepted(accepted(files, "manner.one"), "manner.two"))
    assert codes(files, at_base(before)) == []


# the ratchet


def test_the_number_of_unexplained_instructions_may_only_fall() -> None:
    why = "why: Customers read on a small screen."
    some = built(edited(SMALL, STYLE, why, "why: unexplained"))
    assert some[LOCK].count("explained: unexplained") == 3
    fewer = built(edited(some, STYLE, "why: unexplained", why))
    assert codes(fewer, at_base(some)) == []
    again = edited(fewer, STYLE, why, "why: unexplained")
    assert codes(again) == codes(again, at_base(fewer)) == ["more_unexplained"]
    assert codes(edited(small(), STYLE, why, "why: Unexplained as yet"), at_base(small())) == ["more_unexplained"]


# the file


def test_the_lock_is_yaml_and_one_sorted_line_an_item() -> None:
    text = small()[LOCK]
    source, problems = parse(text, LOCK)
    assert source is not None
    assert problems == []
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    assert [line.partition(": {")[0] for line in lines] == sorted(source.value)
    assert "rulecard build" in text.splitlines()[0]
    assert source.value["order manner"] == {
        "text": "greet short kind",
        "card": "line",
        "explained": source.value["order manner"]["explained"],
    }


@pytest.mark.parametrize(
    "lines, number, says",
    [
        (
            ["prompt: {text: 'a', card: line, explained: 'ab'}", "blocks: {text: 'a', card: line, explained: 'ab'}"],
            2,
            "out of order",
        ),
        (["prompt: {text: 'a', card: line, explained: 'ab'}"] * 2, 2, "twice or out of order"),
        (["prompt: {text: 'a', card: line, explained: 'ab', first: 'a'}"], 1, "none that `rulecard build` writes"),
        (["prompt: {text: a, card: line, explained: 'ab'}"], 1, "none that `rulecard build` writes"),
        (["prompt:  {text: 'a', card: line, explained: 'ab'}"], 1, "none that `rulecard build` writes"),
        (["=======", "prompt: {text: 'a', card: line, explained: 'ab'}"], 1, "conflict of a merge"),
    ],
)
def test_a_lock_that_build_never_wrote_is_refused_with_its_line(lines: list[str], number: int, says: str) -> None:
    lock, [problem] = read_lock("# a comment\n" + "\n".join(lines) + "\n", LOCK)
    assert lock is None
    assert (problem.code, problem.place.line) == ("lock_edited_by_hand", number + 1)
    assert says in problem.says


NAMES = st.sampled_from(["instruction a.b", "instruction a.b-c", "order a", "blocks", "prompt", "schema q", "block a"])
WORDS = st.from_regex(r"[a-z0-9 :+_.-]{0,20}", fullmatch=True)
LOCKED = st.builds(
    Locked,
    WORDS,
    st.sampled_from(["line", "style/brief"]),
    st.from_regex(r"[0-9a-f]{16}|unexplained", fullmatch=True),
    WORDS,
)


@given(st.dictionaries(NAMES, LOCKED))
def test_a_lock_is_read_as_it_was_written(items: dict[str, Locked]) -> None:
    text = write_lock(Lock(items))
    lock, problems = read_lock(text, LOCK)
    assert problems == []
    assert lock is not None
    assert lock.items == items
    assert write_lock(lock) == text


@given(st.randoms(use_true_random=False))
@settings(max_examples=20, suppress_health_check=[HealthCheck.too_slow])
def test_lock_and_golden_files_are_independent_of_the_order_of_files(chance: random.Random) -> None:
    names = list(SMALL)
    chance.shuffle(names)
    assert built({name: SMALL[name] for name in names}) == small()


SCRIPT = """
import hashlib, json, locale, sys
try:
    locale.setlocale(locale.LC_ALL, "")
except locale.Error:
    pass
from small import small
print(hashlib.sha256(json.dumps(small(), sort_keys=True).encode()).hexdigest())
"""


def test_the_bytes_are_the_same_under_every_hash_seed_and_locale() -> None:
    here = Path(__file__).parent
    path = os.pathsep.join([str(here), str(here.parent)])
    seen = set()
    for seed, locale in (("0", "C"), ("1", "tr_TR.UTF-8"), ("4242", "C.UTF-8")):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": locale, "PYTHONPATH": path, "TZ": "Asia/Tokyo"}
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True
        )
        seen.add(done.stdout.strip())
    assert len(seen) == 1
    assert len(seen.pop()) == 64


# everything, step by step

STEPS = st.lists(
    st.tuples(
        st.sampled_from(["word", "limit", "order", "title", "add", "remove", "rename", "switch", "field"]),
        st.integers(0, 5),
    ),
    min_size=1,
    max_size=5,
)


def stepped(files: Files, what: str, number: int) -> Files:
    """The files after one change of a kind; unchanged where it cannot be made."""
    text, extra = files[MANNER], f"manner.x{number}"
    if what == "word":
        line = next(
            one for one in text.split("\n") if one.startswith("    text: Answer") or "Be brief" in one or "Stay" in one
        )
        return {
            **files,
            MANNER: text.replace(line, line.rstrip(".}") + f" {number}." + ("}" if line.endswith("}") else ""), 1),
        }
    if what == "limit":
        return {
            **files,
            LIMIT: files[LIMIT].replace(
                files[LIMIT][files[LIMIT].index("value:") :].split("\n")[0], f"value: {number + 1} h", 1
            ),
        }
    if what == "order":
        head, *items = text.split("  - ")
        return {**files, MANNER: head + "".join("  - " + item for item in [*items[1:], items[0]])}
    if what == "title":
        return {**files, MANNER: text.replace(text.split("\n")[0], f"title: Manner {number}", 1)}
    if what == "add" and extra not in text:
        listed = files[STYLE].replace("explains: [", f"explains: [{extra}, ", 1)
        return {**files, MANNER: text + f"  - {{id: {extra}, text: Be brief {number}.}}\n", STYLE: listed}
    if what == "remove" and extra in text:
        lines = [line for line in text.split("\n") if extra + "," not in line]
        return {**files, MANNER: "\n".join(lines), STYLE: files[STYLE].replace(f"{extra}, ", "", 1)}
    if what == "rename" and extra in text and f"{extra}-new" not in text:
        return {
            **files,
            MANNER: text.replace(f"{extra},", f"{extra}-new,", 1),
            STYLE: files[STYLE].replace(f"{extra},", f"{extra}-new,", 1),
        }
    if what == "switch":
        switch = ["photos", "lookup"][number % 2]
        return {**files, LOOKUP: files[LOOKUP].replace(files[LOOKUP].split("\n")[1], f"switch: {switch}", 1)}
    if what == "field":
        return {
            **files,
            RATING: files[RATING].replace(
                files[RATING][files[RATING].index("  score:") :].split("\n")[0],
                f"  score: {{type: number, from: 0, to: {number + 1}}}",
                1,
            ),
        }
    return files


@given(STEPS)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_chain_accepted_step_by_step_always_holds(steps: list[tuple[str, int]]) -> None:
    """Whatever is changed and accepted, one thing after another: it holds, against each earlier state and without."""
    files, states = small(), [small()]
    for index, (what, number) in enumerate(steps):
        files = stepped(files, what, number)
        base = at_base(states[-1]) if index % 2 else NO_BASE
        for _ in range(8):
            open_ones = acceptable(prepared(files, base))
            if not open_ones:
                break
            files = accepted(
                files, speakable(open_ones[0].item), f"Step {index}.", base, DAY + dt.timedelta(days=index)
            )
        files = built(files, base)
        states.append(files)
    for base in (NO_BASE, *map(at_base, states)):
        assert codes(files, base) == []


def test_a_base_that_was_left_unbuilt_stands_in_nobodys_way() -> None:
    """What was accepted but not built there, or changed and not accepted, is mended by the next change."""
    before = small()
    changed = edited(before, MANNER, "two sentences", "three sentences")
    removed = edited(edited(before, MANNER, KIND, ""), STYLE, EXPLAINS, "[manner.greet, manner.short]")
    for files, spoken in ((changed, "manner.short"), (removed, "manner.kind")):
        explained = accepted(files, spoken)
        for base in (at_base(files), at_base(explained)):
            assert codes(built(explained, base), base) == []


def test_base_cards_that_cannot_be_read_leave_the_lock_to_compare_with() -> None:
    before = there_and_back()
    broken = {**before, LINE: before[LINE].replace("rulecard: 1", "rulecard: 0")}
    base = Base("0123456789", "an older format", broken)
    assert codes(before, base) == []
    assert codes(edited(before, MANNER, "two sentences", "ten sentences"), base) == ["instruction_changed"]
    assert read(before).lines
