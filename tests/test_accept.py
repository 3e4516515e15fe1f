"""`accept` writes one entry, in the card that owns the change, and nothing else."""

from __future__ import annotations

import datetime as dt

import pytest
from small import DAY, LOCK, NO_BASE, SMALL, accepted, at_base, built, codes, edited, prepared, small

from runbook.accept import AcceptRefused, accept

MANNER, RULES, LOOKUP = "rules/shop/manner.yaml", "rules/shop/rules.yaml", "rules/shop/lookup.yaml"
LINE, STYLE = "cards/shop/line.yaml", "cards/shop/style/brief.yaml"
KIND = "  - id: manner.kind\n    text: Stay kind.\n"
EXPLAINS = "[manner.greet, manner.short, manner.kind]"


def test_only_the_entry_is_new_and_every_other_byte_stays() -> None:
    before = edited(small(), MANNER, "two sentences", "three sentences")
    written = accept(prepared(before), before, "manner.short", "  Two were too few: it's «short».  ", DAY)
    assert list(written) == [STYLE]
    entry = """\
changes:
  - date: 2026-12-01
    why: 'Two were too few: it''s «short».'
    instruction: manner.short
    from: c9db1c74b974d6cd
    to: %s
"""
    assert written[STYLE] == SMALL[STYLE] + entry % prepared(before).now.items["instruction manner.short"].text


def test_the_second_entry_follows_the_first() -> None:
    files = edited(small(), MANNER, "two sentences", "three sentences")
    files = built(accepted(files, "manner.short", "First."))
    files = edited(files, MANNER, "three sentences", "four sentences")
    files = accepted(files, "manner.short", "Second.")
    changes = prepared(files).line.cards["style/brief"].body.changes
    assert [change.why for change in changes] == ["First.", "Second."]
    assert changes[0].to == changes[1].from_
    assert codes(built(files)) == []


@pytest.mark.parametrize(
    "edits, spoken, file, entry",
    [
        (((MANNER, KIND, KIND + "  - {id: manner.more, text: Be brief.}\n"), (STYLE, EXPLAINS, EXPLAINS[:-1] + ", manner.more]")),
         "manner.more", STYLE, {"instruction": "manner.more", "from": "none"}),
        (((MANNER, KIND, ""), (STYLE, EXPLAINS, "[manner.greet, manner.short]")),
         "manner.kind", STYLE, {"instruction": "manner.kind", "to": "none"}),
        (((MANNER, "manner.kind", "manner.warm"), (STYLE, "manner.kind", "manner.warm")),
         "manner.warm", STYLE, {"instruction": "manner.warm", "was": "manner.kind"}),
        (((LOOKUP, "switch: lookup\n", ""),), "block lookup", LINE, {"item": "block lookup", "to": "always 516b610099c564a8"}),
        (((LINE, "[manner, rules, lookup]", "[rules, manner, lookup]"),), "blocks", LINE,
         {"item": "blocks", "from": "manner rules lookup", "to": "rules manner lookup"}),
        (((LINE, "You answer", "You reply"),), "prompt", LINE, {"item": "prompt"}),
        (((STYLE, ", manner.kind]", "]"), ("cards/shop/background/stock.yaml", "[lookup.ask]", "[lookup.ask, manner.kind]")),
         "manner.kind", "cards/shop/background/stock.yaml", {"instruction": "manner.kind"}),
    ],
)  # fmt: skip
def test_where_an_entry_is_written_and_what_it_says(
    edits: tuple[tuple[str, str, str], ...], spoken: str, file: str, entry: dict[str, str]
) -> None:
    before = files = small()
    for name, old, new in edits:
        files = edited(files, name, old, new)
    written = accept(prepared(files, at_base(before)), files, spoken, "W.", DAY)
    assert list(written) == [file]
    after = prepared({**files, **written})
    owner = after.line.config if file == LINE else next(c.body for c in after.line.cards.values() if c.file == file)
    [change] = owner.changes
    said = change.model_dump(by_alias=True, exclude_none=True)
    assert {key: said[key] for key in entry} == entry
    assert (said["why"], said["date"]) == ("W.", DAY)


