"""docs/facts.md: every fact path the engine declares, from the catalogue itself."""

from __future__ import annotations

from engine.language.facts import ALWAYS, EXTRACTED, Fact, catalogue
from engine.language.points import PATH, POINTS

HEAD = """# Fact paths

<!-- Written by `python -m runbook.facts_page > docs/facts.md`; a test compares it with the catalogue. -->

Every path a condition may read, its type, the source that fails when it fails, and the points that know it. A line adds its own under `facts` in line.yaml; a question adds `<question>.<field>` and `<question>.state`; a mark adds `marks.<mark>.<field>` and `marks.<mark>.ago`; switches and waves are read as `switches.<name>` and `waves.<id>`.
"""


def facts_page() -> str:
    """The page as Markdown, deterministic."""
    parts = [HEAD]
    families: dict[str, list[Fact]] = {}
    for fact in catalogue().values():
        families.setdefault(fact.path.partition(".")[0], []).append(fact)
    extracted = {name for name, *_ in EXTRACTED}
    for family, facts in families.items():
        texts = [
            fact for fact in facts if fact.path.rpartition(".")[2] in extracted and f"{family}.text" in catalogue()
        ]
        parts += [f"\n## {family}\n", "\n| path | type | is | source | known |\n| --- | --- | --- | --- | --- |\n"]
        parts += [_row(fact) for fact in facts if fact not in texts]
        if texts:
            names = ", ".join(f"`{fact.path}`" for fact in texts)
            parts.append(f"\nRead out of `{family}.text`: {names}.\n")
    parts += ["\n## Read out of every text\n\n| name | type | unit | is |\n| --- | --- | --- | --- |\n"]
    parts += [f"| `{name}` | {kind} | {unit} | {says} |\n" for name, kind, unit, says in EXTRACTED]
    return "".join(parts)


def _row(fact: Fact) -> str:
    kind = str(fact.type).replace("|", "\\|") + (f" ({fact.unit})" if fact.unit else "")
    return f"| `{fact.path}` | {kind} | {fact.says} | {fact.source} | {_known(fact)} |\n"


def _known(fact: Fact) -> str:
    if fact.points == ALWAYS:
        return "everywhere"
    on_path = [point for point in PATH if point in fact.points]
    off = [point for point in POINTS if point in fact.points and point not in PATH]
    since = [f"from `{on_path[0]}` on"] if len(on_path) > 1 else [f"`{point}`" for point in on_path]
    return ", ".join([*since, *(f"`{point}`" for point in off)])


if __name__ == "__main__":
    print(facts_page(), end="")
