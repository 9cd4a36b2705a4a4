// What stands around the picture: controls, counts, the game, the past. It is rendered anew whenever something changed.

import { viewsOf } from "../common/browser";
import { Chip } from "../common/faces";
import { Facts, Field, Icon, Select, ShareDialog, Table, openShare } from "../common/parts";
import { capital, plainName, plural, sumOf } from "../common/text";
import { CountsTable, Frame, placesOf } from "../scene/picture";
import type { Field as Choice } from "./course";
import { readLink } from "./link";
import type { Live } from "./live";
import { startShaking } from "./shake";
import type { Past, Apparatus } from "./state";
import { eventSentence } from "./words";

const STRENGTHS = [["0.5", "lightly"], ["1", "firmly"], ["2", "hard"], ["4", "very hard"]]; // g

export function View({ live }: { live: Live }) {
  const { apparatus } = live;
  if (!apparatus) return <p id="trouble" class="trouble" role="alert">{live.trouble}</p>;
  const there = live.tower.counts();
  const held = new Map(live.hand.counts());
  const where = placesOf(live.tower.isBoard);
  const inside = sumOf([...there.values()].map((each) => each.inside));
  const out = sumOf([...there.values()].map((each) => each.out));
  const bar = (
    <>
      <Field label="Tower">
        <Select id="profile" aria-label="Tower" value={apparatus.name} options={live.data.towers.map(({ name }) => [name, capital(plainName(name))])} changed={(name) => live.run(() => live.open(live.findApparatus(name)))} />
      </Field>
      <button type="button" id="share" onClick={() => share(live)}>Link</button>
    </>
  );
  const picture = (
    <>
      <p class="result" id="result" aria-hidden="true">{inside + out ? `${out} ${where.out}, ${inside} ${where.inside}` : ""}</p>
      <p class="trouble" id="no-picture" role="alert">{live.noPicture}</p>
    </>
  );
  const side = (
    <>
      <Counts live={live} held={held} there={there} />
      {live.along.here && <Game live={live} />}
      {apparatus.long_run && <LongRun apparatus={apparatus} events={live.tower.state?.events ?? []} />}
      <section class="panel">
        <h2 id="past-head">Last throws</h2>
        <ol class="list" id="past" aria-labelledby="past-head"><LastThrows live={live} /></ol>
      </section>
      <Senses live={live} />
      <section class="panel">
        <h2>About this page</h2>
        <p>This page computes every cube and every wall with rigid-body physics. It gets the same results as the program in Python, to the last bit. It sends nothing to anyone.</p>
        <details>
          <summary>Details</summary>
          <Facts facts={[["Tower", `${apparatus.title}, ${apparatus.name}`], ["Edge of a cube", `${(1000 * apparatus.edge).toFixed(2)} mm`], ["Seed of the last throw", live.lastSeed], ["Settings", apparatus.profile.digest], ["Program", live.data.program]]} />
        </details>
      </section>
    </>
  );
  return (
    <>
      <Frame
        show={live} title="Cube tower" name={apparatus.name} label="The tower with its cubes. Arrow keys turn it, plus and minus zoom; I, J, K and L move the hand."
        lead={<p class="lead hidden" id="sentence" aria-live="polite">{`${live.hand.held.length} in your hand, ${inside} ${where.inside}, ${out} ${where.out}.`}</p>}
        bar={bar} picture={picture} deck={<Deck live={live} held={held} />} side={side}
        looks={<Icon id="cut" label="Cut the tower open, another way each time" title="Cut the tower open (C)" shape="M3 3h6v14H3zM11 3h2v2h-2zm4 0h2v2h-2zm0 4h2v2h-2zm0 4h2v2h-2zm0 4h2v2h-2zm-4 0h2v2h-2z" press={() => live.cutOpen()} />}
        help={<>Take cubes, then press <strong>Throw</strong>: the tower's own hand pours them. Or drag the cubes over the funnel yourself and let go. <strong>Pour</strong> lets them fall one by one. Drag next to them to turn the picture. Scroll or pinch to zoom.</>}
      />
      <Share live={live} />
    </>
  );
}

function Deck({ live, held }: { live: Live; held: Map<string, number> }) {
  const { course, due, trouble } = live.along.now ?? {};
  const next = trouble || (due ? course!.next(due) : course ? "The game is over." : "");
  return (
    <div class="deck">
      <p id="along-next" role="status">{next}</p>
      <div class="palette" id="palette" role="group" aria-label="Take cubes into the hand" hidden={live.along.isOn}>
        {live.offered.map((colour, i) => <Colour key={colour} live={live} colour={colour} i={i} number={held.get(colour) ?? 0} />)}
      </div>
      <div class="bar">
        <button type="button" class="main" id="throw" title="Throw the cubes in your hand (Enter)" onClick={() => live.throwIt()}>Throw</button>
        <button type="button" id="let-go" title="Let all go where your hand is (G)" onClick={() => live.letGo()}>Let go</button>
        <button type="button" id="pour" title="Pour them one by one from your hand (P)" onClick={() => (live.pouring ? (live.pouring = false) : live.pour())}>Pour</button>
        <button type="button" id="knock" title="Knock on the table (N)" onClick={() => live.knock()}>Knock</button>
        <Field label="Strength of the knock">
          <Select id="strength" aria-label="Strength of the knock" value={live.strength} options={STRENGTHS} changed={(strength) => (live.strength = strength)} />
        </Field>
        <button type="button" id="undo" title="Take the last throw back (U)" disabled={!live.tower.canUndo} onClick={() => live.undo()}>Undo</button>
        <button type="button" id="empty-hand" title="Put the cubes in the hand back (Backspace)" onClick={() => live.putBack()}>Put back</button>
      </div>
      <p class="note" id="message" role="status">{live.message}</p>
    </div>
  );
}

function Colour({ live, colour, i, number }: { live: Live; colour: string; i: number; number: number }) {
  return (
    <div class="colour">
      <button type="button" class="take" data-colour={colour} aria-label={`Take a ${colour} cube${number ? `, ${number} in the hand` : ""}`} title={`Take a ${colour} cube (${i + 1})`} onClick={(event) => live.add(colour, event.shiftKey ? -1 : 1)}>
        <Chip paint={live.paintOf(colour)} /><span class="many" aria-hidden="true">{number || ""}</span>
      </button>
      <button type="button" class="less" aria-label={`Put a ${colour} cube back`} title={`Put a ${colour} cube back`} onClick={() => live.add(colour, -1)}>−</button>
      <button type="button" class="seven" aria-label={`×7: take seven ${colour} cubes`} title={`×7: take seven ${colour} cubes`} onClick={() => live.add(colour, 7)}>×7</button>
    </div>
  );
}

function Counts({ live, held, there }: { live: Live; held: Map<string, number>; there: Map<string, { inside: number; out: number }> }) {
  const { isBoard, state } = live.tower;
  const numbers = (colour: string) => [held.get(colour) ?? 0, there.get(colour)?.inside ?? 0, there.get(colour)?.out ?? 0];
  const rows = [...new Set([...live.offered, ...held.keys(), ...there.keys()])].map((colour) => ({ paint: live.paintOf(colour), numbers: numbers(colour) }));
  const clear = () => live.run(() => live.tower.take(state.board.map(([id]) => id)));
  return (
    <section class="panel">
      <CountsTable isBoard={isBoard} rows={rows} />
      <div class="bar">
        {isBoard && <button type="button" id="clear-board" onClick={clear}>Take the cubes off the board</button>}
        <button type="button" id="start-anew" onClick={() => live.run(() => live.tower.empty())}>{isBoard ? "Empty ship and board" : "Empty the tower"}</button>
      </div>
    </section>
  );
}

function Game({ live }: { live: Live }) {
  const { along } = live;
  const game = along.here!;
  const { course, due } = along.now ?? {};
  const lines = course ? course.lines : [];
  const { choices } = along.form;
  const control = ({ name, of, from, to }: Choice) => (of
    ? <Select disabled={along.isOn} value={choices[name]} options={of.map((word) => [word, plainName(word)])} changed={(word) => (choices[name] = word)} />
    : <input type="number" min={from} max={to} step={1} disabled={along.isOn} value={choices[name]} onInput={({ currentTarget }) => (choices[name] = currentTarget.value)} />);
  return (
    <section class="panel" id="game-panel">
      <h2>Play a game</h2>
      {viewsOf().includes("record") && <p class="note"><a id="to-record" href="#record">Record a game night</a> at a real tower: the page compares it with its model.</p>}
      <p class="note">The page follows the rules while you throw. Other games run in Python: <code>tower-sim play</code>.</p>
      <div class="bar"><strong id="along-game">{game.title}</strong><button type="button" id="along-begin" onClick={() => along.toggle()}>{along.isOn ? "Stop the game" : "Play a game"}</button></div>
      <details id="along-rules">
        <summary>{game.fields.length ? "Forces and seed" : "Seed"}</summary>
        <div class="choices">
          {game.fields.map((field) => <label class="choice"><span>{capital(field.says)}</span>{control(field)}</label>)}
          <label class="choice"><span>Seed of the game</span><input type="text" id="along-seed" inputMode="numeric" autocomplete="off" size={14} disabled={along.isOn} value={along.form.seed} onInput={({ currentTarget }) => (along.form.seed = currentTarget.value)} /></label>
        </div>
      </details>
      <div class="bar">{due && !due.knock && <button type="button" id="along-hold" onClick={() => along.take()}>Into the hand (H)</button>}</div>
      <p id="along-sum" class="note">{lines.length ? `${due ? "So far" : "It came to"}: ${course!.sum()}` : ""}</p>
      <ol class="list" id="along-list" aria-label="The game so far, the last first">{[...lines].reverse().map((line) => <li>{line}</li>)}</ol>
    </section>
  );
}

/** What came out so far beside what usually does: the first throw, and later ones of as many cubes as the last. */
function LongRun({ apparatus, events }: { apparatus: Apparatus; events: Past[] }) {
  const run = apparatus.long_run!;
  let inside = 0;
  const throws: { thrown: number; out: number; inside: number }[] = [];
  for (const { kind, thrown, emerged } of events) {
    inside += (kind === "take" ? -1 : 1) * thrown.length - emerged.length;
    if (kind === "drop" || kind === "hand") throws.push({ thrown: thrown.length, out: emerged.length, inside });
  }
  const [first, ...later] = throws;
  const cubes = later.length ? later[later.length - 1].thrown : run.commonest;
  const alike = later.filter(({ thrown }) => thrown === cubes);
  const usual = run.throws[cubes];
  const here = (numbers: number[]) => (numbers.length < 2 ? numbers[0] ?? "–" : `${(sumOf(numbers) / numbers.length).toFixed(1)} (mean of ${numbers.length})`);
  const span = ([low, high]: number[]) => ` (9 in 10: ${low} to ${high})`;
  const rows = [
    [`First throw, of ${run.set_up.thrown} cubes: out`, here(first?.thrown === run.set_up.thrown ? [first.out] : []), run.set_up.out.toFixed(1)],
    [`Later throws, of ${plural(cubes, "cube")}: out`, here(alike.map(({ out }) => out)), usual ? usual.out.toFixed(1) + span(usual.outs) : "–"],
    ["Inside after these", here(alike.map((each) => each.inside)), usual ? usual.inside.toFixed(1) + span(usual.insides) : "–"],
  ];
  return (
    <section class="panel" id="run-panel">
      <h2>Usual results</h2>
      <div class="scroll">
        <Table id="long-run" head={["", "Here so far", "Usual"]} rows={rows} />
      </div>
      <p class="note" id="run-note">{`Usual: throws of as many cubes in ${run.games.toLocaleString("en")} games of ${run.game}, by the fast model of this tower. More cubes may come out than you throw: some were inside. Your own hand, or other numbers inside, give other results.`}</p>
    </section>
  );
}

function LastThrows({ live }: { live: Live }) {
  const events = live.tower.state?.events ?? [];
  if (!events.length) return <li class="soft">Nothing was thrown yet.</li>;
  const last = events.slice(-30).reverse();
  return <>{last.map((event, i) => <li><strong>{`${events.length - i}. `}</strong>{eventSentence(event, live.tower.isBoard)}</li>)}</>;
}

function Senses({ live }: { live: Live }) {
  const { wood } = live;
  const sound = () => {
    wood.turn(!wood.isOn).catch(() => live.complain("This browser makes no sound for the page."));
    live.ask();
  };
  return (
    <section class="panel">
      <h2>Sound and shaking</h2>
      <div class="bar">
        <button type="button" id="sound" aria-pressed={wood.isOn} onClick={sound}>Sound of wood</button>
        <button type="button" id="shake" aria-pressed={live.shaking !== null} onClick={() => startShaking(live)}>Shake to knock</button>
      </div>
      <p class="note">You hear each impact of the physics. Shaking a phone knocks on the table.</p>
    </section>
  );
}

let isBefore = false; // whether a link is of the moment before the last throw

function share(live: Live): void {
  live.run(async () => {
    await live.tower.finish();
    isBefore = Boolean(live.tower.last);
    openShare(live.render);
  });
}

function Share({ live }: { live: Live }) {
  const open = (given: string) => {
    const link = readLink(given);
    if (link) live.run(() => live.follow(link));
    return link !== null;
  };
  const first = () => <p>It holds the tower and all throws so far: your friend sees the same cubes. <code>tower-sim redo</code> repeats them.</p>;
  return (
    <ShareDialog title="Share a link" text={live.tower.state ? live.link(isBefore) : ""} button="Link" label="Open a link, text or state that you were given" open={open} render={live.render} first={first}>
      <p class="field">
        <input type="checkbox" id="share-last" checked={isBefore} disabled={!live.tower.last} onChange={({ currentTarget }) => { isBefore = currentTarget.checked; live.render(); }} />
        <label for="share-last">Show the last throw again when it is opened</label>
      </p>
    </ShareDialog>
  );
}