def test_an_entry_stands_where_the_card_keeps_its_changes() -> None:
    """A flow list, a list with other indentation, comments and Windows line ends stay as they are."""
    odd = SMALL[STYLE].replace("explains:", "changes:\n- {date: 2026-10-01, why: W}   # kept\n\nexplains:")
    before = built({**SMALL, STYLE: odd.replace("\n", "\r\n")})
    files = edited(before, MANNER, "two sentences", "three sentences")
    written = accepted(files, "manner.short")[STYLE]
    assert written.count("\r\n") == written.count("\n")
    assert "# kept\r\n- date: 2026-12-01\r\n" in written
    assert codes(built({**files, STYLE: written}, at_base(before)), at_base(before)) == []


@pytest.mark.parametrize(
    "spoken, why, says",
    [
        ("manner.short", " ", "with its reason"),
        ("manner.short", "Unexplained.", "is no reason"),
        ("manner.shrot", "W", "There is no instruction or locked thing `manner.shrot`. Did you mean `manner.short`?"),
        ("manner.kind", "W", "`manner.kind` has not changed since its last entry"),
        ("order manner", "W", "`order manner` has not changed"),
        ("odrer manner", "W", "There is no instruction or locked thing `odrer manner`. Did you mean `order manner`?"),
        ("", "W", "There is no instruction or locked thing ``"),
        ("--why", "W", "There is no instruction"),
    ],
)
def test_what_cannot_be_accepted_is_refused_in_one_sentence(spoken: str, why: str, says: str) -> None:
    files = edited(small(), MANNER, "two sentences", "three sentences")
    with pytest.raises(AcceptRefused) as refused:
        accept(prepared(files), files, spoken, why, DAY)
    assert says in str(refused.value)


def test_before_the_first_build_there_is_nothing_to_accept() -> None:
    with pytest.raises(AcceptRefused, match="The line has no lock yet"):
        accept(prepared(SMALL), SMALL, "manner.short", "W", DAY)


def test_a_new_instruction_that_no_card_explains_is_refused() -> None:
    files = edited(small(), MANNER, KIND, KIND + "  - {id: manner.more, text: Be brief.}\n")
    with pytest.raises(AcceptRefused, match=r"write `explains: \[manner.more\]`"):
        accept(prepared(files), files, "manner.more", "W", DAY)


def test_an_entry_cannot_be_dated_before_the_last_one() -> None:
    files = built(accepted(edited(small(), MANNER, "two", "three"), "manner.short"))
    files = edited(files, MANNER, "three", "four")
    with pytest.raises(AcceptRefused, match="is of 2026-12-01; one of 2026-11-30 cannot follow it"):
        accept(prepared(files), files, "manner.short", "W", DAY - dt.timedelta(days=1))


def test_a_broken_chain_is_mended_before_anything_is_accepted() -> None:
    files = built(accepted(edited(small(), MANNER, "two", "three"), "manner.short"))
    broken = files[STYLE].replace("from: c9db1c74b974d6cd", "from: 0123456789abcdee")
    files = edited({**files, STYLE: broken}, MANNER, "three", "four")
    with pytest.raises(AcceptRefused, match=r"The chain of `manner\.short` is broken"):
        accept(prepared(files), files, "manner.short", "W", DAY)


def test_a_card_that_cannot_be_spliced_is_named() -> None:
    files = edited(small(), MANNER, "two", "three")
    files = {**files, STYLE: files[STYLE].replace("since:", "changes: 5\nsince:")}
    ready = prepared(edited(small(), MANNER, "two", "three"))
    with pytest.raises(AcceptRefused, match=r"cards/shop/style/brief\.yaml cannot be changed: `changes` is no list"):
        accept(ready, files, "manner.short", "W", DAY)


def test_accepting_without_a_lock_on_disk_goes_by_the_base() -> None:
    before = small()
    files = {name: text for name, text in edited(before, MANNER, "two", "three").items() if name != LOCK}
    done = built(accepted(files, "manner.short", base=at_base(before)), at_base(before))
    assert codes(done, at_base(before)) == codes(done, NO_BASE) == []
