// What is seen: the night that begins, a throw that is told, all throws, the night as a whole, the test of the tower.

import type { ComponentChildren } from "preact";
import { address, find, save, viewsOf } from "../common/browser";
import { Chip } from "../common/faces";
import { Field, Select, ShareDialog, Table, Tabs, Theme, openShare } from "../common/parts";
import { capital, checkLength, fill, joinWords, plural, sumOf } from "../common/text";
import { Begin } from "./begin";
import { type Expected, NIGHTS, type Power, canTest, pValue, power } from "./law";
import { type Due, type Head, type Played, type Rules, type Throw, isHappening, isRecount, pack, readDraft, tryDraft, unpack } from "./night";
import { decode, readSheet, writeSheet } from "./sheet";
import { Picture, canShare, known, lucks, savePicture, sharePicture } from "./picture";
import { COUNTS, act, canUndo, csv, data, due, expected, keeping, model, night, paintOf, placeOf, played, rulesOf, runTest, titleOf, undo, usualHead } from "./state";

const TABS = { record: "Record", throws: "Throws", night: "The night", tower: "Our tower" };
type Tab = keyof typeof TABS;

const HAPPENED: Record<string, string> = { knock: "Somebody knocked on the tower", beside: "A cube fell beside it", spilled: "Cubes were spilled", miscount: "We may have miscounted" };

export const ui = {
  tab: "record" as Tab, trouble: "", link: "", isBeginning: false, isChanging: false,
  like: "", power: { of: "", found: null as Power[] | null, isBusy: false },
  show: () => {},
};

function set(part: Partial<typeof ui>): void {
  Object.assign(ui, part);
  ui.show();
}

function tap(...action: Parameters<typeof act>): void {
  try {
    ui.trouble = "";
    act(...action);
  } catch (error) {
    set({ trouble: (error as Error).message });
  }
}

function keepingWords(): string {
  if (!keeping.isKept) return "This browser keeps nothing for the page. Save the night before you close it.";
  return keeping.wasEmptied ? "The browser emptied its store while the page was open. The page wrote the night there again. Save the CSV to be sure: press Share." : "";
}

function begin(head: Head, isInside: boolean): void {
  Object.assign(ui, { isBeginning: false, tab: "record" });
  tap("begin", head);
  if (isInside) tap("recount");
}

function change(head: Head, renamed: Record<string, string>): boolean {
  tap("head", head, renamed);
  if (!ui.trouble) set({ isChanging: false });
  return !ui.trouble;
}

export function View() {
  const isOn = night !== null && !ui.isBeginning && !ui.isChanging;
  return (
    <>
      <header class="head">
        <h1>Game night</h1>
        <div class="bar">
          {viewsOf().length > 0 && <a class="button" href="#">Tower</a>}
          <Theme changed={ui.show} />
          {isOn && <button type="button" id="share" onClick={share}>Share</button>}
        </div>
      </header>
      <p id="trouble" class="trouble" role="alert">{ui.trouble || keepingWords()}</p>
      <main>
        {isOn ? (
          <>
            <Tabs titles={TABS} chosen={ui.tab} choose={(tab) => set({ tab: tab as Tab })} panel="panel" />
            <div id="panel" role="tabpanel" aria-labelledby={`tab-${ui.tab}`}>{{ record: <Record />, throws: <Throws />, night: <Night />, tower: <Tower /> }[ui.tab]}</div>
          </>
        ) : <Begin show={ui.show} begin={begin} before={ui.isChanging ? night!.head : null} change={change} back={night && (() => set({ isBeginning: false, isChanging: false }))} />}
      </main>
      {isOn && <Share />}
    </>
  );
}

// A throw is told

