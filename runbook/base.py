"""The base revision: which one it is, and the project's files as they stood there. Git runs here and nowhere else.

Git is asked by its plumbing alone (>= 2.30), with arguments and never through a shell. A revision that is named from
outside is resolved to a commit's hash first, and only that hash is used from then on.
"""

from __future__ import annotations

import os
import posixpath
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from engine.files import FOLDERS, tree_of
from engine.language.problems import Place, Problem

TARGETS = (
    "GITHUB_BASE_REF", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "CHANGE_TARGET", "BITBUCKET_PR_DESTINATION_BRANCH",
    "SYSTEM_PULLREQUEST_TARGETBRANCH", "BUILDKITE_PULL_REQUEST_BASE_BRANCH", "CI_COMMIT_TARGET_BRANCH",
)  # fmt: skip
"""Variables in which a CI names the branch that a change is meant for: GitHub and Gitea, GitLab, Jenkins, Bitbucket,
Azure, Buildkite, Woodpecker."""
_USUAL = ("main", "master", "trunk", "develop")
_SCRUBBED = (
    "GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_NAMESPACE",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_PREFIX", "GIT_SHALLOW_FILE", "GIT_GRAFT_FILE", "GIT_REPLACE_REF_BASE",
    "GIT_IMPLICIT_WORK_TREE", "GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_ICASE_PATHSPECS",
)  # fmt: skip
"""Variables that would point git at another repository than the one the project lies in (a hook sets some)."""
_SECONDS = 60
_LINKS = 8
"""Most symbolic links followed to one file of the base."""


class BaseMissing(Exception):
    """The base revision cannot be read, so the check cannot run; `problem` says why and what to do."""

    def __init__(self, says: str, cure: str) -> None:
        super().__init__(f"{says} {cure}")
        self.problem = Problem(Place("."), "base_missing", says, cure)


@dataclass(frozen=True)
class Base:
    """The files of the project at the base revision by name, and how it was found.

    `revision` is a commit's hash, or empty when there is none to compare with; `says` tells either in one sentence.
    `folder` is the project's folder within the repository, with a `/` at its end, or empty.
    """

    revision: str
    says: str
    files: Mapping[str, str] = field(default_factory=dict)
    folder: str = ""


def read_base(root: Path, asked: str | None = None, environment: Mapping[str, str] | None = None) -> Base:
    """The base revision of the project in `root`: `asked` (`none`: no comparison), else the target that CI names,
    else the merge base with the default branch, on that branch the parent of HEAD.

    With no repository, or no commit, there is nothing to compare with, and the base says so. Raises BaseMissing when
    there should be a base and it cannot be read.
    """
    if asked == "none":
        return Base("", "Not compared with a base revision (--base none): the chain of entries alone is checked.")
    git = _Git(root, os.environ if environment is None else environment)
    folder = git.folder()
    if folder is None:
        return Base("", "There is no git repository here: the chain of entries alone is checked.")
    if git.commit("HEAD") is None:
        return Base("", "The repository has no commit yet: the chain of entries alone is checked.", folder=folder)
    revision, what = _find(git, asked)
    return Base(revision, f"Compared with {what} ({revision[:10]}).", git.files(revision, folder), folder)


def _find(git: _Git, asked: str | None) -> tuple[str, str]:
    """The commit to compare with, and what it is in words."""
    if asked is not None:
        target = git.commit(asked)
        if target is None:
            raise BaseMissing(f"There is no revision `{asked[:80]}`.", git.cure("Name one that `git rev-parse` knows."))
        return git.fork(target, asked), f"`{asked}`"
    named = next(((name, git.environment[name]) for name in TARGETS if git.environment.get(name)), None)
    if named is not None:
        branch = named[1].removeprefix("refs/heads/")
        target = git.branch(branch)
        if target is None:
            says = f"{named[0]} names the branch `{branch[:80]}`, and this clone does not have it."
            raise BaseMissing(says, git.cure(f"Run `git fetch origin {branch}`.", branch))
        return git.fork(target, branch), f"`{branch}`, named by {named[0]}"
    return _default(git)


