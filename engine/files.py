"""The one door through which project files enter and leave: read exact, written whole or not at all.

Names are project-relative with `/` on every platform, and sorted, so that nothing above this module
depends on folder order, locale, platform, umask or hash seed. Text is UTF-8; line ends and a byte order
mark stay as they are.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import stat
import tempfile
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from engine.language.problems import Place, Problem

CARD_BYTES = 1_000_000
"""Most bytes of one card or block."""
RENDERED_BYTES = 64_000_000
"""Most bytes of what the engine itself writes (lock, golden files, runbook): some 30,000 cards."""
MAX_ENTRIES = 200_000
"""Most files and folders looked at in one project: links that multiply folders end here."""
HASH_SHORT = 16
"""Hex digits of a hash where people read it: in the lock and under `changes` in cards. 64 bits: among a
million texts two meet by chance with a probability of 3 in 100 million. Caches and logs keep all 64."""

_ID = re.compile(r"[a-z][a-z0-9_]*")
_NEARLY_YAML = re.compile(r"\.(?:ya?ml|json)(?:\.txt)?$", re.IGNORECASE)
_OPEN = os.O_RDONLY
for _flag in ("O_CLOEXEC", "O_NONBLOCK", "O_NOFOLLOW", "O_BINARY"):  # not every platform has each
    _OPEN |= getattr(os, _flag, 0)


class FileRefused(Exception):
    """A file that cannot be read or written; `problem` says which, why and what to do."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


@dataclass(frozen=True)
class Folder:
    """One of a project's folders: which files in it are read (by ending; none named: all), how large one may
    be, whether they lie in folders below, and whether lines and files in it are named by ids."""

    endings: tuple[str, ...]
    most: int
    nested: bool
    ids: bool


FOLDERS: Mapping[str, Folder] = {
    "cards": Folder((".yaml",), CARD_BYTES, nested=True, ids=True),
    "rules": Folder((".yaml",), CARD_BYTES, nested=True, ids=True),
    "reference": Folder((), RENDERED_BYTES, nested=True, ids=False),
    "knowledge": Folder((".yaml",), CARD_BYTES, nested=True, ids=True),
    "runbook": Folder((".md",), RENDERED_BYTES, nested=False, ids=False),
}


@dataclass(frozen=True)
class Tree:
    """The files of a project by name, sorted, each of them valid UTF-8; and what was refused on the way."""

    files: Mapping[str, bytes]
    problems: tuple[Problem, ...] = ()

    def text(self, name: str) -> str:
        """The text of one file, exact: line ends and a byte order mark included. Raises KeyError."""
        return self.files[name].decode("utf-8")

    def texts(self, *folders: str) -> dict[str, str]:
        """Name → text of all files, or of those in `folders`."""
        inside = tuple(f"{folder}/" for folder in folders) or ("",)
        return {name: self.text(name) for name in self.files if name.startswith(inside)}


def content_hash(content: bytes | str) -> str:
    """SHA-256 in hex, 64 digits; text is hashed as its UTF-8 bytes (half characters, which no file holds, as
    they are). What people read shows the first HASH_SHORT digits: see `short_hash`."""
    data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    return hashlib.sha256(data).hexdigest()


def short_hash(content: bytes | str) -> str:
    """The first HASH_SHORT hex digits of `content_hash`: the form in locks and in cards."""
    return content_hash(content)[:HASH_SHORT]


