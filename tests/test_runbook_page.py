"""The page of a line in a real browser: search, filters, links, the prompt, colours, widths, print, and no script."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from runbook_lines import HOSTILE, hostile_line, language_line, plain

from engine.language.project import LineSource
from engine.prompt import block_switches, golden_name, switch_sets
from engine.prompt import render as prompt
from runbook.render import page as render
from runbook.viewing import view

pytestmark = [pytest.mark.browser, pytest.mark.slow]  # a browser is slow to start; .ci/run runs them
DESK, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def line() -> LineSource:
    return language_line()


@pytest.fixture(scope="module")
def written(line: LineSource, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The pages on disk: of a line with every form, and of one in which all words are hostile."""
    folder = tmp_path_factory.mktemp("page")
    pages = {"language": line, "hostile": hostile_line(" ".join(HOSTILE))}
    for name, one in pages.items():
        (folder / f"{name}.html").write_text(render(view(one)), encoding="utf-8")
    return {name: folder / f"{name}.html" for name in pages}


class Desk:
    """Opens pages from disk, and hears what they say and what they load."""

    def __init__(self, browser: Any, written: dict[str, Path]) -> None:
        self.browser, self.written = browser, written
        self.heard: list[str] = []
        self.contexts: list[Any] = []
        self.kept: Any = None

    def open(self, hash: str = "", name: str = "language", **more: Any) -> Any:
        """A page of its own, with a context of its own."""
        self.contexts.append(self.browser.new_context(**{"viewport": DESK, **more}))
        page = self.contexts[-1].new_page()
        page.on("console", lambda message: self.heard.append(message.text))
        page.on("pageerror", lambda error: self.heard.append(str(error)))
        page.on("request", lambda request: self.heard.append(request.url) if self.foreign(request.url) else None)
        page.goto(self.written[name].as_uri() + hash)
        return page

    def foreign(self, url: str) -> bool:
        return not url.startswith((*(path.as_uri() for path in self.written.values()), "data:,"))

    def at(self, hash: str = "#?") -> Any:
        """The page that the tests of a module share, without search or filter, at an address."""
        if self.kept is None:
            self.kept = self.open()
        self.kept.evaluate("() => { document.activeElement.blur(); location.hash = '#?'; }")
        self.kept.wait_for_function("!document.documentElement.classList.contains('filtering')")
        if hash != "#?":
            self.kept.evaluate("hash => { location.hash = hash; }", hash)
        return self.kept


@pytest.fixture(scope="module")
def desks(browser: Any, written: dict[str, Path]) -> Iterator[Desk]:
    desk = Desk(browser, written)
    yield desk
    for context in desk.contexts:
        context.close()


@pytest.fixture
def desk(desks: Desk) -> Iterator[Desk]:
    """After each test: nothing was said on the console, and nothing but the file was loaded."""
    yield desks
    heard, desks.heard = desks.heard, []
    assert heard == []


def shown(page: Any, kind: str = "card") -> list[str]:
    """The ids of the cards (or instructions) that can be seen."""
    found = page.locator(f"[data-item={kind}]:visible").evaluate_all("all => all.map(one => one.id)")
    return [str(id) for id in found]


def in_sight(page: Any, id: str) -> None:
    """Waits until the top of the element stands on the screen, below the bar."""
    page.wait_for_function(
        "id => { const box = document.getElementById(id).getBoundingClientRect();"
        " const bar = document.querySelector('.bar').getBoundingClientRect().bottom;"
        " return box.top >= bar - 1 && box.top < innerHeight; }",
        arg=id,
    )


# search