function Record() {
  const { draft, head } = night!;
  const rules = rulesOf(head);
  const now = due();
  const entry = readDraft(night!, rules);
  const { wrong } = tryDraft(night!, rules);
  const there = head.colours.map((_, c) => now.before[c] + entry.thrown[c]);
  const total = sumOf(entry.out);
  const isEdit = draft.at !== null;
  const isIn = draft.side === "in";
  const isNothing = !sumOf(entry.thrown) && ((!total && !entry.marks.length) || (rules !== null && !now.number)); // a game begins with its set-up
  const place = placeOf(now, rules);
  const throws = played();
  if (now.isOver && !isEdit) {
    return (
      <>
        <section class="panel marks">
          <h2 id="due">The game is over</h2>
          <button type="button" class="main" id="see-night" onClick={() => set({ tab: "night" })}>See the night</button>
          <button type="button" id="next-game" onClick={() => tap("game")}>Next game, from the empty tower</button>
          <button type="button" id="undo" disabled={!canUndo()} data-repeats onClick={undo}>Undo</button>
        </section>
        <Last throws={throws} />
      </>
    );
  }
  if (isRecount(entry)) return <Recount due={now} entry={entry} wrong={wrong} rules={rules} />;
  return (
    <>
      <section class="panel due" aria-labelledby="due">
        <div class="bar">
          <h2 id="due">{isEdit ? `${draft.isNew ? "Missing" : "Correct"}: ${place}` : place}</h2>
          <span class="spread" />
          {head.players.length > 0 && <Field label="by"><Select id="who" aria-label="Who throws" value={entry.who} options={[...new Set(["", ...head.players, entry.who])].map((name) => [name, name || "nobody named"])} changed={(who) => tap("who", who)} /></Field>}
        </div>
        {now.skipped.length > 0 && <p class="note">{`Skipped: ${now.skipped.map((phase) => placeOf({ number: 1, phase }, rules)).join("; ")}. All its cubes are inside.`}</p>}
        <div class="bar sides" role="group" aria-label="Which cubes are told">
          <button type="button" id="side-in" aria-pressed={isIn} onClick={() => tap("side", "in")}>{`In: ${wordsOf(entry.thrown, head.colours)}`}</button>
          <button type="button" id="side-out" aria-pressed={!isIn} onClick={() => tap("side", "out")}>{`Out: ${total}`}</button>
        </div>
      </section>
      <div class="rows">
        {head.colours.map((colour, c) => <Row colour={colour} side={draft.side} value={(isIn ? entry.thrown : entry.out)[c]} most={isIn ? (rules ? head.counts[c] - now.before[c] : Infinity) : there[c]} set={(cubes) => tap(draft.side, c, cubes)} />)}
      </div>
      <p id="wrong" class="trouble" role="alert">{wrong.length ? `${capital(joinWords(wrong))}. Count again, correct an earlier throw, or keep it as a miscount.` : ""}</p>
      <div class="deck">
        <button type="button" id="undo" disabled={!canUndo()} data-repeats onClick={undo}>Undo</button>
        {isEdit && <button type="button" id="cancel" onClick={() => tap("cancel")}>Cancel</button>}
        {isIn && !rules && sumOf(entry.thrown) > 0
          ? <button type="button" id="done" class="main" onClick={() => tap("side", "out")}>They are in</button>
          : <button type="button" id="done" class="main" disabled={isNothing} onClick={() => tap("done")}>{wrong.length ? "Keep as a miscount" : `${isEdit ? "Correct it" : "Done"}: ${total} out`}</button>}
      </div>
      {!isEdit && throws.length > 0 && <Last throws={throws} />}
      <section class="panel" aria-labelledby="inside-head">
        <h2 id="inside-head">{`${isEdit ? "Inside before this throw" : "Inside now"}: ${sumOf(now.before)}`}</h2>
        <ul class="inside" id="inside">{head.colours.map((colour, c) => now.before[c] > 0 && <li><Chip paint={paintOf(colour)} />{now.before[c]}<span class="hidden">{` ${colour}`}</span></li>)}</ul>
      </section>
      <details class="panel" id="happened" open={entry.marks.length > 0}>
        <summary>Did something happen?</summary>
        <div class="marks">
          {Object.entries(HAPPENED).map(([mark, words]) => <button type="button" id={`mark-${mark}`} aria-pressed={entry.marks.includes(mark)} onClick={() => tap("mark", mark)}>{words}</button>)}
          {!isEdit && <button type="button" id="empty" disabled={!throws.length || draft.begins} onClick={() => tap("empty")}>We emptied the tower</button>}
          {!isEdit && <button type="button" id="next-game" disabled={!throws.length || draft.begins} onClick={() => tap("game")}>{rules ? "Next game, from the empty tower" : "Begin again from the empty tower"}</button>}
          {!isEdit && <button type="button" id="recount" onClick={() => tap("recount")}>{throws.length && !draft.begins ? "Throws are missing: tell what is inside" : "Cubes are inside already"}</button>}
          {isEdit && !draft.isNew && <button type="button" id="missing" onClick={() => tap("edit", draft.at!, true)}>A throw before this one is missing</button>}
          {isEdit && !draft.isNew && <button type="button" id="remove" onClick={() => tap("remove")}>Remove this throw</button>}
        </div>
        <p class="note">A cube that fell beside is thrown again: count it once. If cubes came out by a knock or a spill alone, set what went in to 0.</p>
      </details>
      {!isEdit && (
        <section class="panel last" aria-label="What the night is of">
          <p>{`${rules?.title ?? "Another game"}, tower ${head.tower}, edge ${head.edge} mm.${head.players.length ? ` Players: ${joinWords(head.players)}.` : ""}`}</p>
          <button type="button" id="change" onClick={() => set({ isChanging: true })}>Change</button>
        </section>
      )}
    </>
  );
}

