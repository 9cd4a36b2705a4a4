// Modules that Python writes when the pages are built: see build.py.
declare module "made/*";
declare module "physics";
