// A page from a server as an app on the home screen, which opens without a network, too. A page that is a file stays that file.

import { canvasOf } from "./browser";
import { type Paint, drawFace } from "./faces";

const [SIZE, CUBE] = [512, 150]; // pixels of the icon
const CUBES: [x: number, y: number, Paint][] = [
  [98, 264, { name: "blue", rgb: "#0072b2", ink: "#ffffff", letter: "B", pattern: "plain" }],
  [264, 264, { name: "red", rgb: "#c8322b", ink: "#ffffff", letter: "R", pattern: "stripes" }],
  [181, 98, { name: "yellow", rgb: "#f0d43a", ink: "#1a1a1a", letter: "Y", pattern: "plain" }],
];

function icon(): string {
  const [canvas, context] = canvasOf(SIZE, SIZE);
  context.fillStyle = "#e9e6dd";
  context.fillRect(0, 0, SIZE, SIZE);
  for (const [x, y, paint] of CUBES) drawFace(context, x, y, CUBE, paint);
  return canvas.toDataURL();
}

/** Make the page an app by this name that opens with this view of it. */
export function install(name: string, view = ""): void {
  if (!/^https?:$/.test(location.protocol)) return;
  const page = location.href.split(/[?#]/)[0];
  const src = icon();
  const manifest = {
    id: page, name, short_name: name, start_url: page + view, scope: new URL(".", page).href, display: "standalone",
    background_color: "#f2f0ea", theme_color: "#f2f0ea", icons: [{ src, sizes: `${SIZE}x${SIZE}`, type: "image/png", purpose: "any maskable" }],
  };
  const link = (rel: string, href: string) => document.head.append(Object.assign(document.createElement("link"), { rel, href }));
  link("manifest", `data:application/manifest+json,${encodeURIComponent(JSON.stringify(manifest))}`);
  link("apple-touch-icon", src);
  navigator.serviceWorker?.register("offline.js").catch(() => {}); // a server that has the page alone
}
