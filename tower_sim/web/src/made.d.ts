// Modules that Python writes when the pages are built: see tests/measure/web.py.
declare module "made/*";
declare module "physics";
