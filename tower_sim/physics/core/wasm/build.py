"""Make core.wasm from the core's source: python -m tower_sim.physics.core.wasm.build [--check]

    run.py, portable.py --numba--> LLVM IR, not optimised --llvmlite--> an object for wasm32 --LLD--> core.wasm

Each entry is exported under its name. It takes its tables as the address of one block of whole numbers of 64 bits: for
each table, in the order of the arguments, its address and its shape. Other arguments follow as they are, whole ones of
32 bits. What numba passes beside that (counts, strides, owners) is worked out on the way in; the widths of tables are
constants there, but for those that differ, and no table overlaps another.

`--check` makes it anew and compares. Needs the extra `core`: numba, and ziglang, in which LLD is.
"""

from __future__ import annotations

import argparse
import importlib
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from types import FunctionType
from typing import Any

# Before numba is imported: what it has optimised is for this machine's processor.
os.environ |= {"NUMBA_OPT": "0", "NUMBA_DISABLE_JIT": "0", "TOWER_SIM_CORE": "numba"}

import numpy as np

from tower_sim import portable
from tower_sim.physics.core import arrays, run
from tower_sim.physics.core.arrays import T
from tower_sim.physics.core.compiled import OPTIONS
from tower_sim.physics.core.wasm.file import CORE, digest, made_from, section

llvm: Any = importlib.import_module("llvmlite.binding")
numba: Any = importlib.import_module("numba")

_TRIPLE = "wasm32-unknown-unknown"
_LAYOUT = "e-m:e-p:32:32-p10:8:8-p20:8:8-i64:64-i128:128-n32:64-S128-ni:1:10:20"
_STACK = 1 << 18  # bytes
_ITEM = 8  # bytes of every number in a table
_ONE_INSTRUCTION = ("sqrt", "floor", "ceil")  # in numba's IR a call of the system's function
_FREXP = """
define double @numba_frexp(double %x, ptr %exponent) {
  %bits = bitcast double %x to i64
  %shifted = lshr i64 %bits, 52
  %biased = and i64 %shifted, 2047
  %wide = sub i64 %biased, 1022
  %narrow = trunc i64 %wide to i32
  store i32 %narrow, ptr %exponent
  %rest = and i64 %bits, -9218868437227405313
  %half = or i64 %rest, 4602678819172646912
  %m = bitcast i64 %half to double
  ret double %m
}
"""
"""The fraction and exponent of a normal number, which is all that is asked for here."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A function to export, with examples of its arguments (a world, a table, a number); `gives` is what it returns.

    Of a table all but the number of rows is a constant of the module, unless it is 0 in the example.
    """

    function: Callable[..., Any]
    takes: tuple[Any, ...]
    gives: type | None


def entries() -> dict[str, Entry]:
    """Return what is exported, by name."""
    world, calm, film = arrays.make(1, 2), np.zeros((1, 6)), np.zeros((1, 0, 7))
    return {
        "take_windows": Entry(run.take_windows, (world, 1, calm, film, 1.0, 1), int),
        "lie_still": Entry(run.lie_still, (world,), None),
        "wake_row": Entry(run.wake_row, (world, 1), None),
        "take_out": Entry(run.take_out, (world, 1), None),
        "face_row": Entry(run.face_row, (world, 1), None),
        "deepest": Entry(run.deepest, (world,), float),
        **{name: Entry(getattr(portable, name), (1.0,), float) for name in ("sin", "cos", "log")},
    }


