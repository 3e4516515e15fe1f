"""The base revision, found with a real git: which one, what it holds, and that a check without it has failed."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from small import DOCUMENTS, LOCK, SMALL, Files, edited, read, small

from runbook.base import TARGETS, Base, BaseMissing, read_base
from runbook.check import cannot_run, check

MANNER = "rules/shop/manner.yaml"
WHO = {
    "GIT_AUTHOR_NAME": "a developer", "GIT_AUTHOR_EMAIL": "developer@shop.example",
    "GIT_COMMITTER_NAME": "a developer", "GIT_COMMITTER_EMAIL": "developer@shop.example",
    "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull,
}  # fmt: skip
PLAIN = {name: value for name, value in os.environ.items() if name not in TARGETS and not name.startswith("GIT_")} | WHO


def git(folder: Path, *arguments: str, **more: str) -> str:
    command = ["git", "-c", "protocol.file.allow=always", *arguments]
    done = subprocess.run(command, cwd=folder, env={**PLAIN, **more}, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def put(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, newline="")


def commit(folder: Path, files: Mapping[str, str], says: str = "A change") -> str:
    put(folder, files)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", says)
    return git(folder, "rev-parse", "HEAD")


def version(number: int) -> Files:
    """The small project with another number in one instruction; the base is told by it."""
    return {**small(), MANNER: SMALL[MANNER].replace("two sentences", f"{number} sentences")}


def number_of(base: Base) -> int | None:
    words = base.files.get(MANNER, "").partition("Answer in ")[2].split(" ")[0]
    return int(words) if words.isdigit() else None


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two repositories to copy. `main`: version 1, then version 2. `branch`: beside it on `work`, which parted from
    version 2, version 4 committed, and `main` gone on to version 3."""
    made = tmp_path_factory.mktemp("made")
    root = made / "main"
    root.mkdir()
    git(root, "init", "-q", "-b", "main", "--template=")
    commit(root, version(1))
    commit(root, version(2))
    shutil.copytree(root, made / "branch")
    git(made / "branch", "switch", "-q", "-c", "work")
    commit(made / "branch", version(4))
    git(made / "branch", "switch", "-q", "main")
    commit(made / "branch", version(3))
    git(made / "branch", "switch", "-q", "work")
    return made


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    return shutil.copytree(made / "main", tmp_path / "project")


@pytest.fixture
def branch(made: Path, tmp_path: Path) -> Path:
    return shutil.copytree(made / "branch", tmp_path / "project")


def test_on_the_default_branch_it_is_the_parent_of_head(folder: Path) -> None:
    base = read_base(folder, environment=PLAIN)
    assert number_of(base) == 1
    assert base.says == f"Compared with the parent of HEAD ({git(folder, 'rev-parse', 'HEAD^')[:10]})."
    assert set(small()) <= set(base.files)


def test_on_a_branch_it_is_where_it_parted_from_the_default_branch(branch: Path) -> None:
    base = read_base(branch, environment=PLAIN)
    assert number_of(base) == 2
    assert "merge base with `main`" in base.says


def test_a_branch_without_a_commit_of_its_own_is_compared_with_head(folder: Path) -> None:
    git(folder, "switch", "-q", "-c", "work")
    base = read_base(folder, environment=PLAIN)
    assert (number_of(base), "nothing has been committed since `main`" in base.says) == (2, True)