def decode(name: str, data: bytes) -> str:
    """The text of a file's bytes. Raises FileRefused with the place of the first byte that is not UTF-8."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line = before.count(b"\n") + 1
        column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8")) + 1
        if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
            says = "The file is UTF-16, not UTF-8."
        else:
            says = f"Byte {error.start} (0x{data[error.start]:02X}) is not UTF-8."
        place = Place(name, line, column)
        raise FileRefused(Problem(place, "not_utf8", says, "Save the file as UTF-8.")) from None


def tree_of(files: Mapping[str, bytes]) -> Tree:
    """A tree from bytes of elsewhere (a git revision, a package), under the same rules as from disk."""
    taken, problems = {}, []
    for name in sorted(files):
        try:
            if _wanted(name):
                _admit(name, files[name])
                taken[name] = files[name]
        except FileRefused as refused:
            problems.append(refused.problem)
    return Tree(taken, tuple(sorted(problems)))


def read_tree(root: Path, folders: Collection[str] = tuple(FOLDERS)) -> Tree:
    """Read a project's files. Never raises: what cannot be read is left out and is among the problems.

    Hidden files and files of other endings are passed over; a file in cards/ or rules/ that only looks like
    YAML (`.yml`, `.json`) is refused, so that no card is lost in silence.
    """
    walk = _Walk(Path(os.path.realpath(root)))
    if not walk.root.is_dir():
        what = "is no folder" if walk.root.exists() else "does not exist"
        says = f"The project folder {what}."
        place = Place(_shown(os.fspath(root)))
        return Tree({}, (Problem(place, "missing_folder", says, "Give another with `--project`."),))
    if "cards" in folders and not (walk.root / "cards").is_dir():
        says = f"{_shown(os.fspath(root))} is no project: it has no cards/ folder."
        cure = "Go to a project folder, name one with `--project`, or begin one with `rulecard new`."
        return Tree({}, (Problem(Place("cards"), "missing_folder", says, cure),))
    with contextlib.suppress(_TooMany):
        for name in sorted(folders):
            if os.path.lexists(walk.root / name):
                walk.top(name)
    return Tree(dict(sorted(walk.files.items())), tuple(sorted(walk.problems)))


def write_atomic(path: Path, content: bytes | str, *, root: Path | None = None, mode: int = 0o644) -> bool:
    """Write a file whole or not at all; True if its bytes changed (equal bytes are not written again).

    A temporary file in the same folder is flushed to disk and put in place of the old one, whose mode it
    keeps; a new file has `mode`, whatever the umask. Missing folders are made. Nothing is written outside
    `root` (default: the file's own folder), by whatever link; a link within it stays. Raises FileRefused.
    """
    data = content
    inside = root is not None and path.is_relative_to(root)
    name = _shown(path.relative_to(root).as_posix() if root is not None and inside else path.name)
    try:
        target = Path(os.path.realpath(path))
        if not target.is_relative_to(os.path.realpath(path.parent if root is None else root)):
            raise FileRefused(_leads_out(name))
        if isinstance(data, str):
            data = data.encode("utf-8")
        try:
            old = os.stat(target)
            if not stat.S_ISREG(old.st_mode):
                raise FileRefused(_special(name))
            mode = stat.S_IMODE(old.st_mode)
            if old.st_size == len(data) and target.read_bytes() == data:
                return False
        except FileNotFoundError:
            target.parent.mkdir(parents=True, exist_ok=True)
        _replace(target, data, mode)
        return True
    except UnicodeEncodeError as error:
        says = f"Character {error.start} of the text is half a character and cannot be written."
        raise FileRefused(Problem(Place(name), "not_utf8", says)) from None
    except OSError as error:
        raise FileRefused(_cannot(name, "written", error)) from None


def _replace(target: Path, data: bytes, mode: int) -> None:
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=".", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, mode)
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    if os.name == "posix":  # the new name itself reaches the disk with its folder
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            with contextlib.suppress(OSError):
                os.fsync(folder)
        finally:
            os.close(folder)


class _TooMany(Exception):
    """The walk ends here; the reason is among the problems."""


@dataclass
class _Walk:
    root: Path
    files: dict[str, bytes] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    entries: int = 0

    def top(self, name: str) -> None:
        try:
            self.enter(self.real(os.path.join(self.root, name), name), name, FOLDERS[name])
        except FileRefused as refused:
            self.problems.append(refused.problem)

    def enter(self, real: str, name: str, folder: Folder, above: tuple[str, ...] = ()) -> None:
        """Read the folder at the real path `real`, reached through the folders of the real paths `above`."""
        if real in above:
            says = "The link leads back to a folder that holds it."
            self.problems.append(Problem(Place(name), "link_loop", says, "Remove the link."))
            return
        for entry in self.listed(real, name):
            self.look(entry, f"{name}/{_name(entry.name)}", folder, (*above, real))

    def listed(self, path: str, name: str) -> Iterator[os.DirEntry[str]]:
        try:
            with os.scandir(path) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except OSError as error:
            self.problems.append(_cannot(name, "read", error))
            return
        for entry in entries:
            self.entries += 1
            if self.entries > MAX_ENTRIES:
                says = f"The project has more than {MAX_ENTRIES:,} files and folders."
                cure = "Look for links that repeat a folder."
                self.problems.append(Problem(Place(name), "too_many_files", says, cure))
                raise _TooMany
            if not entry.name.startswith("."):
                yield entry

    def look(self, entry: os.DirEntry[str], name: str, folder: Folder, above: tuple[str, ...]) -> None:
        try:
            real = self.real(entry.path, name) if entry.is_symlink() else entry.path
            if stat.S_ISDIR(entry.stat().st_mode):
                if folder.nested:
                    self.enter(real, name, folder, above)
            elif _wanted(name):
                self.files[name] = _read(real, name, folder.most)
        except FileRefused as refused:
            self.problems.append(refused.problem)
        except FileNotFoundError:
            says = "The link leads to nothing."
            self.problems.append(Problem(Place(name), "broken_link", says, "Mend or remove it."))
        except OSError as error:
            self.problems.append(_cannot(name, "read", error))

    def real(self, path: str, name: str) -> str:
        """The real path of a link within the project. Raises FileRefused for one that leads out."""
        real = os.path.realpath(path)
        if not Path(real).is_relative_to(self.root):
            raise FileRefused(_leads_out(name))
        return real


def _read(real: str, name: str, most: int) -> bytes:
    """The bytes of one file, at most `most`. A pipe that stands in a card's place must not hang the run: the
    file is opened without waiting, and looked at once open."""
    handle = os.open(real, _OPEN)
    with os.fdopen(handle, "rb") as file:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise FileRefused(_special(name))
        data = file.read(most + 1)
    _admit(name, data, max(found.st_size, len(data)))
    return data


def _wanted(name: str) -> bool:
    """Whether a file of this name is read. Raises FileRefused for one that seems to be a card and is none."""
    parts = name.split("/")
    folder = FOLDERS.get(parts[0])
    if folder is None or len(parts) < 2 or any(part.startswith(".") for part in parts):
        return False
    if not folder.nested and len(parts) > 2:
        return False
    if not folder.endings:
        return True
    if not name.endswith(folder.endings):
        if folder.ids and _NEARLY_YAML.search(name):
            says = "The file is not read: a card or block ends in `.yaml`."
            raise FileRefused(Problem(Place(name), "not_read", says, "Rename it."))
        return False
    stem = parts[-1].removesuffix(".yaml")
    for part in (parts[1], stem) if len(parts) > 2 else (stem,):
        if folder.ids and not _ID.fullmatch(part):
            says = f"`{part}` is no id."
            cure = "Lines, cards and blocks are named with small letters, digits and `_`, a letter first."
            raise FileRefused(Problem(Place(name), "bad_id", says, cure))
    return True


def _admit(name: str, data: bytes, size: int | None = None) -> None:
    """Raises FileRefused for a file too large, or not UTF-8."""
    size = len(data) if size is None else size
    most = FOLDERS[name.split("/")[0]].most
    if size > most:
        says = f"The file has {size:,} bytes; the most is {most:,}."
        raise FileRefused(Problem(Place(name), "too_large", says, "Split it, or move out what is no rule."))
    decode(name, data)


def _leads_out(name: str) -> Problem:
    says = "The link leads out of the project, and nothing there is read or written."
    return Problem(Place(name), "link_out", says, "Put the file itself in its place.")


def _special(name: str) -> Problem:
    return Problem(Place(name), "no_file", "This is a pipe, a socket or a device, not a file.", "Remove it.")


def _cannot(name: str, done: str, error: OSError) -> Problem:
    if error.errno == errno.ELOOP:
        return Problem(Place(name), "link_loop", "The link leads back to itself.", "Remove it.")
    if error.errno == errno.ENXIO:  # what opening a socket says
        return _special(name)
    reason = (error.strerror or type(error).__name__).lower()
    says = f"It cannot be {done}: {reason}."
    return Problem(Place(name), "no_access", says, "Look at its owner and mode.")


def _name(native: str) -> str:
    """A relative path of this platform as a project name."""
    return _shown(native.replace(os.sep, "/"))


def _shown(native: str) -> str:
    """A path that can be printed anywhere: bytes that are not UTF-8 and control characters as escapes."""
    said = os.fsencode(native).decode("utf-8", "backslashreplace")
    return re.sub(r"[\x00-\x1f\x7f-\x9f]", lambda found: f"\\x{ord(found[0]):02x}", said)
