"""How well an embedding finds topics: the line's own sample questions (each left out once), and labelled messages of others.

python -m engine.evidence.bench_knowledge EMBEDDING FILE.jsonl … (rows with `text` and `label`)
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

from engine.knowledge import read_topics
from engine.knowledge.embeddings import Embedding, embedding
from engine.language.kinds import KnowledgeSetting
from runbook.session import read

EACH = 30
"""Sample questions taken of each label."""
TESTED = 500
"""Messages tested of a file."""


def measured(
    chosen: Embedding, samples: list[tuple[str, str]], tests: list[tuple[str, str]], leave_out: bool = False
) -> str:
    """Accuracy of the nearest question and of the majority of three among five; how often a majority is found."""
    space = chosen.space(chosen.fit([text for text, _ in samples]))
    near = right = found = sure = sure_right = 0
    begun = time.perf_counter()
    for text, label in tests:
        scores = space.scores(text)
        order = sorted(range(len(scores)), key=lambda index: -scores[index])
        order = [index for index in order if not (leave_out and samples[index][0] == text)][:5]
        near += samples[order[0]][1] == label
        topic, votes = Counter(samples[index][1] for index in order).most_common(1)[0]
        found += votes >= 3
        right += votes >= 3 and topic == label
        if scores[order[0]] >= 0.6:
            sure += 1
            sure_right += samples[order[0]][1] == label
    took = (time.perf_counter() - begun) / len(tests) * 1000
    return (
        f"nearest {near / len(tests):.1%}, majority found {found / len(tests):.1%}, right of these {right / max(1, found):.1%}; "
        f"similarity ≥ 0.6: {sure / len(tests):.1%} of messages, right {sure_right / max(1, sure):.1%}; {took:.2f} ms"
    )


def main(name: str, files: list[str]) -> int:
    """Print one line a set. A file whose labels are topics of the line is held against the line's own questions,
    another one against the first of its own rows."""
    chosen, session = embedding(KnowledgeSetting(embedding=name)), read(None)
    own: list[tuple[str, str]] = []
    for line in session.project.lines.values():
        topics, _ = read_topics(session.tree.texts("knowledge"), line)
        own += [(sample.question, topic.id) for topic in topics for sample in topic.samples]
    print(f"{len(own)} own questions, each left out: {measured(chosen, own, own, True)}")
    for file in files:
        samples, tests = _split(Path(file), own)
        print(f"{Path(file).stem}, {len(samples)} questions, {len(tests)} messages: {measured(chosen, samples, tests)}")
    return 0


def _split(file: Path, own: list[tuple[str, str]]) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """The sample questions and the messages of a file: (text, label) each."""
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    rows = [row for row in rows if isinstance(row.get("label"), str)]
    if {row["label"] for row in rows} <= {topic for _, topic in own}:
        return own, [(row["text"], row["label"]) for row in rows]
    random.Random(7).shuffle(rows)  # noqa: S311 (the same rows every time)
    groups: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        groups[row["label"]].append(row["text"])
    samples = [(text, label) for label, texts in groups.items() for text in texts[: min(EACH, len(texts) // 2)]]
    taken = {text for text, _ in samples}
    return samples, [(row["text"], row["label"]) for row in rows if row["text"] not in taken][:TESTED]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
