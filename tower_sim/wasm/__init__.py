"""Functions that ship compiled, as WebAssembly, and give the same bytes as numba's and plain Python's.

build.py makes a file of them (for developers), file.py says what it was made from, memory.py runs it by wasmtime.
"""