@pytest.mark.parametrize(
    "sought, cards, instructions",
    [
        ('"cancelled order is"', ["gates/order_cancelled"], []),  # a title
        ("a stuck phone sends", ["gates/too_many"], []),  # a why
        ("guard/private", ["guard/private_item"], []),  # an id
        ("call (it|the order) off", ["terms/cancel_words"], []),  # a pattern
        ("two hours late", ["gates/complaint"], []),  # an example
        ("look-up when", ["background/lookup"], ["lookup.ask"]),  # an instruction
        ("INVENTED time", ["guard/invented_time"], []),  # several words, in any case
        ('"stuck a phone"', [], []),  # a phrase
    ],
)
def test_search_answers_while_typing(desk: Desk, sought: str, cards: list[str], instructions: list[str]) -> None:
    page = desk.at()
    page.locator("#q").press_sequentially(sought[:3])
    assert len(shown(page)) >= len(cards)
    page.locator("#q").fill(sought)
    assert (shown(page), shown(page, "instruction")) == (cards, instructions)
    total, told = len(language_line().cards), 3
    says = f"{len(cards)} of {total} cards, {len(instructions)} of {told} instructions"
    assert page.locator("#count").inner_text() == (says if cards or instructions else "Nothing is found.")
    assert page.locator("#count").get_attribute("aria-live") == "polite"
    marked = page.evaluate("CSS.highlights.has('found') ? CSS.highlights.get('found').size : 0")
    assert (marked > 0) == bool(cards or instructions)


def test_the_keyboard_is_enough(desk: Desk) -> None:
    page = desk.at()
    page.keyboard.press("/")
    page.keyboard.type("mark")
    found = shown(page)
    assert len(found) > 3
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    current = page.locator(".current").evaluate_all("all => all.map(one => one.id)")
    assert current == [page.locator("[data-item]:visible").nth(1).get_attribute("id")]
    page.keyboard.press("Enter")
    page.wait_for_function("id => document.activeElement.id === id", arg=current[0])
    assert page.url.endswith(f"#{current[0]}?q=mark")
    page.keyboard.press("/")
    page.keyboard.press("Escape")
    assert page.locator("#q").input_value() == ""
    assert len(shown(page)) == len(language_line().cards)


# filters and links


def test_each_filter_leaves_what_it_names(desk: Desk, line: LineSource) -> None:
    cards = {card.name: card for card in view(line).cards()}
    page = desk.at()
    wanted = {
        "kind": ("limits", lambda card: card.kind == "limits"),
        "stage": ("review", lambda card: card.stage == "review"),
        "wave": ("changes", lambda card: "changes" in card.waves),
        "owner": ("the channel", lambda card: card.owner == "the channel"),
        "ending": ("hold", lambda card: "hold" in card.endings),
    }
    for name, (value, fits) in wanted.items():
        page.select_option(f"#{name}", value)
        expected = sorted(card.name for card in cards.values() if fits(card))
        assert expected and sorted(shown(page)) == expected
        assert page.url.endswith(f"#?{name}={quote(value).replace('%20', '+')}")
        option = page.locator(f"#{name} option[value='{value}']").inner_text()
        assert option == f"{value} ({len(expected)})"
        page.locator("#clear").click()
    assert sorted(shown(page)) == sorted(cards)
    assert "#" not in page.url


def test_a_station_of_the_drawing_filters_and_lets_go(desk: Desk, line: LineSource) -> None:
    page = desk.at()
    stop = page.locator(".drawing a[data-set=stage][data-value=fast]")
    expected = sorted(card.name for card in view(line).cards() if card.stage == "fast")
    assert stop.locator(".n").text_content() == str(len(expected))
    stop.locator("circle").click()
    assert sorted(shown(page)) == expected and page.locator("#stage").input_value() == "fast"
    page.locator(".drawing a[data-set=ending][data-value=silent] text").click()
    assert shown(page) == ["gates/thanks"]
    stop.locator("circle").click()
    assert set(shown(page)) > {"gates/thanks", "gates/loop_pause"}


def test_the_drawing_shows_every_station_and_every_ending(desk: Desk, line: LineSource) -> None:
    page, told = desk.at(), view(line)
    names = page.locator(".drawing .stop .name").evaluate_all("all => all.map(one => one.textContent)")
    assert names == [station.name for station in told.path] == line.config.stages
    branches = page.locator(".drawing .branch").count()
    assert branches == sum(len(station.endings) for station in told.path)
    rails = page.locator(".drawing .rail").evaluate_all("all => all.map(one => one.dataset.value)")
    assert rails == list(told.endings) == ["send", "draft", "silent", "hold"]


