"""Make core.wasm from the core's source: python -m tower_sim.physics.core.wasm.build

    run.py, portable.py --numba--> LLVM IR, not optimised --llvmlite--> an object for wasm32 --LLD--> core.wasm

Each entry is exported under its name. It takes its tables as the address of one block of whole numbers of 64 bits: for
each table, in the order of the arguments, its address and its shape. Other arguments follow as they are, whole ones of
32 bits. What numba passes beside that (counts, strides, owners) is worked out on the way in; the widths of tables are
constants there, and no table overlaps another.

Needs numba, and LLD: wasm-ld of the system (apt install lld) or the one inside the package ziglang.
"""

from __future__ import annotations

import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import Any

os.environ["NUMBA_OPT"] = "0"  # before numba is imported: what it has optimised is for this machine's processor

import llvmlite.binding as llvm
import numba
import numpy as np

from tower_sim import portable
from tower_sim.physics.core import arrays, run
from tower_sim.physics.core.compiled import OPTIONS
from tower_sim.physics.core.wasm.file import CORE, digest, section

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
    """A function to export, with examples of its arguments (a world, a table, a number); `gives` is what it returns."""

    function: Callable[..., Any]
    takes: tuple[Any, ...]
    gives: type | None


def entries() -> dict[str, Entry]:
    """Return what is exported, by name."""
    world, calm, film = arrays.make(1, 2), np.zeros((1, 6)), np.zeros((1, 1, 7))
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
    tuning = llvm.create_pipeline_tuning_options(speed_level=3)
    tuning.loop_vectorization = tuning.slp_vectorization = False
    builder = llvm.create_pass_builder(machine, tuning)
    for _ in range(2):
        builder.getModulePassManager().run(whole, builder)
    if missing := [f.name for f in whole.functions if f.is_declaration and not f.name.startswith("llvm.")]:
        raise RuntimeError(f"the core calls what WebAssembly has not: {', '.join(missing)}")
    return _linked(machine.emit_object(whole)) + section(_made())


def _made() -> dict[str, str]:
    return {"source": digest(), "numba": numba.__version__, "llvm": ".".join(map(str, llvm.llvm_version_info))}


def _lowered(name: str, entry: Entry) -> llvm.ModuleRef:
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
    signature = tuple(map(numba.typeof, entry.takes))
    dispatcher.compile(signature)
    (compiled,) = dispatcher.overloads.values()
    return compiled.library.get_llvm_str(), compiled.fndesc.llvm_func_name


def _way_in(name: str, inner: str, entry: Entry) -> str:
    """Return the function that is exported: it reads the block of tables and calls numba's."""
    code: list[str] = []
    given: list[str] = []
    passed, at = ["ptr %result", "ptr %exception"], 0
    for number, value in enumerate(entry.takes):
        if isinstance(value, (int, float)):
            kind = "double" if isinstance(value, float) else "i32"
            given.append(f"{kind} %n{number}")
            if kind == "i32":
                code.append(f"%w{number} = sext i32 %n{number} to i64")
            passed.append(f"double %n{number}" if kind == "double" else f"i64 %w{number}")
            continue
        for table in value if isinstance(value, tuple) else (value,):
            words: list[str] = []
            for _ in range(1 + table.ndim):
                code += [
                    f"%p{at} = getelementptr i64, ptr %tables, i32 {at}",
                    f"%v{at} = load i64, ptr %p{at}",
                ]
                words.append(f"%v{at}")
                at += 1
            code.append(f"%t{at} = inttoptr i64 {words[0]} to ptr")
            rows, *widths = words[1], *map(str, table.shape[1:])
            width = math.prod(table.shape[1:])
            code.append(f"%c{at} = mul i64 {rows}, {width}")
            strides = [math.prod(table.shape[k + 1 :]) * _ITEM for k in range(table.ndim)]
            passed += ["ptr null", "ptr null", f"i64 %c{at}", f"i64 {_ITEM}", f"ptr noalias %t{at}"]
            passed += [f"i64 {each}" for each in (rows, *widths, *strides)]
    if at:
        given.insert(0, "ptr %tables")
    kind = {int: "i64", float: "double", None: "ptr"}[entry.gives]
    told = {int: "i32", float: "double", None: "void"}[entry.gives]
    end = {
        int: ["%long = load i64, ptr %result", "%short = trunc i64 %long to i32", "ret i32 %short"],
        float: ["%value = load double, ptr %result", "ret double %value"],
        None: ["ret void"],
    }[entry.gives]
    called = f"call i32 @{inner}({', '.join(passed)})"
    body = [f"%result = alloca {kind}", "%exception = alloca ptr", *code, called, *end]
    return "\n".join([f"\ndefine {told} @{name}({', '.join(given)}) {{", *body, "}", ""])


def _linked(thing: bytes) -> bytes:
    """Return what LLD makes of an object: all that is exported, a memory, a place where free memory begins."""
    linker = shutil.which("wasm-ld")
    command = [linker] if linker else [sys.executable, "-m", "ziglang", "wasm-ld"]
    with tempfile.TemporaryDirectory() as folder:
        made, output = Path(folder) / "core.o", Path(folder) / "core.wasm"
        made.write_bytes(thing)
        exports = [f"--export={name}" for name in (*entries(), "__heap_base")]
        options = ["--no-entry", "--gc-sections", "--strip-all", "-O2", "-z", f"stack-size={_STACK}"]
        subprocess.run([*command, *options, *exports, str(made), "-o", str(output)], check=True)
        return output.read_bytes()


def main() -> None:
    """Write core.wasm."""
    module = build()
    CORE.write_bytes(module)
    print(f"{CORE}: {len(module)} bytes")


if __name__ == "__main__":
    main()
