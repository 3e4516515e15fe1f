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
        except BrokenPipeError:  # whoever read the output has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            status = 0
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


@main.command()
@click.argument("id")
@click.option("--not", "other", metavar="OUTCOME", help="Which conditions would have changed that: `--not send`.")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@project_option
@line_option
def why(id: str, other: str | None, as_json: bool, project: Path | None, line: str | None) -> int:
    """Tell why a message ended as it did, by its id in the log; and what would have changed it.

    `--not send` on a message that was not sent finds the smallest set of conditions by which it would have been; on
    one that was sent, those by which it would not.

    Example: rulecard why m0042 --not send
    """
    from engine.evidence import commands as at_work

    return at_work.why(project, line, id, other, "json" if as_json else "text", click.echo)


@main.command()
@click.argument("name", required=False)
@click.argument("value", required=False, type=click.Choice(["on", "off"]))
@click.option("--why", default="", help="Why it changes: one sentence, kept with the date.")
@project_option
@line_option
def switch(name: str | None, value: str | None, why: str, project: Path | None, line: str | None) -> int:
    """Set a switch of a line, from the next message on; or list them all.

    Example: rulecard switch send off --why "The price list is wrong."
    """
    from engine.evidence import commands as at_work

    return at_work.switch(project, line, name, value, why, click.echo)


@main.command()
@click.argument("action", required=False, type=click.Choice(["open", "close"]))
@click.argument("wave", required=False)
@click.option("--why", default="", help="Why it changes: one sentence, kept with the date.")
@project_option
@line_option
def waves(action: str | None, wave: str | None, why: str, project: Path | None, line: str | None) -> int:
    """Open or close a wave by its switch, from the next message on; or list them all.

    Example: rulecard waves close w5 --why "Two wrong answers this morning."
    """
    from engine.evidence import commands as at_work

    return at_work.waves(project, line, action, wave, why, click.echo)


@main.command()
@click.argument("action", type=click.Choice(["list", "report", "import", "export", "shorten"]))
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("--since", help="Only the last so long: 24 h, 7 d.")
@click.option("--outcome", help="Only this outcome.")
@click.option("--reason", help="Only this reason.")
@click.option("--probes", is_flag=True, help="Probes too; a report never counts them.")
@click.option("--masked", is_flag=True, help="With export: people, numbers and links replaced, by the project's key.")
@project_option
@line_option
def log(
    action: str, file: Path | None, since: str | None, outcome: str | None, reason: str | None, probes: bool,
    masked: bool, project: Path | None, line: str | None,
) -> int:  # fmt: skip
    """List, count, import, export or shorten the decisions of a line.

    Example: rulecard log report --since 7d
    """
    from engine.evidence import commands as at_work

    return at_work.log(project, line, action, file, since, outcome, reason, probes, masked, click.echo)


@main.group(invoke_without_command=True)
@click.option("--row", "rows", multiple=True, type=int, help="Only this row of the table; repeat it.")
@project_option
@line_option
@click.pass_context
def bench(context: click.Context, rows: tuple[int, ...], project: Path | None, line: str | None) -> int:
    """Measure speed against the bars it must reach; 1 when one is not held.

    Example: rulecard bench --row 2
    """
    from engine.evidence import commands as at_work

    return 0 if context.invoked_subcommand else at_work.bench(project, line, rows, click.echo)


@bench.command()
@click.argument("folder", metavar="DIR", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="As one JSON list.")
@click.option("--misses", is_flag=True, help="Every case that went wrong, with what was missed and what was found.")
def detect(folder: Path, as_json: bool, misses: bool) -> int:
    """Hold the extractors against labelled cases: a folder with the files of docs/extractors.md.

    Example: rulecard bench detect cases/ --misses
    """
    from engine.evidence import commands as at_work

    return at_work.bench_detect(folder, as_json, misses, click.echo)


if __name__ == "__main__":
    main()
