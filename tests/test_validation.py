"""The scripts that measure and renew: each says what it is for, is listed, and is there where a document names it."""

import importlib
import re
from pathlib import Path

import pytest
from support.cases import each_case

from calibration.validation.script import COMMAND

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "calibration" / "validation"
SCRIPTS = sorted(path.stem for path in FOLDER.glob("*.py") if "\nmain = script(" in path.read_text("utf-8"))


@each_case("name", SCRIPTS)
def test_a_script_says_what_it_is_for_and_how_it_is_called(name: str, capsys: pytest.CaptureFixture[str]):
    script = importlib.import_module(f"calibration.validation.{name}")
    with pytest.raises(SystemExit) as ended:
        script.main(["--help"])
    assert ended.value.code == 0
    purpose, _, rest = (script.__doc__ or "").partition("\n")
    assert purpose.endswith(".")
    assert set(COMMAND.findall(rest)) == {name}
    assert purpose.split(":")[0] in " ".join(capsys.readouterr().out.split())


def test_the_list_has_every_script():
    rows = re.findall(r"^\| (`.*?`) \|", (FOLDER / "README.md").read_text("utf-8"), re.M)
    assert sorted(re.findall(r"`(\w+)`", " ".join(rows[1:]))) == SCRIPTS


def test_documents_name_scripts_that_are_there():
    named = {
        (path.name, name)
        for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *ROOT.glob("calibration/**/*.csv"))
        for name in COMMAND.findall(path.read_text("utf-8"))
    }
    assert ("physics.md", "through") in named
    assert {name for _, name in named} <= set(SCRIPTS)
