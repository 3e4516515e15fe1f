"""A line's knowledge in build and check: its topics are read as cards are, its vectors are built from them."""

from __future__ import annotations

from engine.files import write_atomic
from engine.knowledge.bank import KnowledgeRefused, meta_of, packed
from engine.knowledge.topics import content_of, read_topics
from engine.language.problems import Place, Problem
from engine.language.project import LineSource
from engine.ports import CallFailed
from runbook.session import Refused, Session

BUILD = "Run `rulecard build`."


def file_of(line: LineSource) -> str:
    """The name of a line's file of vectors."""
    return f"knowledge/{line.name}.npz"


def problems(session: Session, line: LineSource) -> list[Problem]:
    """Mistakes in the topics of a line; else what is wrong with its file of vectors. NumPy is not needed."""
    topics, found = read_topics(session.tree.texts("knowledge"), line)
    name = file_of(line)
    path = session.root / name
    if found or (not topics and not path.exists()):
        return found
    if not topics:
        return [Problem(Place(name), "stale", "There are vectors and no topics.", "Delete the file.")]
    if not path.is_file():
        return [Problem(Place(name), "stale", "The topics have no vectors yet.", BUILD)]
    try:
        meta = meta_of(path.read_bytes(), name)
    except (KnowledgeRefused, OSError) as error:
        return [Problem(Place(name), "knowledge_edited_by_hand", str(error), BUILD)]
    wanted = line.config.knowledge.embedding if line.config.knowledge else "ngram"
    if meta.get("embedding") != wanted:
        says = f"The vectors were made with `{meta.get('embedding')}`; the line's embedding is `{wanted}`."
        return [Problem(Place(name), "stale", says, BUILD)]
    if meta.get("hash") != content_of(topics):
        return [Problem(Place(name), "stale", "The topics have changed since the vectors were made.", BUILD)]
    return []


def write(session: Session, line: LineSource) -> bool:
    """Write the vectors of a line's topics; whether the file changed. Raises FileRefused."""
    topics, found = read_topics(session.tree.texts("knowledge"), line)
    if found or not topics:
        return False
    try:
        data = packed(topics, line.config.knowledge)
    except (KnowledgeRefused, CallFailed) as failed:
        raise Refused(f"{file_of(line)} was not built: {failed}") from None
    return write_atomic(session.root / file_of(line), data, root=session.root)
