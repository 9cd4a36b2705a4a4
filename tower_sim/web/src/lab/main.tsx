// The page as a whole: tabs, the address, light and dark, and what other scripts may ask. Its script is its worker's too.

import { render } from "preact";
import { install } from "../common/app";
import { bytesOf, find, openDialog, save, startTheme } from "../common/browser";
import { Dialog, ShareDialog, Tabs, Theme, openShare } from "../common/parts";
import { FightTab, fightTab } from "./fight";
import { openCompiled } from "../common/compiled";
import { Jobs, startWorker } from "./jobs";
import { RulesTab, rulesTab, towersPlayed } from "./rules";
import { checkSeed, linkOf, writeLink, pageOf, toml, readLink } from "./saved";
import { modelWords } from "./say";
import { IS_PAGE, type Side, type State, begin, change, lab, laws, listeners, state, steps, usualState } from "./state";
import { WholeTab, wholeTab } from "./whole";
import { wishes } from "./wish";

const TITLES: Record<string, string> = { rules: "House rules", whole: "One game", fight: "Battle" };
const notes = { trouble: "", seedNote: "" };

function show(): void {
  render(<View />, find("app"));
}

function complain(line: string): void {
  notes.trouble = line;
  show();
}

function View() {
  const { fight, ...others } = TITLES;
  return (
    <>
      <header class="top">
        <h1>Tower lab</h1>
        <p class="soft tagline">What does the cube tower do to your game? Move a slider and see.</p>
        <span class="spread" />
        <div class="bar">
          <button type="button" id="undo" disabled={!steps.canUndo()} onClick={steps.undo}>Undo</button>
          <button type="button" id="redo" disabled={!steps.canRedo()} onClick={steps.redo}>Redo</button>
          <button type="button" id="share" onClick={() => openShare(show)}>Share</button>
          <button type="button" id="about-open" onClick={() => openDialog("about")}>How sure is this?</button>
          <Theme changed={show} />
        </div>
      </header>
      <p id="trouble" class="trouble" role="alert">{notes.trouble}</p>
      <main>
        <Tabs titles={lab.ships.length ? TITLES : others} chosen={state.tab} choose={(tab) => change({ tab })} />
        <RulesTab hidden={state.tab !== "rules"} seedNote={<Seed />} />
        <WholeTab hidden={state.tab !== "whole"} />
        {lab.ships.length > 0 && <FightTab hidden={state.tab !== "fight"} />}
      </main>
      <footer class="note foot">Made by {lab.program}. Nothing leaves this page: it has no server and asks for nothing.</footer>
      <Share />
      <Dialog id="about" title="How sure is this?">
        <p>Every figure here is counted from games that this page plays itself, so it is uncertain in two ways.</p>
        <p><strong>Chance.</strong> More games make it smaller. The intervals hold the true value in 95 of 100 such counts. With A beside B both get the same luck, so that small differences show sooner. <em>Certain</em> is said where chance alone would show as much in at most 1 of 10,000 comparisons, <em>very likely</em> at most in 1 of 20.</p>
        <p><strong>The model.</strong> No number of games makes this smaller:</p>
        <div id="model">{towersPlayed().map((tower) => <p>{modelWords(tower)}</p>)}</div>
        <p>The towers that ship were fitted to what has been written, photographed and filmed of the real ones; yours may differ. <code>tower-sim tower fit</code> fits one to your own drops.</p>
      </Dialog>
    </>
  );
}

function Seed() {
  const chosen = (field: HTMLInputElement) => {
    notes.seedNote = "";
    try {
      change({ seed: checkSeed(field.value) });
    } catch {
      notes.seedNote = "A seed is a whole number below 2^128.";
    }
    field.value = state.seed;
    show();
  };
  return (
    <>
      <div class="field"><label for="seed">Seed</label><input type="text" id="seed" inputMode="numeric" maxLength={39} class="seed" value={state.seed} onChange={({ currentTarget }) => chosen(currentTarget)} /></div>
      <p id="seed-note" class="note" role="status">{notes.seedNote}</p>
    </>
  );
}