/** What is inside the tower, of a night that begins with cubes inside or in the middle of a game. */
function Recount({ due, entry, wrong, rules }: { due: Due; entry: Throw; wrong: string[]; rules: Rules | null }) {
  const { draft, head } = night!;
  const inside = entry.thrown.map((cubes, c) => cubes - entry.out[c]);
  const phases = rules ? Array.from({ length: rules.rounds * rules.phases.length }, (_, i) => i + 1) : [];
  return (
    <>
      <section class="panel due" aria-labelledby="due">
        <h2 id="due">What is inside now?</h2>
        {rules && <p class="note">Count the cubes that lie outside: the others are inside.</p>}
        {rules && <Field label="The next throw"><Select id="next" value={String(entry.next)} options={phases.map((phase) => [String(phase), placeOf({ number: 1, phase }, rules)])} changed={(phase) => tap("next", Number(phase))} /></Field>}
      </section>
      <div class="rows">
        {head.colours.map((colour, c) => <Row colour={colour} side="inside" value={inside[c]} most={rules ? due.setup[c] : Infinity} set={(cubes) => tap("in", c, cubes)} />)}
      </div>
      <p id="wrong" class="trouble" role="alert">{wrong.length ? `${capital(joinWords(wrong))}. Count again.` : ""}</p>
      <div class="deck">
        <button type="button" id="undo" disabled={!canUndo()} data-repeats onClick={undo}>Undo</button>
        <button type="button" id="cancel" onClick={() => tap("cancel")}>Cancel</button>
        <button type="button" id="done" class="main" disabled={wrong.length > 0} onClick={() => tap("done")}>{`Done: ${sumOf(inside)} inside`}</button>
      </div>
      {draft.at !== null && <section class="panel marks"><button type="button" id="remove" onClick={() => tap("remove")}>Remove this recount</button></section>}
    </>
  );
}

/** One colour: a tap on a number tells it. From 7 on, each further tap adds one. */
function Row({ colour, side, value, most, set }: { colour: string; side: "in" | "out" | "inside"; value: number; most: number; set: (cubes: number) => void }) {
  const more = value > 7 || most > 7;
  const numbers = [0, 1, 2, 3, 4, 5, 6, 7];
  const isChosen = (n: number) => n === value || (n === 7 && value > 7);
  return (
    <div class="row" role="group" aria-label={`${colour} ${side}`}>
      <Chip paint={paintOf(colour)} />
      {numbers.map((n) => <button type="button" id={`${side}-${colour}-${n}`} class={n > most ? "beyond" : n === 0 ? "zero" : ""} aria-pressed={isChosen(n)} data-repeats={n === 7 && more ? "" : undefined} aria-label={`${Math.max(n, n === 7 ? value : 0)} ${colour} ${side}`} onClick={() => set(n === 7 && value >= 7 && more ? value + 1 : n)}>{n === 7 && more ? `${Math.max(7, value)}+` : n}</button>)}
    </div>
  );
}

function wordsOf(counts: number[], colours: string[]): string {
  const some = counts.flatMap((count, c) => (count ? [`${count} ${colours[c]}`] : []));
  if (some.length === counts.length && new Set(counts).size === 1) return `all ${sumOf(counts)}`;
  return some.length ? joinWords(some) : "none";
}