@pytest.mark.parametrize("id", ["gates/complaint", "waves/changes", "style/short", "lookup.ask"])
def test_a_deep_link_opens_and_marks_what_it_names(desk: Desk, id: str) -> None:
    page = desk.at(f"#{id}")
    assert page.locator(".marked").evaluate_all("all => all.map(one => one.id)") == [id]
    in_sight(page, id)
    assert page.evaluate("document.activeElement.id") == id


def test_a_deep_link_opens_in_a_page_that_is_just_loaded(desk: Desk) -> None:
    page = desk.open("#waves/changes", viewport=PHONE)
    in_sight(page, "waves/changes")
    assert page.locator(".marked").evaluate_all("all => all.map(one => one.id)") == ["waves/changes"]


def test_a_link_with_filters_opens_as_it_was_sent(desk: Desk) -> None:
    page = desk.at("#gates/change_yes?wave=changes&q=change")
    assert page.locator("#wave").input_value() == "changes" and page.locator("#q").input_value() == "change"
    assert "gates/change_yes" in shown(page) and "gates/complaint" not in shown(page)
    in_sight(page, "gates/change_yes")
    page.locator("#waves\\/changes .links a").first.click()
    assert page.url.split("#")[1].startswith("gates/change_yes?")


def test_a_link_to_what_is_filtered_out_shows_it(desk: Desk) -> None:
    page = desk.at("#?kind=waves")
    assert len(shown(page)) == 2
    page.evaluate("location.hash = '#gates/complaint'")
    page.wait_for_selector("#gates\\/complaint.marked")
    assert "gates/complaint" in shown(page) and page.locator("#kind").input_value() == ""
    page.go_back()
    page.wait_for_function("document.querySelector('#kind').value === 'waves'")
    assert len(shown(page)) == 2


@pytest.mark.parametrize("hash", ["#nothing/such", "#%E0%A4%A", "#?kind=none", "#gates/complaint?q=%25&x=1", "#?"])
def test_an_address_that_means_nothing_breaks_nothing(desk: Desk, hash: str) -> None:
    page = desk.at(hash)
    page.locator("#q").fill("complain")
    assert page.locator("#count").inner_text()


# the prompt


def test_the_prompt_is_shown_as_the_model_reads_it(desk: Desk, line: LineSource) -> None:
    page = desk.at()
    questions = page.locator("#prompt option").evaluate_all("all => all.map(one => one.value)")
    assert questions == ["", "answer", "no_person"]
    boxes = page.locator("#read [data-switch]")
    names = boxes.evaluate_all("all => all.map(one => one.dataset.switch)")
    for question in questions:
        page.select_option("#prompt", question)
        for on in switch_sets(line, question or None):
            for index, name in enumerate(names):
                boxes.nth(index).set_checked(name in on)
            read = page.locator(".block:not(.out)").evaluate_all(
                "all => all.map(one => [...one.querySelectorAll('pre')].map(pre => pre.textContent).join('\\n'))"
            )
            assert "\n\n".join(read) + "\n" == prompt(line, on, question or None)
            kept = [name for name in on if name in block_switches(line, question or None)]
            assert page.locator("#golden").inner_text() == golden_name(kept, question or None)


def test_an_instruction_leads_to_its_card_and_back(desk: Desk) -> None:
    page = desk.at("#lookup.ask")
    page.locator("#lookup\\.ask").get_by_role("link", name="background/lookup").click()
    page.wait_for_selector("#background\\/lookup.marked")
    page.locator("#background\\/lookup .told a").first.click()
    page.wait_for_selector("#lookup\\.ask.marked")


# how it looks


def background(page: Any) -> str:
    return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))


def test_colours_follow_the_system_until_somebody_chooses(desk: Desk) -> None:
    page = desk.open(color_scheme="dark")
    dark = background(page)
    page.emulate_media(color_scheme="light")
    light = background(page)
    assert sum(map(int, re.findall(r"\d+", dark))) < 100 < 600 < sum(map(int, re.findall(r"\d+", light)))
    knob = page.locator("#theme")
    knob.click()
    knob.click()
    assert (knob.inner_text(), background(page)) == ("Dark", dark)
    page.reload()
    assert (knob.inner_text(), background(page)) == ("Dark", dark)


