"""The commands that work with a line, run as people run them, and the examples of the documents."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from one_card import line_of
from path_parts import CARDS, LINE, ROOT

import rulecard
from engine.knowledge.bank import KnowledgeRefused, load_knowledge, meta_of, packed
from engine.knowledge.topics import read_topics
from runbook.session import read


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the shipped project with a memory of its own."""
    return copied(tmp_path_factory.mktemp("project"))


def copied(folder: Path) -> Path:
    """The shipped project in a folder where nobody has sent anything yet."""
    for name in ("cards", "rules", "reference", "runbook", "knowledge"):
        shutil.copytree(
            ROOT / name, folder / name, ignore=shutil.ignore_patterns("*.py", "*.pyc", "templates", "static")
        )
    return folder


def run(project: Path, *arguments: str, text: str = "", **environ: str) -> subprocess.CompletedProcess[str]:
    given = {**os.environ, "PYTHONPATH": str(ROOT), **environ}
    return subprocess.run([sys.executable, str(ROOT / "cli.py"), *arguments], cwd=project, env=given, input=text,
                          capture_output=True, text=True, timeout=120)  # fmt: skip


def test_a_message_is_asked_kept_and_explained(project: Path) -> None:
    asked = run(project, "ask", "this is unacceptable, worst service", "--trace")
    assert asked.returncode == 0, asked.stderr
    assert asked.stdout.startswith("hold · held_complaint") and "gates/complaint → hold" in asked.stdout
    id = re.findall(r"rulecard why (probe-\w+)", asked.stdout)[0]
    told = run(project, "why", id, "--not", "send")
    assert told.returncode == 0 and "The customer complains" in told.stdout and "would have to fail" in told.stdout, (
        told.stderr
    )
    whole = json.loads(run(project, "why", id, "--json").stdout)
    assert (whole["id"], whole["outcome"]) == (id, "hold")
    assert run(project, "log", "report").stdout.startswith("0 decisions")
    assert id in run(project, "log", "list", "--probes").stdout


def test_a_file_of_messages_gives_a_decision_a_row(project: Path, tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"id": "a", "text": "hello"},
        {"id": 2, "text": "Where is it?", "facts": {"order.number": "LM-104233", "order.status": "on_the_way"},
         "answer": "I promise it arrives at 17:45.", "repair": "You can follow it on its page.", "more": 1},
        {"id": "c", "text": "what is this", "facts": {"order.numbr": "LM-104233"}},
    ]  # fmt: skip
    file = tmp_path / "messages.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    done = run(project, "ask", "--file", str(file))
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0 and done.stderr == ""
    assert [(one["id"], one["outcome"]) for one in found] == [("a", "send"), ("2", "draft"), ("c", "hold")]
    assert set(found[0]) == {"id", "outcome", "reason", "topic", "wave", "text", "verdicts", "ms"}
    assert found[1]["verdicts"] and found[1]["text"] == "You can follow it on its page."
    assert found[2]["reason"] == "facts_unavailable"
    assert "own time: p50" in run(project, "ask", "--file", str(file), "--table").stdout


@pytest.mark.parametrize(
    "text, says",
    [("{", ":1: This is no JSON object"), ('{"id": "a"}', "`text` is missing"), ('{"text": "x"}', "`id` is missing"),
     ('{"id": "a", "text": "x"}\n{"id": "a", "text": "y"}', "twice"), ('{"id": "a", "text": "x", "facts": []}', "`facts`")],
)  # fmt: skip
def test_a_bad_row_is_one_sentence_with_its_place(text: str, says: str, project: Path, tmp_path: Path) -> None:
    file = tmp_path / "messages.jsonl"
    file.write_text(text)
    done = run(project, "ask", "--file", str(file))
    assert done.returncode == 2 and done.stdout == "" and says in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "arguments, says",
    [
        (["ask"], "Give a message"),
        (["ask", "--file", "nowhere.jsonl"], "cannot be read"),
        (["ask", "hi", "--fact", "order.status"], "is no fact"),
        (["why", "nobody"], "No decision `nobody`"),
        (["why", "nobody", "--not", "sent"], "is no outcome"),
        (["switch", "sned", "off", "--why", "a reason"], "`send`"),
        (["switch", "send", "off"], "Say why"),
        (["waves", "close", "w0", "--why", "a reason"], "always open"),
        (["waves", "open"], "Name the wave"),
        (["log", "import"], "Name the file"),
    ],
)
def test_bad_input_is_one_sentence(arguments: list[str], says: str, project: Path) -> None:
    done = run(project, *arguments)
    assert done.returncode == 2 and says in done.stderr and "Traceback" not in done.stderr, done.stderr


def test_a_model_of_no_known_form_is_one_sentence(project: Path) -> None:
    done = run(project, "ask", "hi", RULECARD_MODEL="gpt")
    assert done.returncode == 2 and "recorded:FILE" in done.stderr