function Share() {
  const savePage = (tell: (line: string) => void) => {
    save("tower-lab.html", pageOf(state), "text/html");
    tell("The page is saved: whoever opens the file sees what is chosen here.");
  };
  const open = (given: string) => {
    change(readLink(given));
    notes.trouble = "";
  };
  const first = (tell: (line: string) => void) => (
    <>
      <p>As a file: this page, which opens with all that is chosen here.</p>
      <button type="button" id="share-page" class="main" onClick={() => savePage(tell)}>Save this page with what is chosen</button>
    </>
  );
  return <ShareDialog title="Share what is chosen" text={linkOf(state)} button="Share" label="Open a link or text that you were given" open={open} render={show} wrong={(line) => `The link cannot be read: ${line} What was chosen stays.`} first={first} />;
}

/** Undo and redo by keys; fields for words take back their own letters. */
function handleSteps(event: KeyboardEvent): void {
  const isText = (event.target as Element).matches("input[type=text], input[type=number]");
  if (isText || document.querySelector("dialog[open]") || !(event.ctrlKey || event.metaKey) || event.altKey) return;
  const key = event.key.toLowerCase();
  if (key !== "z" && key !== "y") return;
  event.preventDefault();
  if (key === "y" || event.shiftKey) steps.redo();
  else steps.undo();
}

let remembering = 0;

/** Keep what is chosen in the address, when nothing has changed for a moment. */
function remember(after = 250): void {
  clearTimeout(remembering);
  remembering = window.setTimeout(() => {
    try {
      history.replaceState(null, "", writeLink(state));
    } catch {
      remember(5000); // a browser may refuse it when it is asked too often
    }
  }, after);
}

/** Follow the address when somebody changes it: the event's own, for `remember` may have written another since. */
function followAddress(event: HashChangeEvent): void {
  try {
    const found = readLink(new URL(event.newURL).hash);
    notes.trouble = "";
    change(found);
  } catch (error) {
    complain(`The address cannot be read: ${(error as Error).message} What was chosen stays.`);
  }
}

async function startPage(source: string): Promise<void> {
  begin(usualState());
  const chosen = location.hash.length > 1 ? location.hash : find("app").dataset.chosen;
  if (chosen) {
    try {
      begin(readLink(chosen));
    } catch (error) {
      notes.trouble = `The address cannot be read: ${(error as Error).message} The page shows the usual rules.`;
    }
  }
  startTheme(show);
  install("Tower lab");
  listeners.push(show, () => remember());
  addEventListener("keydown", handleSteps);
  addEventListener("hashchange", followAddress);
  show();
  if (typeof WebAssembly === "undefined") return complain("This browser has no WebAssembly, which plays the games; open the page in a newer one.");
  const wasm = await bytesOf("kernel");
  const given = laws();
  const jobs = () => new Jobs(given, wasm, source, show, complain);
  rulesTab.start(jobs());
  wishes.start(jobs(), () => openShare(show));
  fightTab.start(jobs());
  wholeTab.start(await openCompiled(wasm), show);
  return void Object.assign(window, {
    towerSim: {
      /** What is chosen on the page, as plain data. */
      state: () => structuredClone(state),
      /** Choose: any part of `state()`; throws a RangeError of one line for what the page cannot play. */
      choose: (part: Partial<State>) => {
        const found = readLink(writeLink({ ...state, ...structuredClone(part) }));
        change({ ...found, edit: found.b && (part.edit ?? state.edit) === "b" ? "b" : "a" });
      },
      /** Go back to what was chosen before, and forth again. */
      undo: steps.undo,
      redo: steps.redo,
      /** The newest figures of house rules: { done, games, sides, rows }, null before the first. */
      result: () => rulesTab.result(),
      /** What the newest search for a wish found, null before the first. */
      found: () => wishes.found,
      /** The newest odds of battles, null before the first. */
      battles: () => fightTab.latest,
      /** The game that is shown drop by drop. */
      game: () => wholeTab.figures(),
      /** The rules file of A or B, and the figures as CSV: what the buttons save. */
      toml: (side: Side) => toml(state[side]!),
      csv: () => rulesTab.table(),
      /** The address's hash of what is chosen. */
      link: () => writeLink(state),
    },
  });
}

if (IS_PAGE) startPage(document.currentScript!.textContent!).catch((error) => complain(`The lab cannot be shown: ${error.message}`));
else startWorker();
