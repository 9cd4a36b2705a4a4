"""Make the files of compiled functions from their source: python -m tower_sim.wasm.build [--only core|games] [--check]

    Python --numba--> LLVM IR, not optimised --llvmlite--> an object for wasm32 --LLD--> core.wasm, games.wasm

Each function is exported under its name. It takes its tables as the address of one block of whole numbers of 64 bits:
for each table, in the order of the arguments, its address and its shape; for a whole number in a tuple itself. Other
arguments follow as they are, whole ones of 32 bits. What numba passes beside that (counts, strides, owners) is worked
out on the way in; the widths of tables are constants there, but for those that differ, and no table overlaps another.

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
from collections.abc import Iterable
from contextlib import nullcontext
from importlib import metadata
from pathlib import Path
from types import FunctionType
from typing import Any

# Before numba is imported: what it has optimised is for this machine's processor.
os.environ |= {"NUMBA_OPT": "0", "NUMBA_DISABLE_JIT": "0", "TOWER_SIM_CORE": "numba"}

import numpy.typing as npt

from tower_sim.tools.jit import OPTIONS, from_zero
from tower_sim.wasm.file import WasmFile, WasmFunction, read_origin, section

llvm: Any = importlib.import_module("llvmlite.binding")
numba: Any = importlib.import_module("numba")

FILES = {"core": "tower_sim.physics.core.exported:CORE", "games": "tower_sim.surrogate.exported:GAMES"}
_TRIPLE = "wasm32-unknown-unknown"
_LAYOUT = "e-m:e-p:32:32-p10:8:8-p20:8:8-i64:64-i128:128-n32:64-S128-ni:1:10:20"
_STACK = 1 << 18  # bytes
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


def build(file: WasmFile) -> bytes:
    """Return the module of a file, made from the source."""
    exports = file.exports()
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple(_TRIPLE)
    machine = target.create_target_machine(opt=3, features="+bulk-memory,+sign-ext,+nontrapping-fptoint")
    whole = llvm.parse_assembly(f'target datalayout = "{_LAYOUT}"\ntarget triple = "{_TRIPLE}"\n{_FREXP}')
    with from_zero() if file.path.stem == "core" else nullcontext():  # in the games an index may be -1
        for name, each in exports.items():
            whole.link_in(_lower(name, each))
    for function in whole.functions:
        if not function.is_declaration and function.name not in exports:
            function.linkage = "internal"
    whole.verify()
    tuning = llvm.create_pipeline_tuning_options(speed_level=2)  # as fast as 3, and smaller
    tuning.loop_vectorization = tuning.slp_vectorization = False
    builder = llvm.create_pass_builder(machine, tuning)
    for _ in range(2):
        builder.getModulePassManager().run(whole, builder)
    if missing := [f.name for f in whole.functions if f.is_declaration and not f.name.startswith("llvm.")]:
        raise RuntimeError(f"{file.path.stem} calls what WebAssembly has not: {', '.join(missing)}")
    return _link(machine.emit_object(whole), exports) + section(_origin(file))


def _origin(file: WasmFile) -> dict[str, Any]:
    versions = {package: metadata.version(package) for package in ("numba", "llvmlite", "ziglang")}
    return {"source": file.digest(), **versions, **file.about()}


def _lower(name: str, exported: WasmFunction) -> Any:
    """Return the module of a function as numba has it for any machine, and the way in."""
    text, mangled = _ir(name, exported)
    inner = f"{name}.inner"
    text = re.sub(r"^target (datalayout|triple) .*$", "", text.replace(mangled, inner), flags=re.M)
    text = re.sub(r"\bcommon (local_unnamed_addr )?global", "internal global", text)  # numba's own, which nobody reads
    # nobody reads what an exception says, which has the path of the source
    text = re.sub(r"^ *store ptr @\.const\.picklebuf\..*$", "", text, flags=re.M)
    for each in _ONE_INSTRUCTION:
        text = re.sub(rf"@{each}\b", f"@llvm.{each}.f64", text)
    head = f'target datalayout = "{_LAYOUT}"\ntarget triple = "{_TRIPLE}"\n'
    return llvm.parse_assembly(head + text + _way_in(name, inner, exported))


def _ir(name: str, exported: WasmFunction) -> tuple[str, str]:
    """Return the text of a function as numba lowers it, and its name there."""
    source = getattr(exported.function, "py_func", exported.function)
    for helper, each in list(source.__globals__.items()):
        if isinstance(each, FunctionType):  # of a module that is plain Python
            source.__globals__[helper] = numba.njit(**OPTIONS)(each)
    dispatcher = numba.njit(**OPTIONS)(source)
    dispatcher.compile(tuple(numba.typeof(each) for each in exported.takes))
    (compiled,) = dispatcher.overloads.values()
    return compiled.library.get_llvm_str(), compiled.fndesc.llvm_func_name


def _way_in(name: str, inner: str, exported: WasmFunction) -> str:
    """Return the function that is exported: it reads the block of tables and calls numba's."""
    code = _Code()
    given: list[str] = []
    passed = ["ptr %result", "ptr %exception"]
    for number, value in enumerate(exported.takes):
        if isinstance(value, float):
            given.append(f"double %n{number}")
            passed.append(f"double %n{number}")
        elif isinstance(value, int):
            given.append(f"i32 %n{number}")
            passed.append("i64 " + code.let(f"sext i32 %n{number} to i64"))
        else:
            tables = value if hasattr(value, "_fields") else (value,)
            passed += [word for table in tables for word in _arguments(table, code)]
    if code.words:
        given.insert(0, "ptr %tables")
    kind, outer = {int: ("i64", "i32"), float: ("double", "double"), None: ("ptr", "void")}[exported.gives]
    code.lines.append(f"call i32 @{inner}({', '.join(passed)})")
    end = "void" if exported.gives is None else f"{outer} " + code.let(f"load {kind}, ptr %result")
    if exported.gives is int:
        end = "i32 " + code.let(f"trunc i64 {end.split()[1]} to i32")
    body = [f"%result = alloca {kind}", "%exception = alloca ptr", *code.lines, f"ret {end}"]
    return "\n".join([f"\ndefine {outer} @{name}({', '.join(given)}) {{", *body, "}", ""])


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


