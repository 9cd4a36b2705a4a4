// One cube that is marked: found where somebody clicks, named, its way through the steps; and pictures to keep.

import { canvasOf, find, saveBlob, themeColour } from "../common/browser";
import { capital } from "../common/text";
import type { Camera } from "../scene/camera";
import type { Drawn } from "../scene/renderer";
import type { Replay } from "./show";
import { INSIDE, type Recorded } from "./record";
import { placeWords, sentenceAt } from "./words";

/** The number of the nearest cube at a pixel, or null; a cube is a little larger than it is drawn, for fingers. */
export function hitBy(drawn: Drawn[], camera: Camera, x: number, y: number, edge: number): number | null {
  const seen = drawn.map(({ cube, pose, size }) => ({ cube, size, at: camera.placeOf(pose) }));
  const hit = seen.filter(({ size, at: [left, top, metre] }) => Math.hypot(left - x, top - y) < 0.75 * edge * size * metre);
  return hit.sort((a, b) => b.at[2] - a.at[2])[0]?.cube ?? null;
}

export function cubeName(record: Recorded, cube: number): string {
  const { name } = record.header.colours[record.colourOf.get(cube)!];
  return `${capital(name)} cube ${cube}`;
}

/** The way of a cube through the steps: a list of {title, words, time}; steps in which it lies still are one. */
export function wayOf(record: Recorded, cube: number): { title: string; words: string; time: number }[] {
  const found: { title: string; to: string; still: boolean; time: number; words: string }[] = [];
  for (const take of record.takes) {
    const isThrown = take.thrownSet.has(cube);
    if (!isThrown && !take.startOf.has(cube)) continue;
    const { title } = record.header.steps[take.stepIndex];
    const words = take.events.filter((event) => event[2] === cube).map((event) => event[1]);
    const { place } = take.restOf.get(cube) || { place: "" };
    const lies = place.startsWith(INSIDE) ? `stays${placeWords(place)}` : `comes out${record.isBoard ? placeWords(place) : ""}`;
    const still = !isThrown && !words.some((word) => word === "woken" || word === "out");
    const last = found[found.length - 1];
    if (still && last && last.still) last.to = title;
    else {
      const began = isThrown ? "thrown in" : words.includes("knocked") || take.kind === "knock" ? "knocked" : "moved";
      found.push({ title, to: title, still, time: take.begin, words: still ? `lies still${placeWords(place)}` : `${began}, ${lies}` });
    }
  }
  return found.map(({ title, to, words, time }) => ({ title: to === title ? title : `${title} to ${to}`, words, time }));
}

/** Save the picture as it is now, with what it shows in words, as a file. */
export function savePicture(show: Replay): void {
  const image = new Image();
  image.onload = () => {
    const strip = Math.round(image.height / 14);
    const [canvas, context] = canvasOf(image.width, image.height + strip);
    const colour = (name: string) => `rgb(${themeColour(name).join(" ")})`;
    context.fillStyle = colour("--panel");
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(image, 0, 0);
    context.fillStyle = colour("--ink");
    context.font = `${Math.round(strip * 0.45)}px system-ui, sans-serif`;
    context.textBaseline = "middle";
    const words = `${show.record.header.title}. ${sentenceAt(show.record, show.player.moment)}`;
    context.fillText(words, strip / 3, image.height + strip / 2, canvas.width - (2 * strip) / 3);
    const name = show.record.header.title.replace(/[^\p{L}\p{N}]+/gu, "_").slice(0, 60) || "picture";
    canvas.toBlob((blob) => saveBlob(`${name}_${show.player.time.toFixed(2)}s.png`, blob!));
  };
  image.src = show.picture();
}

/** What is drawn in three dimensions is lost on paper: put a picture in its place, in light colours. */
export function handlePaper(show: Replay): void {
  const root = document.documentElement;
  const lines = find<HTMLDetailsElement>("lines-panel");
  let before: { scheme: string; open: boolean } | null = null;
  addEventListener("beforeprint", () => {
    if (before) return;
    before = { scheme: root.style.colorScheme, open: lines.open };
    root.style.colorScheme = "light";
    lines.open = true;
    show.themeChanged();
    if (show.stage.renderer) find<HTMLImageElement>("paper").src = show.picture();
  });
  addEventListener("afterprint", () => {
    if (!before) return;
    root.style.colorScheme = before.scheme;
    lines.open = before.open;
    before = null;
    find("paper").removeAttribute("src");
    show.themeChanged();
  });
}
