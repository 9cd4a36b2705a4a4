// Builds one script for each view and each worker, or a single module: node build.mjs MODULES MADE OUT [FILE], see calibration/validation/web.py.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const [modules, made, out, file] = process.argv.slice(2);
const { build } = createRequire(join(modules, "esbuild"))("esbuild");
const src = join(import.meta.dirname, "src");
const workers = ["live/worker.ts"];
const views = ["live/main.tsx", "lab/main.tsx", "replay/main.tsx", "record/main.tsx"];
const styles = ["common/common.css", "live/live.css", "lab/lab.css", "replay/replay.css", "record/record.css"];
const built = (files, entryNames, more) => build({
  entryPoints: files.map((name) => resolve(src, name)), outdir: out, outbase: src, entryNames, bundle: true, charset: "utf8", logLevel: "warning", ...more,
});
const licence = readFileSync(join(modules, "preact/LICENSE"), "utf8"); // goes with every copy
const banner = { js: `/*! With preact (preactjs.com):\n\n${licence.trim()}\n*/` };
const script = {
  minify: true, target: "es2022", legalComments: "inline", jsx: "automatic", jsxImportSource: "preact", nodePaths: [modules], external: ["node:*"],
  alias: { made, physics: join(src, "physics") },
};
if (file) await built([file], "[name]", { ...script, format: "esm", outbase: undefined });
else {
  await built(workers, "[dir]-[name]", { ...script, format: "iife" });
  await built(views, "[dir]-[name]", { ...script, banner, format: "iife" });
  await built(["physics/index.ts", "physics/pcg64.ts"], "[dir]-[name]", { ...script, format: "esm" });
  await built(["element/element.ts"], "[name]", { ...script, banner, format: "esm" });
  await built(["offline.js"], "[name]", { minify: true });
  await built(styles, "[name]", { minify: true });
}