def _arguments(table: npt.NDArray[Any] | int, code: _Code) -> list[str]:
    """Return what numba passes for a table: two owners, none; items, bytes of one, address, shape, strides."""
    if isinstance(table, int):
        return [f"i64 {code.word()}"]
    address, *words = [code.word() for _ in range(1 + table.ndim)]
    shape = [words[0], *(str(width) if width else word for width, word in zip(table.shape[1:], words[1:], strict=True))]
    sizes = [str(table.itemsize)]  # in bytes: of an item, of a row of them, and so on
    for each in reversed(shape):
        sizes.insert(0, code.let(f"mul i64 {each}, {sizes[0]}"))
    items, place = code.let(f"udiv i64 {sizes[0]}, {table.itemsize}"), code.let(f"inttoptr i64 {address} to ptr")
    numbers = [f"i64 {each}" for each in (*shape, *sizes[1:])]
    return ["ptr null", "ptr null", f"i64 {items}", f"i64 {table.itemsize}", f"ptr noalias {place}", *numbers]


def _link(compiled: bytes, names: Iterable[str]) -> bytes:
    """Return what LLD makes of an object: all that is exported, a memory, a place where free memory begins."""
    with tempfile.TemporaryDirectory() as folder:
        source, output = Path(folder) / "made.o", Path(folder) / "made.wasm"
        source.write_bytes(compiled)
        exports = [f"--export={name}" for name in (*names, "__heap_base")]
        options = ["--no-entry", "--gc-sections", "--strip-all", "-O2", "-z", f"stack-size={_STACK}"]
        command = [sys.executable, "-m", "ziglang", "wasm-ld", *options, *exports, str(source), "-o", str(output)]
        subprocess.run(command, check=True)
        return output.read_bytes()


def main() -> None:
    """Write the files, or compare them; the exit status is 1 when one is another."""
    parser = argparse.ArgumentParser(description="Make the files of compiled functions from their source.")
    parser.add_argument("--only", choices=[*FILES], help="one of them")
    parser.add_argument("--check", action="store_true", help="compare the files that are there, byte for byte")
    options = parser.parse_args()
    for name in [options.only] if options.only else FILES:
        home, _, constant = FILES[name].partition(":")
        file: WasmFile = getattr(importlib.import_module(home), constant)
        module = build(file)
        if options.check and module != file.path.read_bytes():
            there, here = read_origin(file.path.read_bytes()), read_origin(module)
            sys.exit(f"{file.path} was made from {there}, and is another, made from {here}; try it without --check")
        if not options.check:
            file.path.write_bytes(module)
        print(f"{file.path}: {len(module)} bytes{', the same when it is made anew' if options.check else ''}")


if __name__ == "__main__":
    main()
