"""The command `rulecard`: one thin function a command, no logic."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import click

import engine

if not getattr(engine, "RULECARD", False):
    sys.exit(
        f"rulecard: another package named `engine` is installed in this environment ({engine.__file__}).\n"
        "Install rulecard in an environment of its own: python3 -m venv .venv && .venv/bin/pip install rulecard."
    )

from runbook import commands

FORMATS = click.Choice(["text", "json", "github", "sarif"])
project_option = click.option(
    "--project",
    type=click.Path(path_type=Path),
    help="The project folder (default: this folder, else the shipped lines).",
)
line_option = click.option("--line", help="The line, where the project has several.")
base_option = click.option("--base", help="The revision to compare with, or `none` (default: found by itself).")


class Group(click.Group):
    """Ends every command with the exit status it returned and every refusal with one sentence."""

    def invoke(self, context: click.Context) -> Any:
        try:
            status = super().invoke(context)
        except commands.Refused as refused:
            click.echo(f"rulecard: {refused}", err=True)
            status = 2
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as error:
            if os.environ.get("RULECARD_DEBUG"):
                raise
            says = f"rulecard failed: {type(error).__name__}: {str(error)[:300]}"
            click.echo(
                f"{says}\nThis is a fault of Rulecard. RULECARD_DEBUG=1 shows where; please report it.", err=True
            )
            status = 2
        context.exit(status if isinstance(status, int) else 0)


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="rulecard")
def main() -> None:
    """Rules around a language-model call on a message line, as YAML cards.

    Example: rulecard check
    """


@main.command()
@click.argument("name")
@click.argument("id", required=False)
@click.option("--card", is_flag=True, help="Begin one card: NAME is its kind, ID its id.")
@click.option("--dir", "folder", type=click.Path(path_type=Path), default=Path("."), help="Where (default: here).")
@line_option
def new(name: str, id: str | None, card: bool, folder: Path, line: str | None) -> int:
    """Begin a line of your own: a card of each kind, green at once. Or begin one card.

    Example: rulecard new clinic --dir my-clinic, rulecard new --card gates late_delivery
    """
    if card is not (id is not None):
        raise click.UsageError("A card needs its kind and its id: rulecard new --card gates late_delivery")
    return commands.new_card(name, id, folder, line, click.echo) if id else commands.new(name, folder, click.echo)


@main.command()
@click.argument("prompt", type=click.Path(path_type=Path))
@click.option("--line", help="The name of the line (default: from the file's name).")
@click.option("--dir", "folder", type=click.Path(path_type=Path), default=Path("."), help="Where (default: here).")
def adopt(prompt: Path, line: str | None, folder: Path) -> int:
    """Split an existing prompt into instructions, draft a card for each, and lock them.

    Example: rulecard adopt PROMPT.md --line clinic --dir my-clinic
    """
    return commands.adopt(prompt, line, folder, click.echo)


@main.command()
@project_option
@line_option
@base_option
@click.option("--format", "form", type=FORMATS, default="text", help="How findings are printed.")
@click.option("--watch", is_flag=True, help="Check again whenever a file changes.")
@click.option("--notes", is_flag=True, help="Print notes as well as findings.")
def check(project: Path | None, line: str | None, base: str | None, form: str, watch: bool, notes: bool) -> int:
    """Check cards, examples, lock and documents; 0 held, 1 findings, 2 could not be checked.

    Example: rulecard check --format github
    """
    run = commands.watch if watch else commands.check
    return run(project, line, base, form, notes, click.echo)


@main.command()
@project_option
@line_option
@base_option
def build(project: Path | None, line: str | None, base: str | None) -> int:
    """Render the runbook, the golden prompts and the lock; refuses what is unexplained.

    Example: rulecard build
    """
    return commands.build(project, line, base, click.echo)


@main.command()
@click.argument("id")
@click.option("--why", required=True, help="Why it changes: one sentence for the reviewer.")
@project_option
@line_option
@base_option
def accept(id: str, why: str, project: Path | None, line: str | None, base: str | None) -> int:
    """Explain a changed instruction: writes the dated entry into its card and rebuilds.

    Example: rulecard accept style.short --why "Customers read on a phone."
    """
    return commands.accept(id, why, project, line, base, click.echo)


@main.command()
@click.argument("cards", nargs=-1)
@project_option
@line_option
@click.option("--format", "form", type=FORMATS, default="text", help="How failures are printed.")
def test(cards: tuple[str, ...], project: Path | None, line: str | None, form: str) -> int:
    """Run the examples of all cards, or of those named.

    Example: rulecard test gates/complaint
    """
    return commands.test(cards, project, line, form, click.echo)


@main.command()
@click.argument("name")
@project_option
@line_option
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def explain(name: str, project: Path | None, line: str | None, as_json: bool) -> int:
    """Tell everything about a card or an instruction: what it does, its examples, what uses it.

    Example: rulecard explain gates/complaint
    """
    return commands.explain(name, project, line, as_json, click.echo)


@main.command()
@click.argument("kind", required=False)
@project_option
@line_option
@click.option("--write", is_flag=True, help="Write all schemas to reference/LINE/schema/.")
def schema(kind: str | None, project: Path | None, line: str | None, write: bool) -> int:
    """Print the JSON Schema of a kind of file, or write them all for editors.

    Example: rulecard schema gates
    """
    return commands.schema(kind, project, line, write, click.echo)


@main.command()
@click.argument("text", required=False)
@click.option("--file", type=click.Path(path_type=Path), help="A JSONL file of messages: one JSON decision a row.")
@click.option(
    "--fact", "facts", multiple=True, metavar="PATH=VALUE", help="A fact known beside the message; repeat it."
)
@click.option("--trace", is_flag=True, help="Print what was looked at on the way.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@click.option("--table", is_flag=True, help="With --file: how they ended, counted, instead of one row each.")
@project_option
@line_option
def ask(
    text: str | None, file: Path | None, facts: tuple[str, ...], trace: bool, as_json: bool, table: bool,
    project: Path | None, line: str | None,
) -> int:  # fmt: skip
    """Decide a message, or every message of a file. Nothing is sent to anybody.

    Example: rulecard ask "Where is my order?" --fact order.status=on_the_way --trace
    """
    from engine.evidence import commands as at_work

    form = "table" if table else "json" if as_json else "text"
    return at_work.ask(project, line, text, file, facts, form, trace, click.echo)


@main.command()
@project_option
@line_option
def chat(project: Path | None, line: str | None) -> int:
    """Hold a conversation with a line on the terminal. Nothing is sent to anybody.

    Example: rulecard chat --line support
    """
    from engine.evidence import commands as at_work

    return at_work.chat(project, line, click.echo)


@main.command()
@project_option
@line_option
def demo(project: Path | None, line: str | None) -> int:
    """Show on one screen what Rulecard does: offline, without a key, leaving nothing behind.

    Example: rulecard demo
    """
    click.echo("Rulecard: the rules of a message line, as cards. Everything below runs here, offline.")
    from engine.evidence import commands as at_work

    return at_work.demo(project, line, click.echo)


if __name__ == "__main__":
    main()