def test_switches_act_on_the_next_message_and_keep_their_reason(project: Path) -> None:
    assert run(project, "ask", "hello").stdout.startswith("send")
    assert "from the next message on" in run(project, "switch", "send", "off", "--why", "The prices are wrong.").stdout
    assert run(project, "ask", "hello").stdout.startswith("draft · held_send_off")
    assert "The prices are wrong." in run(project, "switch").stdout
    run(project, "switch", "send", "on", "--why", "They are right again.")
    assert "w5 is off" in run(project, "waves", "close", "w5", "--why", "A wrong answer.").stdout
    assert re.search(r"^w5 +closed", run(project, "waves").stdout, re.M)
    run(project, "waves", "open", "w5", "--why", "It was the data.")


def test_a_conversation_refuses_a_fact_that_is_none_and_goes_on_without_it(project: Path) -> None:
    typed = "/fact order.stauts=late\n/fact nothing\n/bogus\n/fact order.status=on_the_way\n/fact order.status=\nhello\n/quit\n"
    done = run(project, "chat", text=typed)
    said = done.stdout.splitlines()
    assert done.returncode == 0 and not done.stderr
    assert "`order.stauts` is no fact of this line" in said[1] and "order.status" in said[1]
    assert "`nothing` is no fact" in said[2] and "`/bogus` is no order" in said[3]
    assert said[4].startswith("send · ")


def test_a_conversation_remembers(project: Path) -> None:
    done = run(project, "chat", text="hello\n/fact order.status=on_the_way\nmy order is LM-104233\n/trace\n/quit\n")
    assert done.returncode == 0 and "send · replied_greeting" in done.stdout and "order_number_given" in done.stdout


def test_the_demo_shows_everything_offline_and_leaves_nothing_behind(project: Path) -> None:
    before = {
        path: path.read_bytes()
        for path in sorted(project.rglob("*"))
        if path.is_file() and ".rulecard" not in path.parts
    }
    done = run(project, "demo", OPENAI_API_KEY="sk-made-up", RULECARD_MODEL="openai:none")
    assert done.returncode == 0, done.stderr
    for part in (
        "~~~~",
        "held_",
        "repaired",
        "instruction_changed",
        "accept:",
        "200 messages",
        "ended otherwise",
        "Next",
    ):
        assert part in done.stdout, part
    assert len(done.stdout.splitlines()) <= 40
    after = {
        path: path.read_bytes()
        for path in sorted(project.rglob("*"))
        if path.is_file() and ".rulecard" not in path.parts
    }
    assert before == after


def test_bench_measures_every_row(project: Path) -> None:
    from engine.evidence import bench
    from engine.evidence.messages import Row

    line = rulecard.load(project).compile("support", log=False, environ={})
    rows = [Row(str(number), text) for number, text in enumerate(["hello", "where is my order", "worst service"])]
    assert bench.checks(line, [one.text for one in rows]).row == 1
    assert "p99" in bench.own_time(line, rows).found


# the public door


def test_the_examples_of_the_readme_run(tmp_path: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.S)
    assert len(blocks) == 2
    project = copied(tmp_path)
    for block in blocks:
        done = subprocess.run([sys.executable, "-c", block], cwd=project, env={**os.environ, "PYTHONPATH": str(ROOT)},
                              capture_output=True, text=True, timeout=60)  # fmt: skip
        shown = re.findall(r"# prints: (.*)", block)
        assert done.stdout.splitlines() == shown, done.stderr


def test_a_project_is_loaded_compiled_answered_and_committed(project: Path, tmp_path: Path) -> None:
    line = rulecard.load(project).compile("support", state=tmp_path, environ={})
    decision = asyncio.run(
        line.answer({"message.text": "hello", "message.from": "user", "message.kind": "text", "sender.id": "s1"})
    )
    done = line.commit(decision, delivered=True)
    assert (decision.outcome, done.stages[-1]) == ("send", "record")
    log = rulecard.load(project).log(tmp_path)
    assert log.get(decision.id).delivered is True and log.get(decision.id).decision.revision == line.revision


@pytest.mark.parametrize("name", ["nowhere", "support2"])
def test_what_cannot_be_loaded_is_refused(name: str, project: Path, tmp_path: Path) -> None:
    with pytest.raises(rulecard.Refused):
        rulecard.load(tmp_path / "nowhere") if name == "nowhere" else rulecard.load(project).compile(name)


# knowledge in build and check

TOPIC = "title: A topic\nlive_data: false\nanswers:\n  - language: en\n    answer: We are open.\n    questions: [when do you open, are you open, opening times]\n"


