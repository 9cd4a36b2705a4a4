// Builds one script for each view and each worker, or a single module: node build.mjs MODULES MADE OUT [FILE], see build.py.

import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const [modules, made, out, file] = process.argv.slice(2);
const { build } = createRequire(join(modules, "esbuild"))("esbuild");
const src = join(import.meta.dirname, "src");
const scripts = ["live/main.tsx", "live/worker.ts", "lab/main.tsx", "replay/main.tsx", "replay/worker.ts"];
const styles = ["common/common.css", "live/live.css", "lab/lab.css", "replay/replay.css"];
const built = (files, entryNames, more) => build({
  entryPoints: files.map((name) => resolve(src, name)), outdir: out, outbase: src, entryNames, bundle: true, charset: "utf8", logLevel: "warning", ...more,
});
const script = {
  minify: true, target: "es2022", legalComments: "inline", jsx: "automatic", jsxImportSource: "preact", nodePaths: [modules], external: ["node:*"],
  alias: { made, physics: join(src, "../../physics/js/index.js") },
};
if (file) await built([file], "[name]", { ...script, format: "esm", outbase: undefined });
else {
  await built(scripts, "[dir]-[name]", { ...script, format: "iife" });
  await built(["element/element.ts"], "[name]", { ...script, format: "esm" });
  await built(styles, "[name]");
}
