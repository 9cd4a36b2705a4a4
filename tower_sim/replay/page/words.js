// What the page says in words: the plain sentence, events, what a step is called.

const KEYS = [
  ["Space", "play or pause"],
  ["← →", "a quarter of a second back or on"],
  [", .", "a frame back or on"],
  ["P N", "previous or next event"],
  ["[ ]", "previous or next drop"],
  ["Home End", "to the beginning or the end"],
  ["< >", "slower or faster"],
  ["A D W S", "turn the picture (also the arrows, when the picture has the focus; with shift they move it)"],
  ["+ − 0", "zoom in, zoom out, look as at first"],
  ["C", "cut it open: from the side, from the front, from above, no more"],
  ["T", "light or dark"],
  ["?", "this help"],
];

/** "7 blue cubes", "4 blue and 2 red cubes"; one colour after the other as the header has them. */
function cubeWords(record, cubes) {
  const counts = record.header.colours.map(() => 0);
  for (const cube of cubes) counts[record.colourOf.get(cube)] += 1;
  const words = counts.flatMap((count, i) => (count ? [`${count} ${record.header.colours[i].name}`] : []));
  if (words.length > 4) return counted(cubes.length, "cube");
  return words.length ? `${listed(words)} ${cubes.length === 1 ? "cube" : "cubes"}` : "no cube";
}

/** What a take does, as a phrase. */
function takeWords(record, take) {
  if (take.kind === "none") return "nothing moves";
  if (take.kind === "knock") return `a knock of ${take.strength} g on the table`;
  if (take.kind === "place") return `${cubeWords(record, take.thrown)} put on the board`;
  return `${cubeWords(record, take.thrown)} thrown`;
}

/** The plain sentence of a moment: which drop, what is thrown, how many are out and inside. */
function sentenceAt(record, moment) {
  const { take } = moment;
  const { steps } = record.header;
  const rows = countsAt(record, moment);
  const word = record.isBoard ? "Step" : "Drop";
  const which = steps.length > 1 ? `${word} ${take.stepIndex + 1} of ${steps.length}: ` : "";
  const out = record.isBoard ? "on the board" : "out";
  const inside = record.isBoard ? "in the ship" : "inside";
  const where = `${summed(rows, "out")} ${out}, ${summed(rows, "inside")} ${inside}`;
  const said = `${which}${takeWords(record, take)}, ${where}.`;
  return said[0].toUpperCase() + said.slice(1);
}

/** What became of a step in the end, in short: thrown, out, inside. */
function stepWords(record, index) {
  const takes = record.takes.filter((take) => take.stepIndex === index);
  const last = takes[takes.length - 1];
  const rows = countsAt(record, momentAt(record, last.end));
  const failed = takes.reduce((sum, take) => sum + (take.redrawn || []).length, 0);
  const again = failed ? ` (after ${counted(failed, "try", "tries")} that did not come to rest)` : "";
  const phrase = listed(takes.map((take) => takeWords(record, take))) + again;
  return record.isBoard ? phrase : `${phrase}, ${summed(rows, "out")} out, ${summed(rows, "inside")} inside`;
}

/** An event as a sentence. */
function eventWords(record, event) {
  const paint = record.header.colours[record.colourOf.get(event.cube)];
  const which = paint ? `A ${paint.name} cube` : "";
  const words = {
    thrown: `${which} leaves the hand.`,
    out: `${which} comes out.`,
    rest: `${which} comes to rest${placeWords(record, event.place)}.`,
    woken: `${which} that lay inside is moved.`,
    knocked: "A knock on the table.",
  };
  if (record.isBoard) words.woken = `${which} that lay is moved.`;
  return words[event.word] || `${which} ${event.word}.`;
}

/** " in the zone coins", " on the ramp": a place's own word with what joins it to a sentence. */
function placeWords(record, place) {
  if (!place) return "";
  const [kind, name] = place.includes(":") ? place.split(/:(.*)/s) : [place, ""];
  const plain = name.replaceAll("_", " ");
  if (kind === "zone") {
    return ` in the zone ${plain}`;
  }
  if (kind === "inside") return ` inside: ${plain}`;
  return kind === "tray" ? " in the tray" : ` on the ${kind}`;
}

/** A time in words of a clock: minutes, seconds and tenths. */
function clockWords(seconds) {
  const tenths = Math.round(seconds * 10);
  const minutes = Math.floor(tenths / 600);
  const rest = ((tenths % 600) / 10).toFixed(1);
  return minutes ? `${minutes}:${rest.padStart(4, "0")}` : `${rest} s`;
}