@pytest.mark.parametrize(
    "text, code",
    [
        (TOPIC, ""),
        (TOPIC.replace("language: en", "language: de"), "unknown_value"),
        (TOPIC.replace("We are open.", "Open until {limits.nothing}."), "unfilled_slot"),
        (TOPIC.replace(", opening times", ""), "too_few_questions"),
        (TOPIC.replace("are you open", "When  do you OPEN"), "question_twice"),
        (TOPIC.replace("live_data: false\n", ""), "missing_key"),
        (TOPIC + "more: 1\n", "unknown_key"),
        (TOPIC + "title: again\n", "duplicate_key"),
    ],
)
def test_topics_are_read_as_strictly_as_cards(text: str, code: str) -> None:
    line = line_of(CARDS, LINE)
    topics, problems = read_topics({"knowledge/demo/open.yaml": text}, line.source)
    assert [one.code for one in problems][:1] == ([code] if code else [])
    assert all(one.place.line for one in problems) and bool(topics) is not bool(problems)


def test_vectors_are_the_same_bytes_everywhere_and_checked(project: Path) -> None:
    source = read(project).project.lines["support"]
    topics, _ = read_topics(read(project).tree.texts("knowledge"), source)
    file = project / "knowledge" / "support.npz"
    assert packed(topics) == file.read_bytes()
    whole = file.read_bytes()
    for broken, says in ((b"", "damaged"), (whole[:200], "damaged"), (whole[:-500] + b"x" * 500, "damaged")):
        file.write_bytes(broken)
        with pytest.raises(KnowledgeRefused, match=says):
            load_knowledge(project, source, None)
        assert "knowledge/support.npz" in run(project, "check", "--base", "none").stdout
    file.write_bytes(whole)
    topic = project / "knowledge" / "support" / "invoice.yaml"
    text = topic.read_text()
    topic.write_text(text + "      - where do invoices go to sleep\n")
    assert "stale" in run(project, "check", "--base", "none").stdout
    assert load_knowledge(project, source, None).notes
    topic.write_text(text)
    assert run(project, "check", "--base", "none").returncode == 0
    assert meta_of(whole, "x")["embedding"] == "ngram"


@pytest.mark.parametrize("text", ["", "👍", "x" * 8000, "\u200b", "ß" * 500, "do you deliver to N16"])
def test_whatever_the_text_its_neighbours_are_ordered_and_between_0_and_1(text: str, project: Path) -> None:
    bank = load_knowledge(project, read(project).project.lines["support"], None)
    found = [one.score for one in bank.nearest(text, 5)]
    assert found == sorted(found, reverse=True) and all(0 <= one <= 1 for one in found) and len(found) == 5


def test_a_provider_embeds_topics_and_messages_in_512_dimensions() -> None:
    from model_server import serving

    from engine.knowledge.embeddings import embedding
    from engine.language.kinds import KnowledgeSetting
    from engine.ports import CallFailed

    def one(*rows: list[float]) -> dict[str, Any]:
        data = [{"object": "embedding", "index": at, "embedding": row} for at, row in enumerate(rows)]
        return {
            "body": json.dumps(
                {"object": "list", "model": "m", "data": data, "usage": {"prompt_tokens": 1, "total_tokens": 1}}
            )
        }

    with serving(one([3.0, 0.0], [0.0, 2.0]), one([1.0, 1.0]), {"status": 500}) as server:
        setting = KnowledgeSetting(embedding="openai:made-up", base_url=server.url, key="A_KEY")
        chosen = embedding(setting, {"A_KEY": "k"})
        space = chosen.space(chosen.fit(["a", "b"]))
        assert [round(float(one), 2) for one in space.scores("c")] == [0.71, 0.71] and chosen.remote
        with pytest.raises(CallFailed):
            space.scores("d")
        assert server.seen[0]["dimensions"] == 512 and server.seen[0]["input"] == ["a", "b"]
    with pytest.raises(CallFailed, match="wrong_key"):
        embedding(setting, {}).fit(["a"])


@pytest.mark.parametrize("name", ["bert", "openai:"])
def test_an_embedding_that_there_is_not_is_refused(name: str) -> None:
    from engine.knowledge.embeddings import NoEmbedding, embedding
    from engine.language.kinds import KnowledgeSetting

    with pytest.raises(NoEmbedding, match="Known: ngram"):
        embedding(KnowledgeSetting(embedding=name))


def test_a_repair_of_words_alone_changes_the_words_of_the_answer(project: Path, tmp_path: Path) -> None:
    sure = {"topic": "delivery_fee", "person": False, "confidence": "high", "reason": "r"}
    row = {
        "id": "a",
        "text": "how do you charge",
        "answer": {**sure, "text": "Call +44 20 7946 0999."},
        "repair": "Checkout shows the fee.",
    }
    file = tmp_path / "messages.jsonl"
    file.write_text(json.dumps(row))
    found = json.loads(run(project, "ask", "--file", str(file)).stdout)
    assert (found["outcome"], found["wave"], found["text"], found["verdicts"]) == (
        "send",
        "w5",
        "Checkout shows the fee.",
        ["unknown_phone"],
    )
