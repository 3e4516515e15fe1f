"""The documents tell of everything there is: each command, option, kind and finding has its place."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

import cli
from engine.language.kinds import KINDS

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")


@pytest.mark.parametrize("command", sorted(cli.main.commands))
def test_every_command_stands_in_the_readme(command: str) -> None:
    assert f"rulecard {command}" in README


@pytest.mark.parametrize("command", sorted(cli.main.commands))
def test_every_command_has_help_with_an_example(command: str) -> None:
    found = cli.main.commands[command]
    assert found.help
    assert re.search(rf"Example: rulecard {command}\b", found.help)
    for parameter in found.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, f"{command} {parameter.name} has no help"


def test_the_readme_names_only_commands_and_options_there_are() -> None:
    for command, rest in re.findall(r"rulecard ([a-z]+)([^`\n|]*)", README):
        assert command in cli.main.commands, command
        found = cli.main.commands[command]
        for word in rest.split()[:1] if isinstance(found, click.Group) else ():
            found = found.commands.get(word, found)
        known = {option for one in found.params for option in one.opts}
        assert set(re.findall(r"(--[a-z-]+)", rest)) <= known | {"--help"}, (command, rest)


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\(([^)#:]+)", README))))
def test_every_link_of_the_readme_leads_somewhere(link: str) -> None:
    assert (ROOT / link).exists()


def test_every_kind_has_a_template_of_its_own() -> None:
    folder = ROOT / "runbook" / "templates" / "new" / "cards"
    assert {path.name for path in folder.iterdir() if path.is_dir()} == set(KINDS)


def test_the_two_commands_of_the_readme_are_those_of_ci() -> None:
    commands = re.search(r"```\n(python3 -m venv.*?)\n(.*?)\n```", README, re.S)
    assert commands
    script = (ROOT / ".ci" / "run").read_text("utf-8")
    for part in ("pip install -q -e .", "rulecard demo", "python -m pytest -q"):
        assert part in commands[0] and part in script


def test_the_wheel_carries_the_runbook_of_every_shipped_line() -> None:
    told = (ROOT / "pyproject.toml").read_text("utf-8")
    for line in (path.name for path in (ROOT / "cards").iterdir() if path.is_dir()):
        assert f'"runbook/{line}.md" = "engine/_data/runbook/{line}.md"' in told
