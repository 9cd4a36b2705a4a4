// What stands around the picture: controls, counts, zones, steps, what this is.

import { Component } from "preact";
import { Chip } from "../common/faces";
import { Facts, Field, Icon, Select } from "../common/parts";
import { plainName } from "../common/text";
import { CountsTable, Frame } from "../scene/picture";
import { cubeName, savePicture, wayOf } from "./marked";
import { type Moment, type Recorded, type Where, countsAt, lyingAt } from "./record";
import type { Replay } from "./show";
import { clockWords, cubeWords, endOf, endWords, isSentence, sentenceAt, stepWords } from "./words";

const SPEEDS = [["0.1", "a tenth"], ["0.25", "a quarter"], ["0.5", "half"], ["1", "as it was"], ["2", "twice"], ["4", "4 times"]];
const CUTS = [["none", "nowhere"], ["side", "from the side"], ["front", "from the front"], ["top", "from above"]];
const [PLAY, PAUSE] = ["M5 3l12 7-12 7z", "M5 3h3.5v14H5zM11.5 3H15v14h-3.5z"];

export function View({ show }: { show: Replay }) {
  const { record, player, isReady } = show;
  const caption = isReady ? captionAt(record, player.moment) : "";
  const side = (
    <>
      {isReady && <Counts record={record} moment={player.moment} />}
      {show.marked !== null && <Marked show={show} cube={show.marked} />}
      {isReady && record.header.apparatus.zones.length > 0 && <Zones record={record} moment={player.moment} />}
      {isReady && <Steps show={show} />}
      <Lines record={record} step={isReady ? player.moment.take.stepIndex : 0} />
      <About record={record} />
    </>
  );
  return (
    <>
      <Frame
        show={show} title={record.header.title} name="replay" label="The apparatus with its cubes. Arrow keys turn it, plus and minus zoom, shift with arrows moves it."
        lead={<p class="lead" id="sentence">{isReady ? sentenceAt(record, player.moment) : "The first throw is computed."}</p>}
        bar={null} side={side}
        picture={<><img id="paper" alt="The apparatus with its cubes." /><div id="tag" aria-hidden="true" hidden><span id="tag-name">{show.marked !== null && cubeName(record, show.marked)}</span></div></>}
        looks={<Icon id="save" label="Save the picture" shape="M8.500 2h3v7H15l-5 5.500L5 9h3.500zM3 15.500h14V18H3z" press={() => savePicture(show)} />}
        deck={<><Deck show={show} /><div class="over"><p id="caption" class="caption" hidden={!caption}>{caption}</p></div></>}
        help="Drag to turn, scroll or pinch to zoom, drag with two fingers or with the right button to move. Walls between you and the middle are drawn clear. A cube that is clicked is marked; it can be followed, and its way is listed."
      />
      <p class="hidden" id="spoken" aria-live="polite">{show.message}</p>
    </>
  );
}

/** What a step came to, once its last take is over; its text is not shown before. */
function captionAt(record: Recorded, { take: { stepIndex }, time }: Moment): string {
  return stepIndex < record.known && time >= endOf(record, stepIndex).time ? endWords(record, stepIndex) : "";
}

