"""The core as WebAssembly: core.wasm is made from the functions of this package's parent, and gives the same bytes.

build.py makes it (for developers), file.py says what it was made from, machine.py runs it where numba is not installed.
"""