CONTRAST = """() => {
  const parsed = (text) => {
    const numbers = text.match(/[\\d.]+/g).map(Number);
    const scale = text.startsWith("color(") ? 255 : 1;
    return [numbers[0] * scale, numbers[1] * scale, numbers[2] * scale, numbers[3] ?? 1];
  };
  const over = (top, below) => top.slice(0, 3).map((part, i) => part * top[3] + below[i] * (1 - top[3]));
  const ground = (element) => {
    if (!element) return [255, 255, 255];
    const own = parsed(getComputedStyle(element).backgroundColor);
    return own[3] === 1 ? own.slice(0, 3) : over(own, ground(element.parentElement));
  };
  const light = (rgb) => {
    const [r, g, b] = rgb.map((part) => part / 255).map((p) => p <= .04045 ? p / 12.92 : ((p + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b;
  };
  const weak = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || element.closest("script, .sr, [hidden], .out, svg") || !element.offsetParent) continue;
    const below = ground(element), style = getComputedStyle(element);
    const [a, b] = [light(over(parsed(style.color), below)), light(below)].sort((x, y) => y - x);
    const ratio = (a + .05) / (b + .05);
    if (ratio < 4.5 && parseFloat(style.fontSize) > 0) weak.add(`${element.tagName}.${element.className} ${ratio.toFixed(2)}`);
  }
  return [...weak];
}"""


def test_every_text_stands_out_from_its_ground(desk: Desk) -> None:
    page = desk.open("#?q=order")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert page.evaluate(CONTRAST) == []
    page.locator("#clear").click()
    assert page.evaluate(CONTRAST) == []


@pytest.mark.parametrize("name", ["language", "hostile"])
def test_no_width_scrolls_sideways(desk: Desk, name: str) -> None:
    page = desk.open(name=name)
    for width in (1280, 1000, 768, 390, 320):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.locator("#more").click()
    assert page.locator("#kind").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


def test_hostile_words_are_shown_and_do_nothing(desk: Desk) -> None:
    page = desk.open(name="hostile")
    assert (
        page.evaluate("window.name + [...document.querySelectorAll('img, iframe, a[href^=javascript]')].length") == "0"
    )
    said = " ".join(str(page.locator("#gates\\/gate").evaluate("one => one.textContent")).split())
    for text in HOSTILE:
        assert plain(text) in said
    page.locator("#q").fill("<script>alert(1)</script>")
    assert "gates/gate" in shown(page)
    page.select_option("#owner", index=1)
    assert len(shown(page)) == len(hostile_line("x").cards)


def test_it_is_read_without_script(desk: Desk, line: LineSource) -> None:
    page = desk.open("#gates/complaint", java_script_enabled=False)
    assert sorted(shown(page)) == sorted(line.cards)
    assert page.locator(".bar").is_hidden() and page.locator("#read").is_hidden()
    assert page.locator("nav a[href='#stage/fast']").is_visible()


def test_it_is_printed_whole_and_without_its_knobs(desk: Desk, line: LineSource) -> None:
    page = desk.open()
    page.emulate_media(media="print", color_scheme="dark")
    assert background(page) == "rgb(255, 255, 255)"
    assert sorted(shown(page)) == sorted(line.cards)
    for knob in (".bar", ".contents", "#read", ".foot"):
        assert page.locator(knob).is_hidden()
    assert page.locator(".drawing").is_visible()


def test_landmarks_and_headings_are_in_order(desk: Desk) -> None:
    page = desk.open()
    assert [page.locator(one).count() for one in ("header.top", "nav", "main", "[role=search]", "h1")] == [
        1,
        1,
        1,
        1,
        1,
    ]
    levels = page.locator("h1, h2, h3, h4").evaluate_all("all => all.map(one => Number(one.tagName[1]))")
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))
    unnamed = page.locator("input, select, button").evaluate_all(
        "all => all.filter(one => !(one.ariaLabel || one.textContent.trim() || one.labels?.length)).map(one => one.outerHTML)"
    )
    assert unnamed == []
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "cards"


def test_brief_hides_the_small_print(desk: Desk) -> None:
    page = desk.at()
    examples = page.locator("#gates\\/complaint .examples")
    page.locator("#brief").click()
    assert examples.is_hidden() and page.locator("#brief").get_attribute("aria-pressed") == "true"
    page.locator("#brief").click()
    assert examples.is_visible()