function Deck({ show }: { show: Replay }) {
  const { player, record, stage } = show;
  const isCut = stage !== undefined && stage.cut !== "none";
  return (
    <div class="deck">
      <div class="line">
        <div class="slide">
          <Marks record={record} />
          <input type="range" id="scrub" min={0} max={record.duration} step={1 / record.rate} value={player.time} aria-label="Time" aria-valuetext={clockWords(player.time)} onInput={({ currentTarget }) => player.stopAt(currentTarget.value)} />
        </div>
        <output id="clock" for="scrub">{`${clockWords(player.time)} of ${clockWords(record.duration)}`}</output>
      </div>
      <div class="bar">
        <div class="bar" role="group" aria-label="Play">
          <Icon id="step-back" label="Previous drop" title="Previous drop ([)" shape="M3 3h2.500v14H3zM17 3v14L6.500 10z" press={() => player.step(-1)} />
          <Icon id="event-back" label="Previous event" title="Previous event (P)" shape="M13.500 4v12L5 10z" press={() => player.event(-1)} />
          <Icon id="play" label={player.playing ? "Pause" : "Play"} title="Play or pause (space)" shape={player.playing ? PAUSE : PLAY} press={() => player.toggle()} main />
          <Icon id="event-on" label="Next event" title="Next event (N)" shape="M6.500 4v12l8.500-6z" press={() => player.event(1)} />
          <Icon id="step-on" label="Next drop" title="Next drop (])" shape="M14.500 3H17v14h-2.500zM3 3v14l10.500-7z" press={() => player.step(1)} />
        </div>
        <Field label="Speed"><Select id="speed" value={String(player.speed)} options={SPEEDS} changed={(speed) => (player.speed = Number(speed))} /></Field>
        <Field label="Cut open"><Select id="cut" value={stage?.cut ?? "none"} options={CUTS} changed={(cut) => show.cutOpen(cut)} /></Field>
        <label class="field" id="depth-field" hidden={!isCut}>at <input type="range" id="depth" min={0} max={100} step={1} value={100 * (stage?.depth ?? 0.5)} aria-label="Where it is cut" onInput={({ currentTarget }) => show.cutOpen(stage.cut, Number(currentTarget.value) / 100)} /></label>
      </div>
      <p class="note" id="message">
        {show.line || <><span class="by-mouse">Drag the picture to turn it. Click a cube to mark it. Space plays and pauses.</span><span class="by-touch">Drag the picture to turn it, pinch to zoom, touch a cube to mark it.</span></>}
      </p>
    </div>
  );
}

const FEW = 10; // steps: of more, single events are not told apart

/** Over the time line every second step is shaded, with its number. It has its events, and those that come out are taller. Of many steps each has a column instead, as tall as cubes came out. */
class Marks extends Component<{ record: Recorded }> {
  known = 0; // s

  shouldComponentUpdate({ record }: { record: Recorded }) {
    return record.duration !== this.known;
  }

  render({ record: { header, beginnings, events, duration } }: { record: Recorded }) {
    this.known = duration;
    const at = (time: number) => `${(100 * time) / (duration || 1)}%`;
    const isFew = beginnings.length <= FEW;
    const outs = beginnings.map((_, i) => events.filter(({ word, take }) => word === "out" && take.stepIndex === i).length);
    const most = Math.max(1, ...outs);
    const every = Math.ceil(beginnings.length / FEW);
    return (
      <svg id="marks" aria-hidden="true">
        {beginnings.map((begin, i) => {
          const wide = Math.max((beginnings[i + 1] ?? duration) - begin, 0); // of one that is not known yet
          const tall = 60 * Math.sqrt(outs[i] / most); // else a set-up would dwarf all others
          return [
            i % 2 > 0 && <rect x={at(begin)} width={at(wide)} height="100%" class="odd" />,
            !isFew && <rect x={at(begin + 0.2 * wide)} y={`${100 - tall}%`} width={at(0.6 * wide)} height={`${tall}%`} class="out" />,
            beginnings.length > 1 && i % every === 0 && <text x={at(begin)} dx={2} y={9}>{(header.steps[i].title.match(/\d+/) || [""])[0]}</text>,
          ];
        })}
        {isFew && events.map(({ word, time }) => <line x1={at(time)} x2={at(time)} y1={word === "out" ? "45%" : "70%"} y2="100%" class={word} />)}
      </svg>
    );
  }
}

function Counts({ record, moment }: { record: Recorded; moment: Moment }) {
  const { colours, steps } = record.header;
  const isPart = steps.length > 1 || steps[0].takes > 1;
  const columns: Where[] = ["hand", "inside", "out", ...(isPart ? ["aside" as const] : [])];
  const rows = countsAt(record, moment).map((row, i) => ({ paint: colours[i], numbers: columns.map((name) => row[name]) }));
  return (
    <section class="panel">
      <CountsTable isBoard={record.isBoard} more={isPart ? ["Aside"] : []} rows={rows} />
      <p class="note">{record.isBoard ? "A cube is in the ship once it is lower than the ship's rim." : "A cube is inside once it is lower than the tower's rim."}</p>
      {isPart && <p class="note">Aside are cubes that have no part in this drop.</p>}
    </section>
  );
}

