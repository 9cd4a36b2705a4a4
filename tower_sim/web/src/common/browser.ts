// What a page asks of its browser: elements, data in the file, frames, the theme, what is kept, files that are saved.

import { bytesOfWord } from "./bytes";

export function find<Kind extends HTMLElement = HTMLElement>(id: string): Kind {
  return document.getElementById(id) as Kind;
}

export function canvasOf(width: number, height: number): [HTMLCanvasElement, CanvasRenderingContext2D] {
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  return [canvas, canvas.getContext("2d")!];
}

/** The address by which others reach this page; empty of a page of this computer alone, whose address would tell its folders. */
export function address(): string {
  const { protocol, hostname, href } = location;
  return /^https?:$/.test(protocol) && !/^(localhost|127\.|\[::1\])/.test(hostname) ? href.split("#")[0] : "";
}

/** The views of the page, its first one first. */
export const viewsOf = () => [...document.querySelectorAll<HTMLElement>("style[data-view]")].map((style) => style.dataset.view!);

/** Whether the page shows this view: its only one, or that of the address, #NAME or #NAME=..., or else its first. */
export function shows(view: string): boolean {
  const views = viewsOf();
  const chosen = () => views.find((name) => location.hash === `#${name}` || location.hash.startsWith(`#${name}=`)) ?? views[0];
  if (!views.length) return true;
  if (chosen() !== view) return false;
  for (const style of document.querySelectorAll<HTMLStyleElement>("style[data-view]")) style.disabled = style.dataset.view !== view;
  addEventListener("hashchange", (event) => {
    if (chosen() === view) return;
    event.stopImmediatePropagation();
    location.reload();
  });
  return true;
}

export function dataOf(id: string): any {
  return JSON.parse(find(id).textContent!);
}

/** The bytes that the page has under this id, unpacked. */
export function bytesOf(id: string): Promise<ArrayBuffer> {
  return unpacked(find(id).textContent!);
}

/** The bytes that Python packed as a text. */
export async function unpacked(text: string): Promise<ArrayBuffer> {
  const stream = new Blob([bytesOfWord(text)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

/** The document that the page has packed under this id. */
export async function packedOf(id: string): Promise<any> {
  return JSON.parse(new TextDecoder().decode(await bytesOf(id)));
}

/** What makes workers of the script that the page has under `worker`. */
export async function workerMaker(): Promise<() => Worker> {
  const url = URL.createObjectURL(new Blob([await bytesOf("worker")], { type: "text/javascript" }));
  return () => new Worker(url);
}

export function runsPhysics(): boolean {
  return typeof WebAssembly !== "undefined" && typeof Worker !== "undefined" && typeof DecompressionStream !== "undefined";
}

/** A function that asks for `draw(milliseconds)` in the next frame, once however often it is asked. */
export function onceAFrame(draw: (now: number) => void): () => void {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame((now) => {
      asked = false;
      draw(now);
    });
  };
}

export function wantsStillness(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

export function isDark(): boolean {
  const chosen = document.documentElement.style.colorScheme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

/** Take the theme that was chosen before; `changed` is called when the system's own changes. */
export function startTheme(changed: () => void): void {
  document.documentElement.style.colorScheme = recall("theme") || "";
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
}

export function changeTheme(): void {
  const chosen = isDark() ? "light" : "dark";
  document.documentElement.style.colorScheme = chosen;
  remember("theme", chosen);
}

/** What a colour of common.css, such as "--ink", is now: [red, green, blue] from 0 to 255. */
export function themeColour(name: string): number[] {
  const probe = document.createElement("span");
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const found = getComputedStyle(probe).color.match(/[\d.]+/g)!.slice(0, 3).map(Number);
  probe.remove();
  return found;
}

type Where = "localStorage" | "sessionStorage"; // of the browser, or of this tab: through a reload

/** What this browser keeps for the page under a name; null of nothing, and where it keeps nothing. */
export function recall(name: string, where: Where = "localStorage"): string | null {
  try {
    return window[where].getItem(`tower-sim:${name}`);
  } catch {
    return null;
  }
}

/** Keep something under a name; false where this browser keeps nothing. */
export function remember(name: string, value: string, where: Where = "localStorage"): boolean {
  try {
    window[where].setItem(`tower-sim:${name}`, value);
    return true;
  } catch {
    return false;
  }
}

/** Let the browser save a text as a file. */
export function save(name: string, text: string, type: string): void {
  saveBlob(name, new Blob([text], { type }));
}

export function saveBlob(name: string, blob: Blob): void {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

export function openDialog(id: string): void {
  const dialog = find<HTMLDialogElement>(id);
  dialog.showModal();
  dialog.scrollTop = 0;
}

const DOUBLE = 600; // milliseconds

/** Ignore the second tap of a double tap, as it hits what the first one brought there. A button with `data-repeats` takes all. */
export function ignoreDoubleTaps(): void {
  let last = { time: -DOUBLE, x: 0, y: 0, id: "" };
  const take = (event: MouseEvent) => {
    const button = (event.target as Element).closest<HTMLElement>("button");
    const now = { time: event.timeStamp, x: event.clientX, y: event.clientY, id: button?.id ?? "" };
    const isSame = event.detail ? Math.hypot(now.x - last.x, now.y - last.y) < 24 : now.id === last.id; // 0: by a key
    const isSecond = now.time - last.time < DOUBLE && isSame;
    const repeats = button?.dataset.repeats !== undefined && now.id === last.id;
    last = now;
    if (!button || !isSecond || repeats) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  addEventListener("click", take, true);
}

/** Whether a key that was pressed belongs to a control or a dialog, so that the page should not act on it. */
export function isTakenKey(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return true;
  if (document.querySelector("dialog[open]")) return true;
  const { tagName, type } = event.target as HTMLInputElement;
  return tagName === "SELECT" || tagName === "TEXTAREA" || (tagName === "INPUT" && /text|number|search/.test(type));
}
