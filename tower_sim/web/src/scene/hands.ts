// Mouse, fingers and keys.

import { clamp } from "./algebra";
import { isTakenKey } from "../common/browser";
import type { Camera } from "./camera";
import type { Key } from "./show";

const CLICK = 6; // pixels: who moves less has clicked

/**
 * Let a canvas turn, zoom and move a camera; `changed` is called when it did, `clicked` with the place (pixels from the
 * left upper corner) that was clicked or touched.
 */
export function handleCanvas(canvas: HTMLCanvasElement, camera: Camera, changed: () => void, clicked: (x: number, y: number) => void = () => {}): void {
  const fingers = new Map<number, number[]>();
  let from: number[] | null = null; // where a click began, until it is none
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
    from = fingers.size === 1 && event.button === 0 ? [event.clientX, event.clientY] : null;
  });
  const lift = (event: PointerEvent) => fingers.delete(event.pointerId);
  canvas.addEventListener("pointerup", (event) => {
    lift(event);
    if (from) clicked(event.offsetX, event.offsetY);
    from = null;
  });
  canvas.addEventListener("pointercancel", lift);
  canvas.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    const now = [event.clientX, event.clientY];
    const other = [...fingers].find(([id]) => id !== event.pointerId);
    fingers.set(event.pointerId, now);
    if (from && Math.hypot(now[0] - from[0], now[1] - from[1]) < CLICK) return;
    from = null;
    if (other) pinch(camera, before, now, other[1]);
    else if (event.buttons & 2 || event.shiftKey) camera.pan(now[0] - before[0], now[1] - before[1]);
    else camera.orbit((before[0] - now[0]) / 700, (now[1] - before[1]) / 900);
    changed();
  });
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      camera.near(Math.exp(-clamp(event.deltaY * (event.deltaMode ? 20 : 1), -120, 120) / 500));
      changed();
    },
    { passive: false },
  );
  canvas.addEventListener("keydown", (event) => {
    const way = ({ ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] } as Record<string, number[]>)[event.key];
    if (!way || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (event.shiftKey) camera.pan(-24 * way[0], 24 * way[1]);
    else camera.orbit(way[0] / 48, way[1] / 60);
    changed();
  });
}

/** One of two fingers moved: their distance zooms, their middle moves. */
export function pinch(camera: Camera, before: number[], now: number[], other: number[]): void {
  const apart = (a: number[]) => Math.hypot(a[0] - other[0], a[1] - other[1]);
  camera.near(apart(now) / Math.max(1, apart(before)));
  camera.pan((now[0] - before[0]) / 2, (now[1] - before[1]) / 2);
}

/**
 * Let keys do what the help says, unless a control that has the focus takes them itself. Enter and Space press a button that has
 * the focus. Of a button that a pointer pressed last, Enter stays the page's key: click a colour, then press Enter.
 */
export function handleKeys(keys: Key[]): void {
  const actions = Object.assign({}, ...keys.map(({ does }) => does)) as Key["does"];
  let pointed: EventTarget | null = null;
  document.addEventListener("pointerdown", ({ target }) => {
    pointed = target;
  }, true);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Tab") pointed = null;
    if (isTakenKey(event)) return;
    const target = event.target as HTMLInputElement;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const button = target.closest("button, summary, a[href]");
    if (button && (key === " " || (key === "Enter" && !button.contains(pointed as Node)))) return;
    if (target.type === "range" && /^(Arrow|Home|End|Page)/.test(key)) return;
    const action = actions[event.shiftKey ? event.key : key] || actions[key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}