function Marked({ show, cube }: { show: Replay; cube: number }) {
  const { record, player } = show;
  return (
    <section class="panel" id="cube-panel">
      <h2 id="cube-name"><Chip paint={record.header.colours[record.colourOf.get(cube)!]} />{cubeName(record, cube)}</h2>
      <div class="bar">
        <button type="button" id="follow" aria-pressed={show.follows} onClick={() => show.follow(!show.follows)}>Follow it</button>
        <button type="button" id="unmark" onClick={() => show.mark(null)}>Mark none</button>
      </div>
      <ol class="list" id="cube-way" aria-labelledby="cube-name">
        {wayOf(record, cube).map(({ title, words, time }) => <li><button type="button" onClick={() => player.seek(time)}><strong>{title}</strong><span class="soft">{` ${words}`}</span></button></li>)}
      </ol>
    </section>
  );
}

function Zones({ record, moment }: { record: Recorded; moment: Moment }) {
  const lying = lyingAt(record, moment);
  return (
    <section class="panel" id="zones-panel">
      <h2>Zones</h2>
      <ul id="zones">
        {record.header.apparatus.zones.map(({ name, says }, i) => (
          <li class={lying[i].length ? "lit" : ""}>
            <span>{plainName(name)}{says && says !== plainName(name) && <span class="note">{` ${says}`}</span>}</span>
            <span>{lying[i].length > 0 && <span class="hidden">{cubeWords(record, lying[i])}</span>}{lying[i].map((cube) => <Chip key={cube} paint={record.header.colours[record.colourOf.get(cube)!]} />)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Steps({ show }: { show: Replay }) {
  const { record, player } = show;
  const now = player.moment.take.stepIndex;
  const centred = (item: HTMLElement | null) => {
    if (!item || item.dataset.step === String(now)) return;
    item.dataset.step = String(now);
    const button = item.children[now] as HTMLElement;
    item.scrollTop = button.offsetTop - item.offsetTop - (item.clientHeight - button.offsetHeight) / 2;
  };
  return (
    <section class="panel" id="steps-panel">
      <h2 id="steps-head">{record.isBoard ? "Steps" : "Drops"}</h2>
      <ol class="list" id="steps" aria-labelledby="steps-head" ref={centred}>
        {record.header.steps.map((step, i) => (
          <li>
            <button type="button" disabled={i >= record.known} aria-current={i === now ? "step" : undefined} onClick={() => player.seek(record.beginnings[i])}>
              <strong>{step.title || i + 1}</strong>{i < record.known && <span class="soft">{` ${resultOf(record, i)}`}</span>}
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** What a step came to: it is read often, and never changes once it is known. */
const results: string[] = [];

function resultOf(record: Recorded, i: number): string {
  return (results[i] ??= `${stepWords(record, i)}${record.isBoard ? `. ${endWords(record, i)}` : ""}`);
}

function Lines({ record, step }: { record: Recorded; step: number }) {
  const { heading, steps } = record.header;
  const isLog = steps.some(({ text }) => text && !isSentence(text.trim()));
  return (
    <details class="panel" id="lines-panel" hidden={!heading && !isLog}>
      <summary>The lines of the game, as the terminal has them</summary>
      <pre class="scroll" id="lines" tabIndex={0} role="region" aria-label="The lines of the game">
        {heading && <strong>{`${heading}\n`}</strong>}
        {steps.map(({ text }, i) => <span class={i === step ? "now" : ""}>{`${text}\n`}</span>)}
      </pre>
    </details>
  );
}

function About({ record }: { record: Recorded }) {
  const { about, apparatus, summary } = record.header;
  const parts = summary.split(/\n\s*\n/).filter((part) => part.trim());
  const facts: [string, string | null][] = [
    ["Game", about.game], [apparatus.kind === "board" ? "Ship" : "Tower", about.apparatus], ["Model", about.model], ["Engine", about.engine],
    ["Accuracy", about.accuracy], ["Seed", about.seed], ["Settings", about.settings], ["Made by", about.program],
  ];
  return (
    <section class="panel">
      <h2>What this is</h2>
      <div id="summary">
        {parts.map((part, i) => (/\S {2,}\S/.test(part) // a table lives by its spaces
          ? <pre class="scroll" tabIndex={0} role="region" aria-label={`Figures of what it came to, part ${i + 1}`}>{part.replace(/^\n+|\s+$/g, "")}</pre>
          : <p>{part.trim()}</p>))}
      </div>
      <Facts facts={facts.filter(([, value]) => value)} />
    </section>
  );
}
