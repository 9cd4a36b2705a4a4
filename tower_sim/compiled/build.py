"""Compile Python in advance: python -m tower_sim.compiled.build [--only core|games|bets|native] [--check]

    Python --numba--> LLVM IR, not optimised --llvmlite--> object for a processor --LLD--> core.wasm, native/*.so, ...

Each function is exported under its name, and takes its arguments as memory.py says. What numba passes beside that
(counts, strides, owners) is worked out on the way in; the widths of tables are constants there, but for those that
differ, and no table overlaps another. A shared library has the functions of all files, and imports nothing.

`--check` makes all anew and compares. Needs the extra `core`: numba, and ziglang, in which LLD is.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path
from types import FunctionType
from typing import Any

from tower_sim.compiled.marks import BUILD, VARIABLE, compiled

# Before anything marked is imported. Not optimised: numba would do it for this machine's processor.
os.environ |= {"NUMBA_OPT": "0", "NUMBA_DISABLE_JIT": "0", VARIABLE: BUILD}

import numpy.typing as npt

from tower_sim.compiled.by_native import LIBRARIES
from tower_sim.compiled.file import CompiledFile, CompiledFunction, numbers_in, section

llvm: Any = importlib.import_module("llvmlite.binding")
numba: Any = importlib.import_module("numba")
llvm.initialize_all_targets()
llvm.initialize_all_asmprinters()

FILES = {
    "core": "tower_sim.physics.core.machine:CORE",
    "games": "tower_sim.surrogate.kernel:GAMES",
    "places": "tower_sim.apparatus.where:PLACES",
    "bets": "tower_sim.calibration.bets:BETS",
}
NATIVE = Path(__file__).with_name("native")
ORIGIN = NATIVE / "origin.json"


@dataclass(frozen=True)
class Target:
    """A processor and system, how LLVM optimises for it, and how LLD links for it."""

    triple: str
    cpu: str = ""
    features: str = ""
    speed: int = 3
    has_vectors: bool = True
    is_small: bool = False
    link: tuple[str, ...] = ()


_FILES = ("made.o", "-o", "made")
_FEATURES = "+bulk-memory,+sign-ext,+nontrapping-fptoint"
_WASM = ("wasm-ld", "--no-entry", "--gc-sections", "--strip-all", "-O2", "-z", "stack-size=262144", *_FILES)
WASM = Target("wasm32-unknown-unknown", features=_FEATURES, speed=2, has_vectors=False, link=_WASM)
SMALL = replace(WASM, is_small=True)  # half as large, for what takes no time
_ELF = ("ld.lld", "-shared", "--strip-all", "--gc-sections", "-z", "noexecstack", *_FILES)
_COFF = ("lld-link", "/dll", "/noentry", "/Brepro", "/machine:x64", "made.o", "/out:made")
_MACHO = ("build-lib", "-dynamic", "-O", "ReleaseSmall", "-fstrip", "made.o", "-femit-bin=made", "-target")
TARGETS = {
    "linux-x86_64.so": Target("x86_64-unknown-linux-gnu", "x86-64-v2", link=_ELF),
    "linux-aarch64.so": Target("aarch64-unknown-linux-gnu", "generic", link=_ELF),
    "macos-arm64.dylib": Target("arm64-apple-macosx11.0.0", "apple-m1", link=(*_MACHO, "aarch64-macos.11.0")),
    "macos-x86_64.dylib": Target("x86_64-apple-macosx11.0.0", "x86-64-v2", link=(*_MACHO, "x86_64-macos.11.0")),
    "windows-x86_64.dll": Target("x86_64-pc-windows-gnu", "x86-64-v2", link=_COFF),
}
assert {*TARGETS} == {*LIBRARIES.values()}
_ONE_INSTRUCTION = ("sqrt", "floor", "ceil")  # in numba's IR a call of the system's function
_HELPERS = """
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
_LOOP = """
define hidden ptr @%s "no-builtins" {
  %%any = icmp ne i64 %%many, 0
  br i1 %%any, label %%loop, label %%end
loop:
  %%i = phi i64 [ 0, %%0 ], [ %%next, %%loop ]
  %s
  %%there = getelementptr i8, ptr %%to, i64 %%i
  store i8 %%byte, ptr %%there
  %%next = add nuw i64 %%i, 1
  %%more = icmp ult i64 %%next, %%many
  br i1 %%more, label %%loop, label %%end
end:
  ret ptr %%to
}
"""
_READ = "%here = getelementptr i8, ptr %from, i64 %i\n  %byte = load i8, ptr %here"
_FILL = _LOOP % ("memset(ptr %to, i32 %what, i64 %many)", "%byte = trunc i32 %what to i8")
_MEMORY = _FILL + _LOOP % ("memcpy(ptr %to, ptr %from, i64 %many)", _READ)
"""What LLVM calls to fill and copy memory, so that a library imports nothing."""


