// What the page says in words: the plain sentence, events, what a step is called.

import { capital, joinWords, plainName, plural } from "../common/text";
import { countsWords } from "../live/words";
import { placesOf } from "../scene/picture";
import { type Event, type Moment, type Recorded, type Row, type Take, countsAt, lyingAt, momentAt, summed } from "./record";

/** "7 blue cubes", "4 blue and 2 red cubes"; one colour after the other as the header has them. */
export function cubeWords({ header, colourOf }: Recorded, cubes: number[]): string {
  return countsWords(header.colours.map(({ name }, i) => [name, cubes.filter((cube) => colourOf.get(cube) === i).length]));
}

function takeWords(record: Recorded, take: Take): string {
  if (take.kind === "none") return "nothing moves";
  if (take.kind === "knock") return `a knock of ${take.strength} g on the table`;
  if (take.kind === "take") return `${cubeWords(record, take.rest.filter(([, place]) => place === "hand").map(([cube]) => cube))} taken away`;
  if (take.kind === "place") return `${cubeWords(record, take.thrown)} put on the board`;
  return `${cubeWords(record, take.thrown)} thrown`;
}

function countWords(record: Recorded, rows: Row[]): string {
  const { out, inside } = placesOf(record.isBoard);
  const hand = summed(rows, "hand");
  return `${hand ? `${hand} in hand, ` : ""}${summed(rows, "out")} ${out}, ${summed(rows, "inside")} ${inside}`;
}

/** The plain sentence of a moment: which drop, what is thrown, how many are in the hand, out and inside. */
export function sentenceAt(record: Recorded, moment: Moment): string {
  const { take } = moment;
  const { steps } = record.header;
  const which = steps.length > 1 ? `${steps[take.stepIndex].title}: ` : "";
  return capital(`${which}${takeWords(record, take)}, ${countWords(record, countsAt(record, moment))}.`);
}

export function endOf(record: Recorded, index: number): Moment {
  return momentAt(record, Math.max(...record.takesOf(index).map(({ end }) => end)));
}

/** What became of a step in the end, in short: thrown, out, inside. */
export function stepWords(record: Recorded, index: number): string {
  const phrase = joinWords(record.takesOf(index).map((take) => takeWords(record, take)));
  return record.isBoard ? phrase : `${phrase}, ${countWords(record, countsAt(record, endOf(record, index)))}`;
}

/** Whether a step's text is a sentence, and no line of a log. */
export function isSentence(text: string): boolean {
  return /[.!?]$/.test(text) && !/ {2,}/.test(text);
}

/** What a step came to, in words: its own text where that is a sentence, and no line of a log. */
export function endWords(record: Recorded, index: number): string {
  const { colours, apparatus, steps } = record.header;
  const text = steps[index].text.trim();
  if (isSentence(text)) return text;
  const some = (numbers: number[]) => joinWords(numbers.flatMap((number, i) => (number ? [`${number} ${colours[i].name}`] : [])));
  if (record.isBoard) {
    const lying = lyingAt(record, endOf(record, index)).map((cubes) => some(colours.map((_, i) => cubes.filter((cube) => record.colourOf.get(cube) === i).length)));
    const zones = lying.flatMap((words, i) => (words ? [`${plainName(apparatus.zones[i].name)}: ${words}`] : [])).join("; ");
    return zones ? `${capital(zones)}.` : "No cube lies in a zone.";
  }
  const rows = countsAt(record, endOf(record, index));
  const [came, stay] = [summed(rows, "out"), summed(rows, "inside")];
  const first = came ? `${plural(came, "cube")} came out: ${some(rows.map((row) => row.out))}.` : "No cube came out.";
  return `${first} ${stay ? `${stay} ${stay === 1 ? "stays" : "stay"} inside: ${some(rows.map((row) => row.inside))}.` : "None stays inside."}`;
}

export function eventWords(record: Recorded, event: Event): string {
  const paint = event.cube === null ? null : record.header.colours[record.colourOf.get(event.cube)!];
  const which = paint ? `A ${paint.name} cube` : "";
  const words: Record<string, string> = {
    thrown: `${which} leaves the hand.`,
    out: `${which} comes out.`,
    rest: `${which} comes to rest${placeWords(event.place)}.`,
    woken: `${which} that lay ${record.isBoard ? "" : "inside "}is moved.`,
    knocked: "A knock on the table.",
  };
  return words[event.word];
}

/** " in the zone coins", " on the ramp": a place's own word with what joins it to a sentence. */
export function placeWords(place?: string | null): string {
  if (!place) return "";
  const [kind, name] = place.includes(":") ? place.split(/:(.*)/s) : [place, ""];
  const plain = plainName(name);
  if (kind === "zone") return ` in the zone ${plain}`;
  if (kind === "inside") return plain ? ` inside: ${plain}` : " inside";
  return kind === "tray" ? " in the tray" : ` on the ${kind}`;
}

export function clockWords(seconds: number): string {
  const tenths = Math.round(seconds * 10);
  const minutes = Math.floor(tenths / 600);
  const rest = ((tenths % 600) / 10).toFixed(1);
  return minutes ? `${minutes}:${rest.padStart(4, "0")}` : `${rest} s`;
}
