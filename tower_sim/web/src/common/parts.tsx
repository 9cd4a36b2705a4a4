// Parts that several views have.

import type { ComponentChildren } from "preact";
import { address, changeTheme, find, isDark } from "./browser";

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

export const HOME = "M10 3 2 10h2.5v7h4v-4.500h3V17h4v-7H18z";

/** A dialog with a heading; its button closes it. */
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
export function Send({ text, button, tell }: { text: string; button: string; tell: (line: string) => void }) {
  const copy = async () => {
    find<HTMLInputElement>("share-link").select();
    try {
      await navigator.clipboard.writeText(text);
      tell("It is copied.");
    } catch {
      tell("This browser does not let the page copy. The text is marked: copy it.");
    }
  };
  const needs = address() ? "Send this link. Your friend needs only a browser." : `Send this text. Your friend needs a copy of this page, presses ${button} there and pastes the text.`;
  return (
    <>
      <p id="share-needs">{needs}</p>
      <div class="bar"><input type="text" id="share-link" readOnly aria-label={address() ? "The link" : "The text"} value={text} /><button type="button" id="share-copy" disabled={!text} onClick={copy}>Copy</button></div>
    </>
  );
}

/** Keys, [key key ..., what they do]. */
export function Keys({ keys }: { keys: string[][] }) {
  return (
    <table>
      <thead><tr><th scope="col">Key</th><th scope="col">What it does</th></tr></thead>
      <tbody id="keys">
        {keys.map(([names, words]) => <tr><td>{names.split(" ").map((name) => [<kbd>{name}</kbd>, " "])}</td><td>{words}</td></tr>)}
      </tbody>
    </table>
  );
}

/** Names and what they are, in two columns. */
export function Facts({ facts }: { facts: [string, ComponentChildren][] }) {
  return <dl class="facts" id="about">{facts.map(([name, value]) => [<dt>{name}</dt>, <dd>{value}</dd>])}</dl>;
}

/** A field to be filled in, with its label. */
export function Field({ label, children, id }: { label: string; children: ComponentChildren; id?: string }) {
  return <label class="field" id={id}><span class="what">{label} </span>{children}</label>;
}