def file_of(name: str) -> CompiledFile:
    """Return one of FILES."""
    home, _, constant = FILES[name].partition(":")
    return getattr(importlib.import_module(home), constant)


def lower(file: CompiledFile) -> bytes:
    """Return a file's functions as bitcode for any processor, not optimised."""
    whole = llvm.parse_assembly(_HELPERS)
    with _from_zero(file.name in ("core", "games")):  # elsewhere an index may be -1
        for name, each in file.exports.items():
            whole.link_in(_lower(name, each))
    whole.verify()
    return whole.as_bitcode()


def optimise(bitcode: Iterable[bytes], exports: Iterable[str], target: Target) -> bytes:
    """Return the object of functions for a processor."""
    exports = {*exports}
    is_wasm = target.link == _WASM
    machine = llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=target.cpu, features=target.features, opt=3, reloc="default" if is_wasm else "pic"
    )
    whole = llvm.parse_assembly("" if is_wasm else _MEMORY)
    for each in bitcode:
        part = llvm.parse_bitcode(each)
        for function in part.functions:
            if not function.is_declaration and function.name not in exports:
                function.linkage = "internal"
        whole.link_in(part)
    whole.triple, whole.data_layout = target.triple, str(machine.target_data)
    tuning = llvm.create_pipeline_tuning_options(speed_level=target.speed)
    tuning.loop_vectorization = tuning.slp_vectorization = target.has_vectors
    if target.is_small:
        tuning.loop_unrolling, tuning.inlining_threshold = False, 40
    builder = llvm.create_pass_builder(machine, tuning)
    for _ in range(2):
        builder.getModulePassManager().run(whole, builder)
    if missing := [f.name for f in whole.functions if f.is_declaration and not f.name.startswith("llvm.")]:
        raise RuntimeError(f"{target.triple} has not: {', '.join(missing)}")
    return machine.emit_object(whole)


def build_wasm(file: CompiledFile, bitcode: bytes) -> bytes:
    """Return the WebAssembly module of a file."""
    shown = [f"--export={name}" for name in (*file.exports, "__heap_base")]
    target = SMALL if file.name == "bets" else WASM
    module = _link(optimise([bitcode], file.exports, target), (*target.link, *shown))
    return module + section({"source": file.digest(), **_versions(), **file.about()})


def build_native(name: str, bitcode: Iterable[bytes], exports: Iterable[str]) -> bytes:
    """Return a shared library."""
    target, exports = TARGETS[name], sorted(exports)
    shown = [f"/export:{each}" for each in exports] if target.link == _COFF else []
    return _link(optimise(bitcode, exports, target), (*target.link, *shown))


def origin() -> dict[str, Any]:
    """Return from what the libraries are built now."""
    return {"sources": {name: file_of(name).digest() for name in FILES}, **_versions()}


def _versions() -> dict[str, str]:
    return {package: metadata.version(package) for package in ("numba", "llvmlite", "ziglang")}


@contextmanager
def _from_zero(is_on: bool) -> Generator[None]:
    """Let numba compile indices in the block as they are: none of them counts from the end.

    To ask each whether it is negative takes a twentieth of the time of a drop. numba has no option for this.
    """
    arrays: Any = importlib.import_module("numba.np.arrayobj")
    types = importlib.import_module("numba.core.types")
    before = arrays.fix_integer_index

    def fix(context: Any, builder: Any, kind: Any, index: Any, *_: Any) -> Any:
        return context.cast(builder, index, kind, types.intp)

    arrays.fix_integer_index = fix if is_on else before
    try:
        yield
    finally:
        arrays.fix_integer_index = before


