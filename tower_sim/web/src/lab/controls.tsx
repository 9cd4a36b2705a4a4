// Controls: sliders with their numbers, choices, a list that is put in order by keys, mouse and touch.

import { Component, type ComponentChildren, createRef } from "preact";
import { Field, Select } from "../common/parts";
import { type Shares, Strip } from "./charts";
import type { Jobs, Progress } from "./jobs";

function idOf(label: string): string {
  return `control-${label.toLowerCase().replace(/[^a-z]+/g, "-")}`;
}

/** A slider with its label and number; `changed(value)` while it moves. */
export function Slider({ label, least, most, value, words = String(value), mark, changed }: { label: string; least: number; most: number; value: number; words?: string; mark?: ComponentChildren; changed: (value: number) => void }) {
  const id = idOf(label);
  return (
    <div class="field slider">
      <label for={id}>{mark}{label}</label>
      <input id={id} type="range" min={least} max={most} step={1} value={value} onInput={({ currentTarget }) => changed(Number(currentTarget.value))} />
      <output for={id}>{words}</output>
    </div>
  );
}

export function Choice({ label, ...more }: { label: string; options: [string, string][]; value: string; changed: (value: string) => void }) {
  return <Field label={label}><Select id={idOf(label)} {...more} /></Field>;
}

/** Part of the controls that can be folded; at first it is open where `open`. */
export class Fold extends Component<{ title: string; open?: boolean; children: ComponentChildren }, { open: boolean }> {
  state = { open: this.props.open ?? false };

  render() {
    const { title, children } = this.props;
    return <details open={this.state.open} onToggle={({ currentTarget }) => this.setState({ open: (currentTarget as HTMLDetailsElement).open })}><summary>{title}</summary>{children}</details>;
  }
}

const NONE: Progress = { done: 0, games: 1, isBusy: false };

interface Item { id: number; words: string; mark: ComponentChildren }

/** A list that is put in order: `changed` with the ids in their new order. */
export class OrderList extends Component<{ label: string; items: Item[]; changed: (order: number[]) => void }, { message: string; held: number | null }> {
  state = { message: "", held: null };
  list = createRef<HTMLOListElement>();

  move(id: number, to: number): void {
    const { items, changed } = this.props;
    const item = items.find((each) => each.id === id)!;
    if (to < 0 || to >= items.length) return;
    const order = items.map((each) => each.id).filter((each) => each !== id);
    order.splice(to, 0, id);
    this.setState({ message: `${item.words} is number ${to + 1} of ${items.length}` });
    changed(order);
  }

  /** Take an item with a pointer: it goes where the pointer is, until it is let go. */
  hold(id: number, event: PointerEvent): void {
    event.preventDefault();
    this.setState({ held: id });
    const drag = ({ clientY }: PointerEvent) => {
      const middles = [...this.list.current!.children].map((line) => line.getBoundingClientRect()).map((box) => box.top + box.height / 2);
      const at = this.props.items.findIndex((each) => each.id === id);
      const to = middles.filter((middle, i) => i !== at && middle < clientY).length;
      if (to !== at) this.move(id, to);
    };
    const end = () => {
      document.removeEventListener("pointermove", drag);
      for (const name of ["pointerup", "pointercancel"]) document.removeEventListener(name, end);
      this.setState({ held: null });
    };
    document.addEventListener("pointermove", drag);
    for (const name of ["pointerup", "pointercancel"]) document.addEventListener(name, end);
  }

  render() {
    const { label, items } = this.props;
    const step = ({ id, words }: Item, at: number, by: number, way: string, sign: string) => (
      <button type="button" class="icon" aria-label={`Move ${words} ${way}`} disabled={at + by < 0 || at + by >= items.length} onClick={({ currentTarget }) => { this.move(id, at + by); currentTarget.focus(); }}>{sign}</button>
    );
    return (
      <div>
        <ol class="order" aria-label={label} ref={this.list}>
          {items.map((item, at) => (
            <li key={item.id} class={this.state.held === item.id ? "held" : ""}>
              <span class="grip" aria-hidden="true" onPointerDown={(event) => this.hold(item.id, event)}>⠿</span>
              <span class="spread">{item.mark}{item.words}</span>
              {step(item, at, -1, "earlier", "↑")}{step(item, at, 1, "later", "↓")}
            </li>
          ))}
        </ol>
        <p class="hidden" role="status">{this.state.message}</p>
      </div>
    );
  }
}

/** A tab's answer: sentences first, how sure they are, warnings; and how far its job is. */
export interface Answer { sentences: string[]; sure: string; warnings: string[] }

/** A tab's sentences and, where the chart is far, its bars in small: they stay on the screen whatever is moved. */
export function Lead({ tab, answer, sets, words }: { tab: string; answer: Answer | null; sets: Shares[]; words: string }) {
  return (
    <section id={`${tab}-seen`} class="panel told" tabIndex={0} aria-label="What a player will notice">
      <div id={`${tab}-lead`}>{answer?.sentences.map((text) => <p class="lead">{text}</p>)}</div>
      {sets.length > 0 && <div class="glance" aria-hidden="true"><Strip sets={sets} /><span>{words}</span></div>}
    </section>
  );
}

export function Sure({ tab, answer }: { tab: string; answer: Answer | null }) {
  return (
    <>
      <p id={`${tab}-sure`} class="note">{answer?.sure}</p>
      <div id={`${tab}-beyond`}>{answer?.warnings.filter(Boolean).map((text) => <p class="warning">{text}</p>)}</div>
    </>
  );
}

/** How far a job is, and its answer for those who cannot see it, once it is done. */
export function Busy({ tab, label, jobs, answer }: { tab: string; label: string; jobs: Jobs | null; answer: Answer | null }) {
  const { done, games, isBusy } = jobs?.progress ?? NONE;
  return (
    <>
      <p id={`${tab}-told`} class="hidden" role="status">{isBusy ? "" : answer?.sentences.join(" ")}</p>
      <div id={`${tab}-busy`} class="busy" hidden={!isBusy}><label class="note" for={`${tab}-progress`}>{label}</label> <progress id={`${tab}-progress`} max={games} value={done} /></div>
    </>
  );
}
