// Parts that several views have.

import type { ComponentChildren } from "preact";
import { address, changeTheme, find, isDark, openDialog } from "./browser";
import { LONGEST_LINK } from "./text";

/** The button between light and dark; `changed` is called when somebody pressed it. */
export function Theme({ changed }: { changed: () => void }) {
  const next = isDark() ? "light" : "dark";
  const press = () => {
    changeTheme();
    changed();
  };
  return <button type="button" id="theme" aria-label={`Show the page ${next}`} onClick={press}>{next === "light" ? "Light" : "Dark"}</button>;
}

/** A button with a picture: `shape` is a path in a square of 20. */
export function Icon({ id, label, title = label, shape, sign, press, main = false }: { id: string; label: string; title?: string; shape?: string; sign?: string; press: () => void; main?: boolean }) {
  return (
    <button type="button" id={id} class={main ? "icon main" : "icon"} aria-label={label} title={title} onClick={press}>
      {shape ? <svg viewBox="0 0 20 20" aria-hidden="true"><path d={shape} /></svg> : sign}
    </button>
  );
}

export function Dialog({ id, title, children }: { id: string; title: string; children: ComponentChildren }) {
  return (
    <dialog id={id} aria-labelledby={`${id}-head`}>
      <h2 id={`${id}-head`}>{title}</h2>
      {children}
      <p><button type="button" autofocus onClick={() => find<HTMLDialogElement>(id).close()}>Close</button></p>
    </dialog>
  );
}

/** What to send to a friend, and what the friend needs: with the page's address a browser, without it a copy of the page. */
function Send({ text, button, tell }: { text: string; button: string; tell: (line: string) => void }) {
  const copy = async () => {
    find<HTMLInputElement>("share-link").select();
    try {
      await navigator.clipboard.writeText(text);
      tell("It is copied.");
    } catch {
      tell("This browser does not let the page copy. The text is marked: copy it.");
    }
  };
  const send = () => navigator.share(address() ? { url: text } : { text }).catch((error) => error.name !== "AbortError" && tell("This browser did not take it. Copy it."));
  const isLong = text.length > LONGEST_LINK;
  const needs = isLong ? `This is too long for a link: ${text.length} characters; allowed are up to ${LONGEST_LINK}.` : address() ? "Send this link. Your friend needs only a browser." : `Send this text. Your friend needs a copy of this page, presses ${button} there and pastes the text.`;
  return (
    <>
      <p id="share-needs">{needs}</p>
      <div class="bar"><input type="text" id="share-link" readOnly aria-label={address() ? "The link" : "The text"} value={text} /><button type="button" id="share-copy" disabled={!text || isLong} onClick={copy}>Copy</button>{"share" in navigator && <button type="button" id="share-send" disabled={!text || isLong} onClick={send}>Send</button>}</div>
    </>
  );
}

const sharing = { message: "", given: "" };

/** Open the dialog of sharing, as it is at first. */
export function openShare(render: () => void): void {
  Object.assign(sharing, { message: "", given: "" });
  render();
  openDialog("share-dialog");
}

interface Share {
  title: string; text: string; button: string; label: string; render: () => void; children?: ComponentChildren;
  /** Open what was given; false where nothing was. */
  open(given: string): unknown;
  /** What an error says, in a line. */
  wrong?(line: string): string;
  first(tell: (line: string) => void): ComponentChildren;
  last?(take: (given: string) => void): ComponentChildren;
}

/** The dialog that gives away what is here, and opens what another page gave. */
export function ShareDialog({ title, text, button, label, render, children, open, wrong = (line) => line, first, last }: Share) {
  const tell = (line: string) => {
    sharing.message = line;
    render();
  };
  const take = async (given: string) => {
    try {
      if ((await open(given)) === false) return;
      find<HTMLDialogElement>("share-dialog").close();
      render();
    } catch (error) {
      tell(wrong((error as Error).message));
    }
  };
  return (
    <Dialog id="share-dialog" title={title}>
      {first(tell)}
      <Send text={text} button={button} tell={tell} />
      {children}
      <form id="share-take" onSubmit={(event) => { event.preventDefault(); take(sharing.given.trim()); }}>
        <label for="share-given">{label}</label>
        <div class="bar"><input type="text" id="share-given" autocomplete="off" value={sharing.given} onInput={({ currentTarget }) => (sharing.given = currentTarget.value)} /><button type="submit">Open</button></div>
      </form>
      {last?.(take)}
      <p class="note" id="share-message" role="status">{sharing.message}</p>
    </Dialog>
  );
}

/** Tabs, their titles by name; arrow keys go from one to the next. Each controls `panel`, or one of its own. */
export function Tabs({ titles, chosen, choose, panel }: { titles: Record<string, string>; chosen: string; choose: (name: string) => void; panel?: string }) {
  const names = Object.keys(titles);
  const press = (event: KeyboardEvent, i: number) => {
    const step = ({ ArrowRight: 1, ArrowLeft: -1 } as Record<string, number>)[event.key];
    if (!step) return;
    event.preventDefault();
    const next = names[(i + step + names.length) % names.length];
    choose(next);
    find(`tab-${next}`).focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label="What to look at">
      {names.map((name, i) => <button type="button" role="tab" id={`tab-${name}`} aria-controls={panel ?? `panel-${name}`} aria-selected={name === chosen} tabIndex={name === chosen ? 0 : -1} onClick={() => choose(name)} onKeyDown={(event) => press(event, i)}>{titles[name]}</button>)}
    </div>
  );
}

/** A table: `head` words, `rows` of cells, the first of each its head. */
export function Table({ id, caption, head, rows }: { id?: string; caption?: string; head: string[]; rows: ComponentChildren[][] }) {
  return (
    <table id={id}>
      {caption && <caption>{caption}</caption>}
      <thead><tr>{head.map((word) => (word ? <th scope="col">{word}</th> : <td />))}</tr></thead>
      <tbody>{rows.map(([first, ...cells]) => <tr><th scope="row">{first}</th>{cells.map((cell) => <td>{cell}</td>)}</tr>)}</tbody>
    </table>
  );
}

/** Keys by their `names`, and what they do in `words`. */
export function Keys({ keys }: { keys: { names: string; words: string }[] }) {
  return (
    <table>
      <thead><tr><th scope="col">Key</th><th scope="col">What it does</th></tr></thead>
      <tbody id="keys">
        {keys.map(({ names, words }) => <tr><td>{names.split(" ").map((name) => [<kbd>{name}</kbd>, " "])}</td><td>{words}</td></tr>)}
      </tbody>
    </table>
  );
}

export function Facts({ facts }: { facts: [string, ComponentChildren][] }) {
  return <dl class="facts" id="about">{facts.map(([name, value]) => [<dt>{name}</dt>, <dd>{value}</dd>])}</dl>;
}

/** A choice: its `options` are values with their words. */
export function Select({ options, changed, ...more }: { id?: string; value: string; options: (readonly string[])[]; changed: (value: string) => void; disabled?: boolean; "aria-label"?: string }) {
  return <select {...more} onChange={({ currentTarget }) => changed(currentTarget.value)}>{options.map(([key, words = key]) => <option key={key} value={key}>{words}</option>)}</select>;
}

export function Field({ label, children, id }: { label: string; children: ComponentChildren; id?: string }) {
  return <label class="field" id={id}><span class="what">{label} </span>{children}</label>;
}