function Last({ throws }: { throws: Played[] }) {
  const rules = rulesOf(night!.head);
  const last = throws[throws.length - 1];
  const model = expected(throws)[throws.length - 1];
  const out = sumOf(last.out);
  return (
    <section class="panel last" aria-labelledby="last-head">
      <div>
        <h2 id="last-head">{`${titleOf(last, rules)}: ${isRecount(last) ? `${sumOf(last.after)} inside` : `${out} out`}`}</h2>
        {model && <p id="expected">{`The model expected ${model.mean.toFixed(1)}, and ${model.low} to ${model.high} in 9 of 10.`}</p>}
        {!model && <p class="note" id="expected">{isRecount(last) ? "" : last.isOdd ? "The model says nothing of this throw: it is marked." : isHappening(last) ? "" : "The model does not know such a throw."}</p>}
        {rules && last.number > 0 && out > 0 && !isHappening(last) && <p class="soft">{`${last.who ? `${last.who}'s throw: ` : ""}${plural(Math.max(...last.out), "action point")}, ${plural(last.out.filter(Boolean).length, "action")} to choose from.`}</p>}
      </div>
      {model && <Spark expected={model} out={out} />}
    </section>
  );
}

function Spark({ expected: { chances, low, high }, out }: { expected: Expected; out: number }) {
  const from = Math.max(Math.min(low, out) - 2, 0);
  const to = Math.min(Math.max(high, out) + 2, chances.length - 1);
  const most = Math.max(...chances);
  const wide = 116 / (to - from + 1);
  return (
    <svg class="spark" viewBox="0 0 116 58" width={116} height={58} aria-hidden="true">
      {chances.slice(from, to + 1).map((p, i) => <rect x={i * wide} width={wide * 0.86} y={44 - (p / most) * 42} height={Math.max((p / most) * 42, 0.6)} class={from + i === out ? "hit" : ""} />)}
      <text x={(out - from + 0.43) * wide} y={57}>{out}</text>
    </svg>
  );
}

// All throws

function Throws() {
  const { head } = night!;
  const rules = rulesOf(head);
  const throws = played();
  const model = expected(throws);
  const cubes = (each: Played) => (isRecount(each) ? each.after : each.out);
  const edit = (i: number) => {
    ui.tab = "record";
    tap("edit", i, false);
  };
  return (
    <section class="panel" aria-labelledby="throws-head">
      <h2 id="throws-head">Tap a throw to correct it</h2>
      {!throws.length && <p class="soft">Nothing was thrown yet.</p>}
      <ol class="throws" id="throws">
        {throws.map((each, i) => (
          <li class={each.begins && i ? "begins" : ""}>
            <button type="button" onClick={() => edit(i)}>
              <span><strong>{titleOf(each, rules)}</strong>{each.who && <span class="soft">{` ${each.who}`}</span>}</span>
              <span class="counts">{isRecount(each) ? `${sumOf(each.after)} inside` : `${sumOf(each.thrown)} in, ${sumOf(each.out)} out`}{model[i] && <span class="soft">{` (${model[i].mean.toFixed(1)})`}</span>}</span>
              <span class="cubes">{head.colours.map((colour, c) => cubes(each)[c] > 0 && <span><Chip paint={paintOf(colour)} />{cubes(each)[c]}<span class="hidden">{` ${colour} `}</span></span>)}</span>
              {each.marks.length > 0 && !isRecount(each) && <span class={each.wrong.length ? "odd wrong" : "odd"}>{each.wrong.length ? `Kept as a miscount: ${joinWords(each.wrong)}.` : capital(`${joinWords(each.marks)}.`)}</span>}
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}

// The night

function Night() {
  const throws = played();
  const model = expected(throws);
  const own = lucks(known(throws, model), night!.head.players);
  const isFree = !rulesOf(night!.head);
  if (!throws.length) return <section class="panel"><p class="soft">Nothing was thrown yet.</p></section>;
  const fail = () => set({ trouble: "This browser did not take the picture. Save it as SVG." });
  return (
    <>
      <section class="panel">
        <div class="picture"><Picture throws={throws} expected={model} /></div>
        <div class="bar">
          {canShare && <button type="button" class="main" id="picture-share" onClick={() => sharePicture().catch((error) => error.name !== "AbortError" && fail())}>Send the picture</button>}
          <button type="button" class={canShare ? "" : "main"} id="picture-png" onClick={() => savePicture(true).catch(fail)}>Save the picture</button>
          <button type="button" id="picture-svg" onClick={() => savePicture(false)}>As SVG</button>
        </div>
      </section>
      {own.length > 0 && (
        <section class="panel">
          <div class="scroll">
            <Table id="luck" caption="Whose throws gave what" head={["Player", "Out", "Model", ...(isFree ? [] : ["Points", "Actions"])]} rows={own.map((each) => [each.name, each.out, `${each.expected.toFixed(1)} ± ${each.sd.toFixed(1)}`, ...(isFree ? [] : [each.points, each.colours])])} />
          </div>
          <p class="note">Out: cubes that came out. Model: those that the model expected of these throws, ± one standard deviation.{!isFree && " Points and actions are those of all phases together."}</p>
        </section>
      )}
    </>
  );
}

// The test of the tower

function Tower() {
  const { head } = night!;
  const throws = played();
  const like = ui.like || model().name;
  const of = model(like).reference;
  if (!throws.length) return <section class="panel"><p class="soft">Nothing was thrown yet.</p></section>;
  if (!canTest()) return <section class="panel"><p class="soft">This browser does not run WebAssembly, which the test needs. Save the CSV, and test it with <code>tower-sim tower test</code>.</p></section>;
  const found = runTest(throws, like);
  const [says, sure] = verdict(like);
  const numbers = pValue(found.e);
  return (
    <>
      <section class="panel" id="verdict">
        <Field label="Is our tower like the model"><Select id="like" value={like} options={data.towers.map(({ name }) => [name])} changed={(name) => set({ like: name })} /></Field>
        <p class="lead" id="says">{says}</p>
        <p id="sure">{sure}</p>
        <Table id="p-values" head={["What is compared", "Throws", "p"]} rows={[
          ["How many come out", found.setup.drops + found.later.drops, <span id="p-numbers">{significant(numbers)}</span>],
          ["Which colours come out", found.colours.drops, <span id="p-colours">{significant(pValue(found.colours.e))}</span>],
        ]} />
        <p class="note">{`If your tower were as the model, p would fall to 0.05 or below in at most 1 of 20 such records, however often you look. So you may go on and look again.${found.skipped.length ? ` Left out: ${plural(found.skipped.length, "throw")} (${[...new Set(found.skipped)].join("; ")}).` : ""}`}</p>
        {!data.towers.some(({ name }) => name === head.tower) && <p class="note">Your own tower has no model here. It is compared with that of another.</p>}
      </section>
      <section class="panel">
        <h2>How many nights does it take?</h2>
        <p class="note">The page plays nights of towers that differ from the model, and tests each.</p>
        {ui.power.found && ui.power.of === like ? <Nights found={ui.power.found} /> : <button type="button" id="power" class="main" disabled={ui.power.isBusy} onClick={() => reckon(like)}>{ui.power.isBusy ? "It plays ..." : "Play them"}</button>}
      </section>
      <p class="note foot">{`The model: ${of.setups[sumOf(COUNTS)]?.length ?? 0} laws drawn for ${plural(of.games, "game")} of ${like}, played by ${of.model === "physics" ? "physics" : "its fast model"}. The same test: `}<code id="same-test">{`tower-sim tower test ${fileName()} --tower ${like} --model ${of.model} --games ${of.games} --seed ${of.seed} --published`}</code></p>
    </>
  );
}

/** Two sentences: what the throws say of the tower, and how sure that is; chosen and filled as `tower-sim tower test` does. */
export function verdict(name: string): [string, string] {
  const { hint, strong, very } = data.constants;
  const found = runTest(played(), name);
  const { colours, setup, later, skipped } = found;
  const count = plural(played().length, "throw");
  const common = { noun: "throw", like: `the model ${name}`, count };
  const say = (key: string, more: Record<string, string | number> = {}) => fill(data.says[key], { ...common, ...more });
  if (!setup.drops && !later.drops && !colours.drops) return [say("nothing"), say("nothing, how sure", { why: [...new Set(skipped)].join("; ") })];
  const [numbers, kinds] = [Math.max(...found.e), Math.max(...colours.e)];
  const most = Math.max(numbers, kinds);
  const counts = (level: number) => level >= hint && (level >= strong) === (most >= strong);
  const unlike: string[] = [];
  if (counts(numbers)) {
    const [which, part] = Math.max(...setup.e) > Math.max(...later.e) ? ["first", setup] : ["later", later];
    const [direction] = Object.entries(part.evidence).reduce((best, each) => (each[1] > best[1] ? each : best));
    unlike.push(say("numbers", { direction, which, out: part.out.toFixed(1), predicted: part.predicted.toFixed(1) }));
  }
  if (counts(kinds)) {
    const { colour: c, more } = colours.most;
    unlike.push(say("colours", { colour: night!.head.colours[c], direction: data.constants.readily[Number(more)], out: colours.out[c], expected: colours.expected[c].toFixed(1) }));
  }
  if (unlike.length) {
    const key = most >= strong ? "unlike" : "hint";
    return [say(key, { unlike: unlike.join(" and ") }), say(`${key}, how sure`, { sure: most >= very ? "very" : "quite", towers: Math.floor(Math.min(most, 1e6)).toLocaleString("en") })];
  }
  const [which, part] = later.drops ? ["later", later] : ["first", setup];
  const [low, high] = part.between.map((end) => `${Math.abs(end).toFixed(1)} ${end < 0 ? "fewer" : "more"}`);
  return [say(played().length === 1 ? "one" : "many"), part.drops ? say("alike, how sure", { low, high, which }) : say("unseen, how sure")];
}

function significant(p: number): string {
  return String(Number(p.toPrecision(3)));
}

const TILTS = [-0.3, -0.15, 0, 0.15, 0.3];

async function reckon(like: string): Promise<void> {
  set({ power: { of: like, found: null, isBusy: true } });
  const { phases, rounds } = rulesOf({ ...night!.head, game: data.game.name })!;
  const rest = () => new Promise<boolean>((resolve) => setTimeout(() => resolve(ui.power.of === like && ui.power.isBusy)));
  const found = await power(model(like).reference, COUNTS, phases, rounds, TILTS, data.constants, rest);
  if (found) set({ power: { of: like, found, isBusy: false } });
}

function Nights({ found }: { found: Power[] }) {
  const rows: ComponentChildren[][] = found.map(({ tilt, inside, one, nights }) => [
    tilt ? `keeps ${inside.toFixed(1)}` : `is the model, and keeps ${inside.toFixed(1)}`, `${Math.round(100 * one)} %`, tilt ? (nights ?? "over 24") : "–",
  ]);
  return (
    <>
      <Table id="nights" head={["A tower that ...", "Told after 1 night", "Nights for 9 in 10"]} rows={rows} />
      <p class="note">{`A night is a game of ${data.game.title}; "keeps" is the mean number of cubes inside in play. ${NIGHTS} nights were played of each tower. Add nights to this record with "Next game".`}</p>
    </>
  );
}

// What leaves the page, and what comes in

const fileName = () => `game-night-${night!.head.date}.csv`;

async function share(): Promise<void> {
  ui.link = "";
  keeping.wasEmptied = false;
  openShare(ui.show);
  set({ link: `${address()}#record=${await pack(csv())}` });
}

/** Open a CSV, a link or the text of one; the night before comes back with Undo. */
export async function open(given: string): Promise<void> {
  const word = /#record=([\w-]+)/.exec(given)?.[1];
  checkLength(word ?? "");
  act("open", writeSheet(readSheet(word ? await unpack(word) : given, usualHead)));
  Object.assign(ui, { trouble: "", tab: "throws", isBeginning: false });
}

function Share() {
  const begin = () => {
    find<HTMLDialogElement>("share-dialog").close();
    set({ isBeginning: true });
  };
  const first = () => (
    <>
      <p>The CSV is what <code>tower-sim tower test</code> and <code>tower-sim tower fit</code> read.</p>
      <button type="button" class="main" id="save-csv" onClick={() => save(fileName(), csv(), "text/csv")}>Save the CSV</button>
    </>
  );
  const last = (take: (text: string) => void) => (
    <>
      <p><label>Open a CSV <input type="file" id="share-file" accept=".csv,text/csv" onChange={async ({ currentTarget }) => currentTarget.files?.[0] && take(decode(await currentTarget.files[0].arrayBuffer()))} /></label></p>
      <button type="button" id="new-night" onClick={begin}>Begin another night</button>
    </>
  );
  return <ShareDialog title="Share the night" text={ui.link} button="Share" label="Open a link that you were given" open={open} render={ui.show} wrong={(line) => `${line} Your night stays.`} first={first} last={last} />;
}
