"""The table of wheels says for each package where it can be had."""

import subprocess

import pytest

from tests.measure import wheels


def test_of_each_name_the_first_pin_is_read_without_marker_and_comment():
    text = 'a==1\n# why\nb==2; python_version < "3.12"\nb==3 ; python_version >= "3.12"  # also\n\n'
    assert wheels.pins(text) == ["a==1", "b==2"]


def test_the_table_tells_the_pythons_that_have_a_wheel_and_only_counts_plain_python():
    answers = {
        ("3.11", "Windows x86-64"): {"a==1": "a-1-cp311-cp311-win_amd64.whl", "p==1": "p-1-py3-none-any.whl"},
        ("3.14", "Windows x86-64"): {"p==1": "p-1-py3-none-any.whl"},
        ("3.11", "Linux x86-64"): {"a==1": "a-1-cp311-cp311-manylinux.whl", "p==1": "p-1-py3-none-any.whl"},
        ("3.14", "Linux x86-64"): {"a==1": "a-1-cp314-cp314-manylinux.whl", "p==1": "p-1-py3-none-any.whl"},
    }
    told = wheels.table(answers, ["a==1", "p==1"], ["3.11", "3.14"], ["Windows x86-64", "Linux x86-64"])
    assert told.splitlines() == [
        "| package | Windows x86-64 | Linux x86-64 |",
        "|---|---|---|",
        "| a 1 | 3.11 | all |",
        "",
        "1 more packages are plain Python.",
    ]


def test_a_pin_without_a_wheel_is_left_out_and_the_others_are_asked_for_again(monkeypatch: pytest.MonkeyPatch):
    asked: list[list[str]] = []

    def pip(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        assert command[command.index("--python-version") + 1] == "3.14"
        asked.append([word for word in command if "==" in word])
        if "b==2" in command:
            return subprocess.CompletedProcess(command, 1, "", "ERROR: No matching distribution found for b==2\n")
        url = '{"download_info": {"url": "https://host/path/A_x-1-cp314-cp314-win_amd64.whl"}}'
        return subprocess.CompletedProcess(command, 0, f'{{"install": [{url}]}}', "")

    monkeypatch.setattr(subprocess, "run", pip)
    assert wheels.wheels("3.14", "Windows x86-64", ["a.x==1", "b==2"]) == {"a.x==1": "A_x-1-cp314-cp314-win_amd64.whl"}
    assert asked == [["a.x==1", "b==2"], ["a.x==1"]]


def test_without_an_answer_the_script_says_so_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def pip(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(command, 1, "", "ERROR: no network\n")

    monkeypatch.setattr(subprocess, "run", pip)
    assert wheels.main(["--python", "3.14"]) == 2
    said = [line for line in capsys.readouterr().err.splitlines() if not line.startswith("...")]
    assert said == [
        "wheels: pip for Python 3.14 on Linux x86-64: ERROR: no network; allowed is an answer; look at the network"
    ]
