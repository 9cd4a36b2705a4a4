// The page begins: its worker computes one take after the other; the first is shown while the others come.

import { render } from "preact";
import { bytesOf, dataOf, find, runsPhysics, wantsStillness, workerMaker } from "../common/browser";
import { handleCanvas, handleKeys } from "../scene/hands";
import { handlePaper, hitBy } from "./marked";
import { type Document, Recorded, countsAt, poseAt } from "./record";
import { Replay } from "./show";
import { View } from "./view";

function connect(show: Replay): void {
  const { record, stage: { canvas, camera } } = show;
  handleCanvas(canvas, camera, show.ask, (x, y) => show.mark(hitBy(show.drawn(), camera, x, y, record.header.edge)));
  handlePaper(show);
  handleKeys(show.keys);
}

/** What other scripts may use: docs/replay.md. `level` is how coarsely moving pictures are drawn, of QUALITIES; it stays once it is set. */
function makeApi(show: Replay) {
  const { player, record, stage: { camera } } = show;
  return {
    get time() { return player.time; },
    get playing() { return player.playing; },
    get frames() { return show.frames; },
    get level() { return show.stage.level; },
    set level(level: number) {
      show.stage.fix(level);
      show.ask();
    },
    get view() { return { turn: camera.turn, rise: camera.rise, zoom: camera.zoom }; },
    get duration() { return record.duration; },
    get steps() { return record.beginnings; },
    get events() { return record.events.map(({ time, word, cube, place }) => ({ time, word, cube, place })); },
    get isWhole() { return record.isWhole; },
    seek: (time: number) => player.stopAt(time),
    play: () => player.play(),
    pause: () => player.pause(),
    counts: () => countsAt(record, player.moment),
    pose: (cube: number) => poseAt(player.moment, cube),
    shown: () => show.drawn().map(({ cube, pose }) => ({ cube, pose })),
    mark: (cube: number | null) => show.mark(cube),
    picture: () => show.picture(),
  };
}

async function main(): Promise<void> {
  const header: Document = dataOf("replay");
  const record = new Recorded(header);
  const show: Replay = new Replay(record, () => render(<View show={show} />, find("app")));
  const fail = (line: string) => show.complain(`This replay cannot be shown: ${line}`);
  show.render();
  show.open(); // the tower is seen before the first throw is computed
  if (!runsPhysics()) return fail("this browser has no WebAssembly or no workers, which the physics needs; open the page in a newer one");
  const [core, worker] = [await bytesOf("core"), (await workerMaker())()];
  worker.onerror = (event) => {
    event.preventDefault();
    fail(event.message || "the physics does not start here");
  };
  worker.onmessage = ({ data: { take, error } }) => {
    if (error) return fail(error);
    const isFirst = !show.isReady;
    if (take) record.add(take);
    record.isWhole = !take; // the last message is the answer
    if (!show.isReady) return fail("nothing was thrown");
    if (isFirst) {
      connect(show);
      Object.assign(window, { towerSim: makeApi(show) });
      if (!wantsStillness()) show.player.play();
    }
    return show.themeChanged();
  };
  return worker.postMessage({ ask: "again", id: 0, profile: header.profile, core, parts: header.parts });
}

main().catch((error) => render(<p id="trouble" class="trouble" role="alert">{`This replay cannot be shown: ${error.message}`}</p>, find("app")));
