"""What enters and leaves a project's folder, and what is refused at its door."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from engine import files
from engine.files import (
    CARD_BYTES,
    FileRefused,
    content_hash,
    decode,
    read_tree,
    short_hash,
    tree_of,
    write_atomic,
)

CARD = "cards/demo/gates/complaint.yaml"
TEXT = b"title: x\n"


def put(root: Path, name: str, content: bytes = TEXT) -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    put(tmp_path / "project", CARD)
    return tmp_path / "project"


def found(root: Path) -> list[str]:
    return [f"{problem.place} {problem.code}" for problem in read_tree(root).problems]


def test_a_project_is_read_exact_and_sorted(root: Path) -> None:
    exact = "\ufefftitle: é 🙂\r\nb: |\n  x\r\n".encode()
    put(root, "rules/demo/tone.yaml", exact)
    put(root, "cards/demo/line.yaml")
    put(root, "cards/demo/gates/a.yaml")
    put(root, "reference/demo/instructions.txt", b"one\n")
    put(root, "reference/demo/lock.yaml")
    put(root, "runbook/demo.md", b"# x\n")
    tree = read_tree(root)
    assert tree.problems == ()
    assert list(tree.files) == [
        "cards/demo/gates/a.yaml", CARD, "cards/demo/line.yaml", "reference/demo/instructions.txt",
        "reference/demo/lock.yaml", "rules/demo/tone.yaml", "runbook/demo.md",
    ]  # fmt: skip
    assert tree.files["rules/demo/tone.yaml"] == exact
    assert tree.text("rules/demo/tone.yaml").encode() == exact
    assert list(tree.texts("rules", "runbook")) == ["rules/demo/tone.yaml", "runbook/demo.md"]
    assert list(tree.texts()) == list(tree.files)
    assert tree_of(tree.files) == tree


@pytest.mark.parametrize(
    "name",
    [
        "cards/.hidden.yaml", "cards/demo/.#a.yaml", "cards/demo/gates/a.yaml~", "cards/demo/README.md", ".git/a.yaml",
        ".rulecard/switches.yaml", "runbook/demo.html", "runbook/templates/page.md", "other/a.yaml", "README.md",
        "cards/demo/.history/a.yaml",
    ],
)  # fmt: skip
def test_what_is_no_project_file_is_passed_over(root: Path, name: str) -> None:
    put(root, name, b"\xff")
    assert read_tree(root).problems == ()
    assert list(read_tree(root).files) == [CARD]
    assert list(tree_of({name: b"\xff", CARD: TEXT}).files) == [CARD]


BAD: list[tuple[str, str, bytes, str]] = [
    ("too large", CARD, b"a: " + b"x" * 2_000_000, f"{CARD} too_large"),
    ("one byte too large", CARD, b"x" * (CARD_BYTES + 1), f"{CARD} too_large"),
    ("latin-1", CARD, b"a: 1\n\xc3\xa9: caf\xe9\n", f"{CARD}:2:7 not_utf8"),
    ("cut off", CARD, b"a: \xf0\x9f\x99", f"{CARD}:1:4 not_utf8"),
    ("overlong", CARD, b"\xc0\xaf", f"{CARD}:1:1 not_utf8"),
    ("half a character", CARD, b"a: \xed\xa0\xbd\n", f"{CARD}:1:4 not_utf8"),
    ("utf-16", CARD, "a: b\n".encode("utf-16"), f"{CARD}:1:1 not_utf8"),
    ("in a golden file", "reference/demo/instructions.txt", b"\n\xff", "reference/demo/instructions.txt:2:1 not_utf8"),
    ("not an id", "cards/demo/gates/Not-An-Id.yaml", TEXT, "cards/demo/gates/Not-An-Id.yaml bad_id"),
    ("a digit first", "rules/demo/1st.yaml", TEXT, "rules/demo/1st.yaml bad_id"),
    ("an accent", "cards/demo/gates/café.yaml", TEXT, "cards/demo/gates/café.yaml bad_id"),
    ("a look-alike", "cards/demo/gates/\u0430bc.yaml", TEXT, "cards/demo/gates/\u0430bc.yaml bad_id"),
    ("a space", "cards/demo/gates/a b.yaml", TEXT, "cards/demo/gates/a b.yaml bad_id"),
    ("two dots", "cards/demo/gates/a.b.yaml", TEXT, "cards/demo/gates/a.b.yaml bad_id"),
    ("a line", "cards/My Line/gates/a.yaml", TEXT, "cards/My Line/gates/a.yaml bad_id"),
    ("a line feed in a name", "cards/demo/gates/a\nb.yaml", TEXT, "cards/demo/gates/a\\x0ab.yaml bad_id"),
    ("yml", "cards/demo/gates/a.yml", TEXT, "cards/demo/gates/a.yml not_read"),
    ("YAML", "cards/demo/gates/a.YAML", TEXT, "cards/demo/gates/a.YAML not_read"),
    ("json", "rules/demo/a.json", TEXT, "rules/demo/a.json not_read"),
    ("an ending that is not shown", "cards/demo/gates/a.yaml.txt", TEXT, "cards/demo/gates/a.yaml.txt not_read"),
]


@pytest.mark.parametrize(("name", "content", "expected"), [row[1:] for row in BAD], ids=[row[0] for row in BAD])
def test_a_bad_file_is_refused_at_its_place(root: Path, name: str, content: bytes, expected: str) -> None:
    put(root, "cards/demo/gates/good.yaml")
    put(root, name, content)
    tree = read_tree(root)
    assert [f"{problem.place} {problem.code}" for problem in tree.problems] == [expected]
    assert name not in tree.files
    assert "cards/demo/gates/good.yaml" in tree.files
    if "\n" not in name:
        assert tree_of({name: content}).problems == tree.problems
    (root / name).write_bytes(TEXT)
    if expected.endswith(("not_utf8", "too_large")):
        assert read_tree(root).problems == ()  # the next run works


def test_all_bad_files_are_named_at_once(root: Path) -> None:
    for _, name, content, _ in BAD:
        put(root, name.replace(CARD, f"cards/demo/gates/c{len(content)}.yaml"), content)
    assert len(found(root)) == len(BAD)


def test_the_largest_card_and_a_large_golden_file_are_read(root: Path) -> None:
    put(root, CARD, b"x" * CARD_BYTES)
    put(root, "reference/demo/instructions.txt", b"x" * (CARD_BYTES + 1))
    assert found(root) == []


def test_a_name_that_is_not_utf8_is_shown_and_refused(root: Path) -> None:
    put(root, os.fsdecode(os.fsencode(root / "cards/demo/gates/") + b"/\xe9.yaml"))
    (problem,) = read_tree(root).problems
    assert problem.place.file == "cards/demo/gates/\\xe9.yaml"
    assert problem.code == "bad_id"
    str(problem).encode("utf-8")


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda path: path / "none", "missing_folder"),
        (lambda path: put(path, "file"), "missing_folder"),
        (lambda path: (path / "empty").mkdir() or path / "empty", "missing_folder"),
        (lambda path: put(path, "half/rules/demo/a.yaml").parents[2], "missing_folder"),
        (lambda path: put(path, "odd/cards").parent, "missing_folder"),
    ],
    ids=["no folder", "a file", "an empty folder", "no cards", "cards is a file"],
)
def test_a_folder_that_is_no_project_is_named(tmp_path: Path, make: Callable[[Path], Path], expected: str) -> None:
    tree = read_tree(make(tmp_path))
    assert tree.files == {}
    assert [problem.code for problem in tree.problems] == [expected]
    assert tree.problems[0].cure


def link(place: Path, target: Path | str) -> Path:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(target)
    return place


LINKS: list[tuple[str, Callable[[Path], object], list[str]]] = [
    ("a file outside", lambda root: link(root / "cards/demo/a.yaml", put(root.parent, "secret.yaml")),
     ["cards/demo/a.yaml link_out"]),
    ("a file outside, by a relative path", lambda root: link(root / "cards/a.yaml", Path("../../x.yaml")),
     ["cards/a.yaml link_out"]),
    ("a folder outside", lambda root: link(root / "cards/other", put(root.parent, "other/a.yaml").parent),
     ["cards/other link_out"]),
    ("a whole folder", lambda root: link(root / "rules", put(root.parent, "rules/demo/a.yaml").parents[1]),
     ["rules link_out"]),
    ("a neighbour with the same head",
     lambda root: link(root / "cards/x", put(root.parent, "project2/a.yaml").parent),
     ["cards/x link_out"]),
    ("a chain that ends outside", lambda root: (link(root / "cards/b", root.parent), link(root / "cards/a",
     "b")),
     ["cards/a link_out", "cards/b link_out"]),
    ("a folder above", lambda root: link(root / "cards/demo/up", root / "cards"),
     ["cards/demo/up link_loop"]),
    ("itself", lambda root: link(root / "cards/demo/a.yaml", "a.yaml"), ["cards/demo/a.yaml link_loop"]),
    ("two that name each other", 
     lambda root: (link(root / "cards/a.yaml", "b.yaml"), link(root / "cards/b.yaml", "a.yaml")),
     ["cards/a.yaml link_loop", "cards/b.yaml link_loop"]),
    ("nothing", lambda root: link(root / "cards/demo/a.yaml", "none.yaml"),
     ["cards/demo/a.yaml broken_link"]),
    ("a device", lambda root: link(root / "cards/demo/a.yaml", "/dev/zero"), ["cards/demo/a.yaml link_out"]),
]  # fmt: skip


@pytest.mark.parametrize(("make", "expected"), [row[1:] for row in LINKS], ids=[row[0] for row in LINKS])
def test_a_link_to_what_is_not_ours_is_refused(root: Path, make: Callable[[Path], object], expected: list[str]) -> None:
    make(root)
    assert found(root) == expected
    assert list(read_tree(root).files) == [CARD]


def test_a_link_within_the_project_is_read(root: Path) -> None:
    link(root / "cards/demo/gates/same.yaml", "complaint.yaml")
    link(root / "cards/twin", "demo")
    assert found(root) == []
    assert list(read_tree(root).files) == [
        CARD, "cards/demo/gates/same.yaml", "cards/twin/gates/complaint.yaml", "cards/twin/gates/same.yaml",
    ]  # fmt: skip


def test_a_project_reached_by_a_link_is_read(root: Path) -> None:
    link(root.parent / "there", root)
    assert list(read_tree(root.parent / "there").files) == [CARD]


def test_links_that_multiply_folders_end(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_ENTRIES", 500)
    for level in range(20):
        (root / f"cards/l{level}").mkdir()
    for level in range(19):
        for twin in ("a", "b"):
            link(root / f"cards/l{level}/{twin}", f"../l{level + 1}")
    assert "too_many_files" in {problem.code for problem in read_tree(root).problems}


def test_a_pipe_and_a_socket_are_refused_without_waiting(root: Path) -> None:
    os.mkfifo(root / "cards/demo/gates/pipe.yaml")
    with socket.socket(socket.AF_UNIX) as listening:
        here = os.getcwd()
        os.chdir(root / "cards/demo/gates")  # a socket's path is short
        try:
            listening.bind("socket.yaml")
        finally:
            os.chdir(here)
        assert found(root) == [
            "cards/demo/gates/pipe.yaml no_file", "cards/demo/gates/socket.yaml no_file",
        ]  # fmt: skip


def test_what_the_system_does_not_let_us_read_is_named(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(root, "cards/demo/gates/shut.yaml")
    put(root, "cards/demo/shut/a.yaml")
    plain_open, plain_scan = os.open, os.scandir

    def shut(path: str) -> str:
        if "shut" in os.path.basename(path):
            raise PermissionError(13, "Permission denied")
        return path

    monkeypatch.setattr(os, "open", lambda path, *rest: plain_open(shut(path), *rest))
    monkeypatch.setattr(os, "scandir", lambda path: plain_scan(shut(path)))
    tree = read_tree(root)
    assert [f"{p.place} {p.code} {p.says}" for p in tree.problems] == [
        "cards/demo/gates/shut.yaml no_access It cannot be read: permission denied.",
        "cards/demo/shut no_access It cannot be read: permission denied.",
    ]
    assert list(tree.files) == [CARD]


def test_a_tree_is_the_same_under_any_locale_and_hash_seed(root: Path) -> None:
    for name in ("ab", "a_b", "z", "a1"):
        put(root, f"cards/demo/gates/{name}.yaml", "é\n".encode())
    put(root, "reference/demo/é.txt", "é\n".encode())
    program = (
        "import sys, hashlib; from pathlib import Path; from engine.files import read_tree;"
        f"t = read_tree(Path({os.fspath(root)!r})); "
        "sys.stdout.buffer.write(ascii([*t.files.items(), t.problems]).encode())"
    )
    said = set()
    for seed, locale, utf8 in (("0", "C", "0"), ("1", "C.UTF-8", "1"), ("2", "POSIX", "1")):
        env = {**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": locale, "PYTHONUTF8": utf8, "PYTHONCOERCECLOCALE": "0"}
        run = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, check=True,
                             cwd=Path(files.__file__).parents[1])  # fmt: skip
        said.add(run.stdout)
    assert len(said) == 1
    assert b"a_b" in said.pop()


# leaving


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_a_file_is_written_exact_under_any_umask(root: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        assert write_atomic(root / "reference/new/a.txt", "é\r\n\n", root=root)
        assert write_atomic(root / "b.bin", b"\xff\x00", mode=0o600)
    finally:
        os.umask(before)
    assert (root / "reference/new/a.txt").read_bytes() == "é\r\n\n".encode()
    assert (mode(root / "reference/new/a.txt"), mode(root / "b.bin")) == (0o644, 0o600)
    assert list(root.rglob(".*")) == []


def test_a_replaced_file_keeps_its_mode_and_equal_bytes_are_left_alone(root: Path) -> None:
    path = root / CARD
    path.chmod(0o600)
    os.utime(path, ns=(1, 1))
    assert not write_atomic(path, TEXT, root=root)
    assert path.stat().st_mtime_ns == 1
    assert write_atomic(path, "title: y\n", root=root)
    assert (mode(path), path.read_bytes()) == (0o600, b"title: y\n")


def test_a_failed_write_leaves_the_old_file_and_nothing_else(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    for name in ("fsync", "replace"):
        with monkeypatch.context() as patch:
            patch.setattr(os, name, full)
            with pytest.raises(FileRefused) as refused:
                write_atomic(root / CARD, "new", root=root)
        assert refused.value.problem.says == "It cannot be written: no space left on device."
        assert refused.value.problem.place.file == CARD
        assert (root / CARD).read_bytes() == TEXT
        assert [path.name for path in (root / CARD).parent.iterdir()] == ["complaint.yaml"]
    with pytest.raises(FileRefused):
        write_atomic(root / CARD, "half \ud800", root=root)
    assert (root / CARD).read_bytes() == TEXT


def test_a_reader_sees_the_old_or_the_new_file_and_never_a_part(root: Path) -> None:
    path, sizes = root / CARD, (200_000, 300_000)
    path.write_bytes(b"a" * sizes[0])
    seen: set[int] = set()
    done = threading.Event()

    def look() -> None:
        while not done.is_set():
            seen.add(len(path.read_bytes()))

    reader = threading.Thread(target=look)
    reader.start()
    for turn in range(40):
        write_atomic(path, b"a" * sizes[(turn + 1) % 2], root=root)
    done.set()
    reader.join()
    assert seen <= set(sizes)


WRITES: list[tuple[str, Callable[[Path], Path], str]] = [
    ("a link to a file outside", lambda root: link(root / "cards/a.yaml", put(root.parent, "out.yaml")),
     "link_out"),
    ("a folder that is a link outside", lambda root: link(root / "cards/x", root.parent) / "out.yaml",
     "link_out"),
    ("a way up", lambda root: root / "../out.yaml", "link_out"),
    ("a link to itself", lambda root: link(root / "cards/a.yaml", "a.yaml"), "link_loop"),
    ("a folder", lambda root: root / "cards", "no_file"),
    ("below a file", lambda root: root / CARD / "a.yaml", "no_access"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "code"), [row[1:] for row in WRITES], ids=[row[0] for row in WRITES])
def test_nothing_is_written_where_it_does_not_belong(root: Path, make: Callable[[Path], Path], code: str) -> None:
    outside = put(root.parent, "out.yaml", b"theirs")
    path = make(root)
    outside.write_bytes(b"theirs")
    with pytest.raises(FileRefused) as refused:
        write_atomic(path, "ours", root=root)
    assert refused.value.problem.code == code
    assert outside.read_bytes() == b"theirs"
    assert list(root.parent.rglob(".*.tmp")) == []


def test_without_a_root_nothing_leaves_the_files_own_folder(root: Path) -> None:
    outside = put(root.parent, "out.yaml", b"theirs")
    link(root / "a.yaml", outside)
    with pytest.raises(FileRefused):
        write_atomic(root / "a.yaml", "ours")
    assert outside.read_bytes() == b"theirs"


def test_a_link_within_the_project_stays_a_link(root: Path) -> None:
    link(root / "cards/demo/gates/same.yaml", "complaint.yaml")
    assert write_atomic(root / "cards/demo/gates/same.yaml", "title: y\n", root=root)
    assert (root / "cards/demo/gates/same.yaml").is_symlink()
    assert (root / CARD).read_bytes() == b"title: y\n"


def test_hashes_are_those_of_the_bytes() -> None:
    known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"  # FIPS 180-2, appendix B.1
    assert content_hash("abc") == content_hash(b"abc") == known
    assert short_hash("abc") == known[:16]
    assert content_hash("é") == content_hash("é".encode()) != content_hash("e\u0301")
    assert len(content_hash("\ud800")) == 64


def test_decode_names_the_byte() -> None:
    with pytest.raises(FileRefused) as refused:
        decode("a", b"ok\n\xc3\xa9 \xe9")
    assert refused.value.problem.says == "Byte 6 (0xE9) is not UTF-8."
    assert (refused.value.problem.place.line, refused.value.problem.place.column) == (2, 3)
