"""Functions compiled to WebAssembly by build.py (for developers), which memory.py runs with wasmtime.

numba, WebAssembly and plain Python give the same bytes.
"""