def build() -> bytes:
    """Return the module, made from the source."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple(_TRIPLE)
    machine = target.create_target_machine(opt=3, features="+bulk-memory,+sign-ext,+nontrapping-fptoint")
    whole = llvm.parse_assembly(f'target datalayout = "{_LAYOUT}"\ntarget triple = "{_TRIPLE}"\n{_FREXP}')
    for name, entry in entries().items():
        whole.link_in(_lowered(name, entry))
    for function in whole.functions:
        if not function.is_declaration and function.name not in entries():
            function.linkage = "internal"
    whole.verify()
    tuning = llvm.create_pipeline_tuning_options(speed_level=2)  # as fast as 3, and smaller
    tuning.loop_vectorization = tuning.slp_vectorization = False
    builder = llvm.create_pass_builder(machine, tuning)
    for _ in range(2):
        builder.getModulePassManager().run(whole, builder)
    if missing := [f.name for f in whole.functions if f.is_declaration and not f.name.startswith("llvm.")]:
        raise RuntimeError(f"the core calls what WebAssembly has not: {', '.join(missing)}")
    return _linked(machine.emit_object(whole)) + section(_made())


def _made() -> dict[str, str]:
    versions = {package: metadata.version(package) for package in ("numba", "llvmlite", "ziglang")}
    return {"source": digest(), **versions}


def _lowered(name: str, entry: Entry) -> Any:
    """Return the module of an entry: its function as numba has it for any machine, and the way in."""
    text, mangled = _ir(name, entry)
    inner = f"{name}.inner"
    text = re.sub(r"^target (datalayout|triple) .*$", "", text.replace(mangled, inner), flags=re.M)
    text = re.sub(r"\bcommon (local_unnamed_addr )?global", "internal global", text)  # numba's own, which nobody reads
    for each in _ONE_INSTRUCTION:
        text = re.sub(rf"@{each}\b", f"@llvm.{each}.f64", text)
    head = f'target datalayout = "{_LAYOUT}"\ntarget triple = "{_TRIPLE}"\n'
    return llvm.parse_assembly(head + text + _way_in(name, inner, entry))


def _ir(name: str, entry: Entry) -> tuple[str, str]:
    """Return the text of a function as numba lowers it, and its name there."""
    source = getattr(entry.function, "py_func", entry.function)
    for helper, each in list(source.__globals__.items()):
        if isinstance(each, FunctionType):  # of a module that is plain Python
            source.__globals__[helper] = numba.njit(**OPTIONS)(each)
    dispatcher = numba.njit(**OPTIONS)(source)
    dispatcher.compile(tuple(numba.typeof(each) for each in entry.takes))
    (compiled,) = dispatcher.overloads.values()
    return compiled.library.get_llvm_str(), compiled.fndesc.llvm_func_name


def _way_in(name: str, inner: str, entry: Entry) -> str:
    """Return the function that is exported: it reads the block of tables and calls numba's."""
    code = _Code()
    given: list[str] = []
    passed = ["ptr %result", "ptr %exception"]
    for number, value in enumerate(entry.takes):
        if isinstance(value, float):
            given.append(f"double %n{number}")
            passed.append(f"double %n{number}")
        elif isinstance(value, int):
            given.append(f"i32 %n{number}")
            passed.append("i64 " + code.let(f"sext i32 %n{number} to i64"))
        else:
            tables = value if hasattr(value, "_fields") else (value,)
            passed += [word for table in tables for word in _passed(table, code)]
    if code.words:
        given.insert(0, "ptr %tables")
    kind, told = {int: ("i64", "i32"), float: ("double", "double"), None: ("ptr", "void")}[entry.gives]
    code.lines.append(f"call i32 @{inner}({', '.join(passed)})")
    end = "void" if entry.gives is None else f"{told} " + code.let(f"load {kind}, ptr %result")
    if entry.gives is int:
        end = "i32 " + code.let(f"trunc i64 {end.split()[1]} to i32")
    body = [f"%result = alloca {kind}", "%exception = alloca ptr", *code.lines, f"ret {end}"]
    return "\n".join([f"\ndefine {told} @{name}({', '.join(given)}) {{", *body, "}", ""])


class _Code:
    """Lines of IR, and how many words of the block of tables they have read."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.words = 0

    def let(self, what: str) -> str:
        """Return the name of a new value."""
        self.lines.append(f"%v{len(self.lines)} = {what}")
        return f"%v{len(self.lines) - 1}"

    def word(self) -> str:
        """Read the next word."""
        at = self.let(f"getelementptr i64, ptr %tables, i32 {self.words}")
        self.words += 1
        return self.let(f"load i64, ptr {at}")


def _passed(table: T, code: _Code) -> list[str]:
    """Return what numba passes for a table: two owners, none; items, bytes of one, address, shape, strides."""
    address, *words = [code.word() for _ in range(1 + table.ndim)]
    shape = [words[0], *(str(width) if width else word for width, word in zip(table.shape[1:], words[1:], strict=True))]
    sizes = [str(_ITEM)]  # in bytes: of an item, of a row of them, and so on
    for each in reversed(shape):
        sizes.insert(0, code.let(f"mul i64 {each}, {sizes[0]}"))
    items, place = code.let(f"udiv i64 {sizes[0]}, {_ITEM}"), code.let(f"inttoptr i64 {address} to ptr")
    numbers = [f"i64 {each}" for each in (*shape, *sizes[1:])]
    return ["ptr null", "ptr null", f"i64 {items}", f"i64 {_ITEM}", f"ptr noalias {place}", *numbers]


def _linked(thing: bytes) -> bytes:
    """Return what LLD makes of an object: all that is exported, a memory, a place where free memory begins."""
    with tempfile.TemporaryDirectory() as folder:
        made, output = Path(folder) / "core.o", Path(folder) / "core.wasm"
        made.write_bytes(thing)
        exports = [f"--export={name}" for name in (*entries(), "__heap_base")]
        options = ["--no-entry", "--gc-sections", "--strip-all", "-O2", "-z", f"stack-size={_STACK}"]
        command = [sys.executable, "-m", "ziglang", "wasm-ld", *options, *exports, str(made), "-o", str(output)]
        subprocess.run(command, check=True)
        return output.read_bytes()


def main() -> None:
    """Write core.wasm, or compare it; the exit status is 1 when it is another."""
    parser = argparse.ArgumentParser(description="Make core.wasm from the core's source.")
    parser.add_argument("--check", action="store_true", help="compare the file that is there, byte for byte")
    is_check, module = parser.parse_args().check, build()
    if is_check and module != CORE.read_bytes():
        there, made = made_from(CORE.read_bytes()), made_from(module)
        sys.exit(f"{CORE} was made from {there}, and is another when it is made from {made}; try it without --check")
    if not is_check:
        CORE.write_bytes(module)
    print(f"{CORE}: {len(module)} bytes{', the same when it is made anew' if is_check else ''}")


if __name__ == "__main__":
    main()