def _lower(name: str, exported: CompiledFunction) -> Any:
    """Return the module of a function as numba has it for any machine, and the way in."""
    text, mangled = _ir(name, exported)
    inner = f"{name}.inner"
    text = re.sub(r"^target (datalayout|triple) .*$", "", text.replace(mangled, inner), flags=re.M)
    text = re.sub(r"\bcommon (local_unnamed_addr )?global", "internal global", text)  # numba's own, which nobody reads
    # nobody reads what an exception says, which has the path of the source
    text = re.sub(r"^ *store ptr @\.const\.picklebuf\..*$", "", text, flags=re.M)
    for each in _ONE_INSTRUCTION:
        text = re.sub(rf"@{each}\b", f"@llvm.{each}.f64", text)
    return llvm.parse_assembly(text + _way_in(name, inner, exported))


def _ir(name: str, exported: CompiledFunction) -> tuple[str, str]:
    """Return the text of a function as numba lowers it, and its name there."""
    source: Any = exported.function
    takes = tuple(numba.typeof(each) for each in exported.takes)
    if hasattr(source, "py_func"):  # it stays one of its own, if it is marked so
        source, takes = _call_of(source), (numba.types.Tuple(takes),)
    else:
        for helper, each in list(source.__globals__.items()):
            if isinstance(each, FunctionType):  # of a module that is plain Python
                source.__globals__[helper] = compiled(each)
    dispatcher: Any = compiled(source)
    dispatcher.compile(takes)
    (overload,) = dispatcher.overloads.values()
    return overload.library.get_llvm_str(), overload.fndesc.llvm_func_name


def _call_of(function: Any) -> Any:
    """Return a function that calls one."""

    def call(*given: Any) -> Any:
        return function(*given)

    return call


def _way_in(name: str, inner: str, exported: CompiledFunction) -> str:
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
    address, *words = [code.word() for _ in range(1 + len(numbers_in(table)))]
    shape = [
        words[0],
        *(str(width) if width else word for width, word in zip(table.shape[1:], words[1:], strict=False)),
    ]
    sizes = [str(table.itemsize)]  # in bytes: of an item, of a row of them, and so on
    for each in reversed(shape):
        sizes.insert(0, code.let(f"mul i64 {each}, {sizes[0]}"))
    items, place = code.let(f"udiv i64 {sizes[0]}, {table.itemsize}"), code.let(f"inttoptr i64 {address} to ptr")
    numbers = [f"i64 {each}" for each in (*shape, *sizes[1:])]
    return ["ptr null", "ptr null", f"i64 {items}", f"i64 {table.itemsize}", f"ptr noalias {place}", *numbers]


def _link(compiled: bytes, command: Iterable[str]) -> bytes:
    """Return what a linker makes of an object."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "made.o").write_bytes(compiled)
        subprocess.run([sys.executable, "-m", "ziglang", *command], check=True, cwd=folder)
        return (Path(folder) / "made").read_bytes()


def build_all(only: str | None) -> Iterator[tuple[Path, bytes]]:
    """Yield each file to write, and its content."""
    bitcode = {name: lower(file_of(name)) for name in FILES if only in (None, "native", name)}
    for name, code in bitcode.items():
        file = file_of(name)
        if file.path is not None and only in (None, name):
            yield file.path, build_wasm(file, code)
    if only in (None, "native"):
        exports = {name for each in FILES for name in file_of(each).exports}
        for name in TARGETS:
            yield NATIVE / name, build_native(name, bitcode.values(), exports)
        yield ORIGIN, (json.dumps(origin(), indent=2) + "\n").encode()


def main() -> None:
    """Write the files, or compare them; the exit status is 1 when one is another."""
    parser = argparse.ArgumentParser(description="Compile the core, the surrogate's games and the bets on records.")
    parser.add_argument("--only", choices=["core", "games", "bets", "native"], help="these alone")
    parser.add_argument("--check", action="store_true", help="compare the files that are there, byte for byte")
    options = parser.parse_args()
    for path, content in build_all(options.only):
        if options.check and content != path.read_bytes():
            sys.exit(f"{path} is another when it is made anew; try it without --check")
        if not options.check:
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
        print(f"{path}: {len(content)} bytes{', the same when it is made anew' if options.check else ''}", flush=True)


if __name__ == "__main__":
    main()
