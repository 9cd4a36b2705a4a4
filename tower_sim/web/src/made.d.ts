// Modules that Python writes when the pages are built: see calibration/validation/web.py; and one of the surrogate's.
declare module "made/*";
declare module "*/surrogate/seeds.js" { export function seedOf(seed: unknown): bigint | null; export function spawnedWords(seed: number | bigint | string, key: readonly number[], count: number): number[] }
