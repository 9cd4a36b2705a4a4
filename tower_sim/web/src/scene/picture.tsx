// What stands around a picture of an apparatus, on the live page and on its replays.

import type { ComponentChildren } from "preact";
import { openDialog } from "../common/browser";
import { Chip, type Paint } from "../common/faces";
import { Dialog, Icon, Keys, Theme } from "../common/parts";
import { capital, sumOf } from "../common/text";
import type { Show } from "./show";

const HOME = "M10 3 2 10h2.5v7h4v-4.500h3V17h4v-7H18z";

interface Parts extends Record<"lead" | "bar" | "picture" | "looks" | "deck" | "side" | "help", ComponentChildren> { show: Show; title: string; name: string; label: string }

/** A page around the picture of an apparatus: what stands in its head, over the picture, in the column of `looks`, below and beside it. */
export function Frame({ show, title, name, label, lead, bar, picture, looks, deck, side, help }: Parts) {
  return (
    <>
      <header class="head">
        <div class="names"><h1 id="title">{title}</h1>{lead}</div>
        <div class="bar">{bar}<Theme changed={() => show.themeChanged()} /><button type="button" id="help-open" onClick={() => openDialog("help")}>Help</button></div>
      </header>
      <p id="trouble" class="trouble" role="alert">{show.trouble}</p>
      <main class="whole">
        <section class="view" aria-label="The picture">
          <div class="picture">
            <canvas key={name} id="scene" tabIndex={0} role="application" aria-label={label} aria-describedby="sentence" />
            {picture}
            <div class="looks" role="group" aria-label="View">
              <Icon id="nearer" label="Zoom in" title="Zoom in (+)" sign="+" press={show.look((camera) => camera.near(1.25))} />
              <Icon id="farther" label="Zoom out" title="Zoom out (-)" sign="−" press={show.look((camera) => camera.near(0.8))} />
              <Icon id="home" label="Reset view" title="Reset view (0)" shape={HOME} press={show.look((camera) => camera.home())} />
              {looks}
            </div>
          </div>
          {deck}
        </section>
        <aside class="side" aria-label="Figures">{side}</aside>
      </main>
      <Dialog id="help" title="Help and keys"><p>{help}</p><Keys keys={show.keys} /></Dialog>
    </>
  );
}

export function placesOf(isBoard: boolean) {
  return isBoard ? { inside: "in the ship", out: "on the board" } : { inside: "inside", out: "out" };
}

export function CountsTable({ isBoard, more = [], rows }: { isBoard: boolean; more?: string[]; rows: { paint: Paint; numbers: number[] }[] }) {
  const { inside, out } = placesOf(isBoard);
  const heads = ["In hand", capital(inside), capital(out), ...more];
  return (
    <div class="scroll">
      <table id="counts">
        <caption>Cubes now</caption>
        <thead><tr><th scope="col">Colour</th>{heads.map((head) => <th scope="col">{head}</th>)}</tr></thead>
        <tbody>
          {rows.map(({ paint, numbers }) => <tr key={paint.name}><th scope="row"><Chip paint={paint} /><span class="hidden">{`${paint.letter}: `}</span>{paint.name}</th>{numbers.map((number) => <td>{number}</td>)}</tr>)}
        </tbody>
        <tfoot><tr><th scope="row">All</th>{heads.map((_, k) => <td>{sumOf(rows.map(({ numbers }) => numbers[k]))}</td>)}</tr></tfoot>
      </table>
    </div>
  );
}