def test_the_first_commit_is_compared_with_itself(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    commit(tmp_path, version(1))
    put(tmp_path, version(2))
    base = read_base(tmp_path, environment=PLAIN)
    assert (number_of(base), "it has no parent" in base.says) == (1, True)


def test_a_merge_on_the_default_branch_is_compared_with_its_first_parent(branch: Path) -> None:
    git(branch, "switch", "-q", "main")
    git(branch, "merge", "-q", "-X", "theirs", "-m", "Merge", "work")
    assert number_of(read_base(branch, environment=PLAIN)) == 3


@pytest.mark.parametrize("asked, number", [("main", 2), ("HEAD~2", 1), ("HEAD", 4), ("main~1", 2), ("v1", 1)])
def test_a_base_that_is_asked_for(branch: Path, asked: str, number: int) -> None:
    """Where HEAD and the named revision have parted, the place where they did: else what is new there would be missed."""
    git(branch, "tag", "-a", "v1", "-m", "one", "main~2")
    assert number_of(read_base(branch, asked, PLAIN)) == number


def test_no_comparison_can_be_asked_for_and_is_said(branch: Path) -> None:
    base = read_base(branch, "none", PLAIN)
    assert (base.revision, base.files) == ("", {})
    assert "--base none" in base.says


@pytest.mark.parametrize("name", TARGETS)
def test_the_target_that_a_ci_names(branch: Path, name: str) -> None:
    git(branch, "branch", "-f", "release", "main~2")
    spelled = "refs/heads/release" if name.startswith("SYSTEM") else "release"
    base = read_base(branch, environment={**PLAIN, name: spelled})
    assert number_of(base) == 1
    assert f"`release`, named by {name}" in base.says
    assert number_of(read_base(branch, environment={**PLAIN, name: ""})) == 2


def test_the_target_is_taken_from_the_remote_first(branch: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", str(branch), "clone")
    clone = tmp_path / "clone"
    git(clone, "branch", "-f", "main", "HEAD")
    base = read_base(clone, environment={**PLAIN, "GITHUB_BASE_REF": "main"})
    assert number_of(base) == 2  # not the local `main`, which is HEAD


def test_a_target_that_the_clone_lacks_is_missing(branch: Path) -> None:
    with pytest.raises(BaseMissing) as missing:
        read_base(branch, environment={**PLAIN, "GITHUB_BASE_REF": "gone"})
    assert missing.value.problem.cure == "Run `git fetch origin gone`."


SHELL = [
    "--upload-pack=touch x",
    "-h",
    "--help",
    "$(touch x)",
    "main; touch x",
    "`touch x`",
    "a b",
    "main\nHEAD",
    "",
    "main:x",
    "nothing",
    "a\0b",
]


@pytest.mark.parametrize("asked", SHELL)
def test_a_revision_is_never_an_option_nor_a_command(branch: Path, asked: str) -> None:
    before = sorted(branch.iterdir())
    with pytest.raises(BaseMissing, match="There is no revision"):
        read_base(branch, asked, PLAIN)
    if asked and "\0" not in asked:  # no variable can hold that
        with pytest.raises(BaseMissing):
            read_base(branch, environment={**PLAIN, "GITHUB_BASE_REF": asked})
    assert sorted(branch.iterdir()) == before


def test_with_no_repository_the_chain_alone_and_it_says_so(tmp_path: Path) -> None:
    put(tmp_path, small())
    base = read_base(tmp_path, environment={**PLAIN, "GIT_CEILING_DIRECTORIES": str(tmp_path.parent)})
    assert (base.revision, base.files) == ("", {})
    assert base.says == "There is no git repository here: the chain of entries alone is checked."


def test_with_no_commit_the_chain_alone_and_it_says_so(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    base = read_base(tmp_path, environment=PLAIN)
    assert base.revision == ""
    assert "has no commit yet" in base.says


def test_a_repository_without_git_installed_cannot_be_checked(folder: Path) -> None:
    with pytest.raises(BaseMissing, match="There is a repository here, but no git"):
        read_base(folder, environment={**PLAIN, "PATH": str(folder)})


@pytest.mark.parametrize("target", [None, "main"])
def test_a_shallow_clone_without_the_base_ends_with_2_and_the_cure(
    branch: Path, tmp_path: Path, target: str | None
) -> None:
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{branch}", "clone")
    clone = tmp_path / "clone"
    with pytest.raises(BaseMissing) as missing:
        read_base(clone, environment=PLAIN if target is None else {**PLAIN, "GITHUB_BASE_REF": target})
    report = cannot_run(missing.value.problem)
    assert report.status == 2
    assert report.problems[0].code == "base_missing"
    assert "git fetch --unshallow" in report.problems[0].cure
    assert "fetch-depth: 0" in report.problems[0].cure
    git(clone, "fetch", "-q", "--unshallow", "origin", "+refs/heads/*:refs/remotes/origin/*")
    assert number_of(read_base(clone, environment=PLAIN)) == 2  # the cure cures


def test_a_shallow_clone_of_the_default_branch_lacks_the_parent(folder: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{folder}", "clone")
    with pytest.raises(BaseMissing, match="shallow clone that lacks the parent of HEAD"):
        read_base(tmp_path / "clone", environment=PLAIN)
    git(tmp_path / "clone", "fetch", "-q", "--depth", "2")
    assert number_of(read_base(tmp_path / "clone", environment=PLAIN)) == 1


def test_a_shallow_clone_that_ends_before_the_fork_is_not_enough(branch: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--depth", "1", "--no-single-branch", f"file://{branch}", "clone")
    git(tmp_path / "clone", "remote", "set-head", "origin", "main")
    with pytest.raises(BaseMissing, match="does not reach back to where HEAD parted from `main`") as missing:
        read_base(tmp_path / "clone", environment=PLAIN)
    assert "--unshallow" in missing.value.problem.cure


def test_histories_that_share_nothing_are_compared_with_what_was_asked_for(folder: Path) -> None:
    git(folder, "switch", "-q", "--orphan", "alone")
    commit(folder, version(7))
    assert number_of(read_base(folder, "main", PLAIN)) == 2


def test_a_shallow_clone_that_holds_the_base_is_enough(branch: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--depth", "3", "--no-single-branch", f"file://{branch}", "clone")
    assert number_of(read_base(tmp_path / "clone", environment=PLAIN)) == 2


def test_a_project_in_a_folder_of_the_repository(folder: Path) -> None:
    inner = folder / "bots" / "it's [one] here"
    commit(folder, {f"bots/it's [one] here/{name}": text for name, text in version(5).items()})
    commit(folder, {f"bots/it's [one] here/{MANNER}": version(6)[MANNER]})
    base = read_base(inner, environment=PLAIN)
    assert base.folder == "bots/it's [one] here/"
    assert number_of(base) == 5
    assert set(base.files) == set(small())


def test_a_line_that_is_new_since_the_base_has_the_chain_alone(folder: Path) -> None:
    other = {name.replace("/shop/", "/store/"): text for name, text in small().items()}
    commit(
        folder,
        {
            name: text.replace("shop", "store") if name.endswith("sources.yaml") else text
            for name, text in other.items()
        },
    )
    base = read_base(folder, environment=PLAIN)
    assert not any("/store/" in name for name in base.files)
    files = {**version(2), **other}
    report = check(read(files), files, base, DOCUMENTS)
    assert "The line `store` has no lock at the base: its chain of entries alone is checked." in report.says


def test_an_untracked_project_and_files_of_other_kinds_are_not_in_the_base(folder: Path) -> None:
    commit(folder, {"README.md": "x", "cards/shop/notes.txt": "x", ".hidden": "x"})
    commit(folder, {})
    base = read_base(folder, environment=PLAIN)
    assert {"README.md", "cards/shop/notes.txt", ".hidden"}.isdisjoint(base.files)


@pytest.mark.skipif(os.name != "posix", reason="links in a work tree need POSIX")
def test_links_within_the_project_are_followed_as_on_disk(folder: Path) -> None:
    (folder / "cards/store").symlink_to("shop")
    (folder / "rules/shop/other.yaml").symlink_to("manner.yaml")
    (folder / "rules/shop/out.yaml").symlink_to("/etc/hostname")
    commit(folder, {})
    commit(folder, {})
    base = read_base(folder, environment=PLAIN)
    assert base.files["cards/store/line.yaml"] == base.files["cards/shop/line.yaml"]
    assert base.files["rules/shop/other.yaml"] == base.files[MANNER]
    assert "rules/shop/out.yaml" not in base.files


def test_a_hook_that_points_git_elsewhere_changes_nothing(branch: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    git(elsewhere, "init", "-q", "-b", "main")
    commit(elsewhere, {MANNER: version(9)[MANNER]})
    pointed = {"GIT_DIR": str(elsewhere / ".git"), "GIT_WORK_TREE": str(elsewhere), "GIT_INDEX_FILE": str(elsewhere / "index"),
               "GIT_OBJECT_DIRECTORY": str(elsewhere / ".git/objects"), "GIT_PREFIX": "x/", "GIT_NAMESPACE": "n"}  # fmt: skip
    assert number_of(read_base(branch, environment={**PLAIN, **pointed})) == 2


def test_replaced_objects_do_not_change_the_base(branch: Path) -> None:
    git(branch, "replace", git(branch, "rev-parse", "main~1"), git(branch, "rev-parse", "main~2"))
    assert number_of(read_base(branch, environment=PLAIN)) == 2


def test_a_default_branch_of_another_name(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "live")
    commit(tmp_path, version(1))
    commit(tmp_path, version(2))
    assert number_of(read_base(tmp_path, environment=PLAIN)) == 1
    git(tmp_path, "switch", "-q", "-c", "other")
    with pytest.raises(BaseMissing, match="cannot be told which branch is the default one"):
        read_base(tmp_path, environment=PLAIN)
    git(tmp_path, "switch", "-q", "live")
    git(tmp_path, "clone", "-q", str(tmp_path), "clone")
    git(tmp_path / "clone", "switch", "-q", "-c", "other")
    commit(tmp_path / "clone", version(3))
    assert number_of(read_base(tmp_path / "clone", environment=PLAIN)) == 2  # as the remote's HEAD says


def test_a_damaged_repository_is_no_missing_one(folder: Path) -> None:
    (folder / ".git" / "HEAD").write_text("garbage\n")
    with pytest.raises(BaseMissing):
        read_base(folder, environment={**PLAIN, "GIT_CEILING_DIRECTORIES": str(folder.parent)})


def test_the_whole_way_one_word_changed_on_a_branch(folder: Path) -> None:
    """Against a real base: a deleted lock, a rebuilt one, a changed word are all seen."""
    good = small()
    commit(folder, good)
    git(folder, "switch", "-q", "-c", "work")
    files = edited(good, MANNER, "two", "three")
    report = check(read(files), files, read_base(folder, environment=PLAIN), DOCUMENTS)
    assert [problem.code for problem in report.problems] == ["instruction_changed"]
    files = {name: text for name, text in files.items() if name != LOCK}
    report = check(read(files), files, read_base(folder, environment=PLAIN), DOCUMENTS)
    assert [problem.code for problem in report.problems] == ["lock_missing", "instruction_changed"]