def _default(git: _Git) -> tuple[str, str]:
    """The merge base with the default branch; on that branch, or where HEAD is part of it, the parent of HEAD."""
    head, here = git.commit("HEAD"), git.current()
    assert head is not None
    default = git.default()
    if default is None:
        says = "It cannot be told which branch is the default one."
        raise BaseMissing(says, git.cure("Name the base with `--base`."))
    name, tip = default
    fork = git.fork(tip, name)
    if fork != head:
        return fork, f"the merge base with `{name}`"
    if here not in ("", name):
        return head, f"HEAD: nothing has been committed since `{name}`"
    parents = git.parents(head)
    if not parents:
        return head, "HEAD: it has no parent"
    if git.commit(parents[0]) is None:
        says = "This is a shallow clone that lacks the parent of HEAD, so the check cannot run."
        raise BaseMissing(says, git.cure(""))
    return parents[0], "the parent of HEAD"


class _Git:
    """Git in one folder."""

    def __init__(self, root: Path, environment: Mapping[str, str]) -> None:
        self.root, self.environment = root, environment
        kept = {name: value for name, value in environment.items() if name not in _SCRUBBED}
        self.set = {
            **kept,
            "LC_ALL": "C",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_NO_REPLACE_OBJECTS": "1",
        }

    def run(self, *arguments: str, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        command = ["git", "--literal-pathspecs", "-C", os.fspath(self.root), *arguments]
        try:
            return subprocess.run(command, input=data, capture_output=True, env=self.set, timeout=_SECONDS, check=False)  # noqa: S603
        except subprocess.TimeoutExpired:
            raise BaseMissing(
                f"Git did not answer within {_SECONDS} s.", "Try again, or name the base with `--base`."
            ) from None

    def line(self, *arguments: str) -> str | None:
        """What git answers, without the line end; None when it refuses."""
        done = self.run(*arguments)
        return done.stdout.decode("utf-8", "replace").removesuffix("\n") if done.returncode == 0 else None

    def folder(self) -> str | None:
        """The project's folder within its repository; None when there is none."""
        try:
            done = self.run("rev-parse", "--show-prefix")
        except FileNotFoundError:
            if self.marked():
                raise BaseMissing(
                    "There is a repository here, but no git.", "Install git, or say `--base none`."
                ) from None
            return None
        if done.returncode == 0:
            return os.fsdecode(done.stdout).removesuffix("\n")
        said = done.stderr.decode("utf-8", "replace").strip()
        if "not a git repository" in said and ("filesystem boundary" in said or not self.marked()):
            return None
        cure = "Mend the repository, or say `--base none`."
        if "dubious ownership" in said:
            cure = f"Run `git config --global --add safe.directory '{self.root.absolute()}'`."
        first = said.splitlines()[0] if said else f"it ended with status {done.returncode}"
        raise BaseMissing(f"Git cannot read the repository: {first.removeprefix('fatal: ')}.", cure)

    def marked(self) -> bool:
        """Whether a `.git` stands where git would look for one: what it does not take for a repository is a broken one."""
        ceilings = self.environment.get("GIT_CEILING_DIRECTORIES", "").split(os.pathsep)
        for folder in (self.root.absolute(), *self.root.absolute().parents):
            if os.fspath(folder) in ceilings:
                return False
            if (folder / ".git").exists():
                return True
        return False

    def commit(self, revision: str) -> str | None:
        """The hash of the commit that a revision names; None when it names none, or is no name at all."""
        if not revision or revision.startswith("-") or any(c.isspace() or not c.isprintable() for c in revision):
            return None
        return self.line("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")

    def branch(self, name: str) -> str | None:
        """The commit of a branch as the remote has it, else as it is here."""
        return self.commit(f"refs/remotes/origin/{name}") or self.commit(f"refs/heads/{name}")

    def current(self) -> str:
        """The branch that HEAD is on; empty when on none."""
        return (self.line("symbolic-ref", "--quiet", "HEAD") or "").removeprefix("refs/heads/")

    def default(self) -> tuple[str, str] | None:
        """The default branch and its commit: as the remote says, else by its usual name, else the only one there is."""
        names = []
        said = self.line("symbolic-ref", "--quiet", "refs/remotes/origin/HEAD")
        if said:
            names.append(said.removeprefix("refs/remotes/origin/"))
        names += _USUAL
        for name in names:
            tip = self.branch(name)
            if tip is not None:
                return name, tip
        only = (self.line("for-each-ref", "--format=%(refname)", "refs/heads/") or "").splitlines()
        if len(only) == 1 and not self.shallow():
            name = only[0].removeprefix("refs/heads/")
            tip = self.branch(name)
            return (name, tip) if tip else None
        return None

    def fork(self, target: str, name: str) -> str:
        """Where HEAD and `target` parted; `target` itself where HEAD holds it."""
        found = self.line("merge-base", target, "HEAD")
        if found:
            return found.splitlines()[0]
        if self.shallow():
            says = (
                f"This shallow clone does not reach back to where HEAD parted from `{name[:80]}`: the check cannot run."
            )
            raise BaseMissing(says, self.cure(""))
        return target

    def shallow(self) -> bool:
        return self.line("rev-parse", "--is-shallow-repository") == "true"

    def cure(self, otherwise: str, branch: str = "") -> str:
        if not self.shallow():
            return otherwise
        more = f" origin {branch}" if branch else ""
        return f"Run `git fetch --unshallow{more}` (in GitHub Actions: actions/checkout with `fetch-depth: 0`)."

    def parents(self, commit: str) -> list[str]:
        """The parents that the commit itself names, whether or not the clone has them."""
        head = self.run("cat-file", "commit", commit).stdout.partition(b"\n\n")[0]
        return [line[7:].decode("ascii") for line in head.splitlines() if line.startswith(b"parent ")]

    def files(self, commit: str, folder: str) -> dict[str, str]:
        """The project's files at a commit, by name; links within the project are followed as on disk."""
        wanted = [f"{folder}{name}" for name in FOLDERS]
        listed = self.run("ls-tree", "-r", "-z", "--full-tree", commit, "--", *wanted)
        if listed.returncode != 0:
            raise BaseMissing(f"Git cannot list the files of {commit[:10]}.", self.cure("Run `git fsck`."))
        blobs, links = {}, {}
        for entry in listed.stdout.split(b"\0")[:-1]:
            about, _, name = entry.partition(b"\t")
            mode, _, blob = about.decode("ascii").split(" ")
            path = os.fsdecode(name).removeprefix(folder)
            if mode.startswith("100"):
                blobs[path] = blob
            elif mode == "120000":
                links[path] = blob
        aims = dict(zip(links, (os.fsdecode(one) for one in self.contents([*links.values()])), strict=True))
        for _ in range(_LINKS if aims else 0):
            for link, aim in aims.items():
                blobs |= _linked(link, aim, blobs)
        return tree_of(dict(zip(blobs, self.contents([*blobs.values()]), strict=True))).texts()

    def contents(self, blobs: Sequence[str]) -> list[bytes]:
        """The bytes of each blob. Raises BaseMissing when one is not there."""
        if not blobs:
            return []
        out = self.run("cat-file", "--batch", data="".join(f"{blob}\n" for blob in blobs).encode("ascii")).stdout
        found, at = [], 0
        for blob in blobs:
            end = out.find(b"\n", at)
            words = out[at:end].split(b" ")
            if end < 0 or len(words) != 3:
                raise BaseMissing(
                    f"Git does not have the object {blob[:10]} of the base.",
                    self.cure("Run `git fetch`, or `git fsck`."),
                )
            size = int(words[2])
            found.append(out[end + 1 : end + 1 + size])
            at = end + 1 + size + 1
        return found


def _linked(link: str, aim: str, blobs: Mapping[str, str]) -> dict[str, str]:
    """The files that a link to a file or a folder stands for."""
    target = posixpath.normpath(posixpath.join(posixpath.dirname(link), aim))
    if target in blobs:
        return {link: blobs[target]}
    return {f"{link}/{name[len(target) + 1 :]}": blob for name, blob in blobs.items() if name.startswith(f"{target}/")}
