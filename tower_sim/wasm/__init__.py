"""Functions that ship compiled to WebAssembly; numba, WebAssembly and plain Python give the same bytes.

build.py compiles them (for developers), file.py reads what a file was built from, memory.py runs them with wasmtime.
"""
