// The page: opens the document, joins time, picture and figures, and draws when something changed.

const EVERY = 4; // pictures from one look at the figures to the next, while it plays
const STILL = 160; // ms without a change, after which a picture is drawn once more, as finely as can be

/** A record on the page: its picture, its figures, its time. */
class Show {
  constructor(record) {
    this.record = record;
    const { header } = record;
    const solids = solidsOf(header.apparatus, header.edge);
    this.stage = new Stage(find("scene"), header, solids, [sceneOf(header, solids)], sayTrouble);
    this.camera = this.stage.camera;
    this.marked = null;
    this.follows = false;
    this.frames = 0;
    this.ask = onceAFrame((now) => this.frame(now));
    this.player = new Player(
      record,
      () => this.ask(),
      (sentence) => this.tell(sentence),
    );
    this.panels = new Panels(record, (time) => this.player.seek(time));
    this.tag = new Tag(record, this.camera);
  }

  /** Say a sentence under the controls, and to who listens. */
  tell(sentence) {
    setText(find("said"), sentence);
    setText(find("spoken"), sentence);
  }

  /** Take the colours of the page, light or dark, and draw anew. */
  themeChanged() {
    this.stage.paint(themeColour("--sunk"), isDark());
    drawMarks(this.record, find("marks"));
    this.ask();
  }

  /** More is known: the time line and the list of steps go on. */
  grow() {
    find("scrub").max = String(this.record.duration);
    this.panels.grow();
    this.themeChanged();
  }

  /** Draw the moment; once more, finely, when nothing moved for a while. */
  frame(now) {
    const { player } = this;
    const moved = player.playing;
    player.tick(now);
    this.stage.watchPace(moved ? now : null);
    this.drawMoment(this.stage.level);
    clearTimeout(this.finer);
    if (player.playing) this.ask();
    else this.finer = setTimeout(() => this.drawMoment(0), STILL);
  }

  /** Show the moment that time is at; while it plays figures are looked at less often than the picture. */
  drawMoment(level) {
    const { player, record } = this;
    const moment = player.moment;
    this.frames += 1;
    if (!player.playing || this.frames % EVERY === 0) {
      this.panels.show(moment);
      this.showControls();
    }
    this.stage.look(0, 0);
    const cubes = sceneAt(record, moment, wantsStillness());
    const marked = cubes.find(({ cube }) => cube === this.marked);
    if (marked && this.follows) this.camera.lookTo(marked.pose.slice(0, 3));
    this.tag.show(this.marked, marked);
    this.stage.draw({ cubes, lit: litAt(record, moment) }, level);
  }

  /** The cubes that are drawn now. */
  drawn() {
    return sceneAt(this.record, this.player.moment, wantsStillness());
  }

  /** Mark a cube by its number, or none (null). */
  mark(cube) {
    this.marked = cube;
    if (cube === null) this.follow(false);
    this.panels.showCube(cube);
    if (cube !== null) this.tell(`${cubeName(this.record, cube)} is marked.`);
    this.ask();
  }

  /** Mark the next (1) or previous (-1) of the cubes that are drawn, by their numbers. */
  markNext(by) {
    const cubes = this.drawn().map(({ cube }) => cube);
    cubes.sort((a, b) => by * (a - b));
    const next = cubes.find((cube) => this.marked === null || by * (cube - this.marked) > 0);
    this.mark(next ?? cubes[0] ?? null);
  }

  /** Let the camera follow the cube that is marked, or no more. */
  follow(follows) {
    const { camera } = this;
    const does = follows && this.marked !== null;
    if (does && !this.follows) camera.near(Math.max(1, 2.5 / camera.zoom));
    if (!does && this.follows) camera.home();
    this.follows = does;
    find("follow").setAttribute("aria-pressed", String(does));
    this.ask();
  }

  /** The picture as it is now, finely drawn, as a data URL. */
  picture() {
    this.drawMoment(0);
    return find("scene").toDataURL();
  }

  showControls() {
    const { player, record } = this;
    const scrub = find("scrub");
    if (Math.abs(Number(scrub.value) - player.time) > 0.6 / record.rate) scrub.value = String(player.time);
    scrub.setAttribute("aria-valuetext", clockWords(player.time));
    setText(find("clock"), `${clockWords(player.time)} of ${clockWords(record.duration)}`);
    find("play").setAttribute("aria-label", player.playing ? "Pause" : "Play");
    find("play-shape").setAttribute("d", player.playing ? "M5 3h3.5v14H5zM11.5 3H15v14h-3.5z" : "M5 3l12 7-12 7z");
    if (find("speed").value !== String(player.speed)) find("speed").value = String(player.speed);
    find("cut").value = this.stage.cut;
    find("depth-field").hidden = this.stage.cut === "none";
  }

  /** Cut open another way; `depth` from 0 to 1. */
  cutOpen(cut, depth = this.stage.depth) {
    Object.assign(this.stage, { cut, depth });
    this.ask();
  }
}

/** What is to fill the picture: the shape, and where cubes are let go. */
function sceneOf({ edge, apparatus: { rim, hand } }, solids) {
  const wide = hand.spread / 2;
  const over = CORNERS.map(([x, y]) => [x * wide, y * wide, rim + hand.height + 5 * edge]);
  return [...solids.flatMap((solid) => solid.vertices), ...over];
}

/** Let controls, hands and keys act on what is shown. */
function connect(show) {
  const { player, camera, record } = show;
  const scene = find("scene");
  const onClick = (id, action) => find(id).addEventListener("click", action);
  const toggle = () => (player.playing ? player.pause() : player.play());
  const view = (action) => () => {
    action();
    show.ask();
  };
  onClick("play", toggle);
  onClick("event-back", () => player.event(-1));
  onClick("event-on", () => player.event(1));
  onClick("step-back", () => player.step(-1));
  onClick("step-on", () => player.step(1));
  onClick(
    "nearer",
    view(() => camera.near(1.25)),
  );
  onClick(
    "farther",
    view(() => camera.near(0.8)),
  );
  onClick(
    "home",
    view(() => camera.home()),
  );
  find("scrub").step = String(1 / record.rate);
  find("scrub").value = "0";
  find("scrub").addEventListener("input", (event) => {
    player.playing = false;
    player.seek(event.target.value);
  });
  find("speed").addEventListener("change", (event) => {
    player.speed = Number(event.target.value);
  });
  find("cut").addEventListener("change", (event) => show.cutOpen(event.target.value));
  find("depth").addEventListener("input", (event) => show.cutOpen(show.stage.cut, event.target.value / 100));
  handleCanvas(scene, camera, show.ask, (x, y) => show.mark(hitBy(show.drawn(), camera, x, y, record.header.edge)));
  onClick("follow", () => show.follow(!show.follows));
  onClick("unmark", () => show.mark(null));
  onClick("save", () => savePicture(show));
  handlePaper(show);
  const again = view(() => {
    show.stage.openPicture();
  });
  scene.addEventListener("webglcontextlost", (event) => event.preventDefault());
  scene.addEventListener("webglcontextrestored", again);
  handleKeys({
    " ": toggle,
    ArrowLeft: () => player.move(-0.25),
    ArrowRight: () => player.move(0.25),
    ",": () => player.frame(-1),
    ".": () => player.frame(1),
    p: () => player.event(-1),
    n: () => player.event(1),
    "[": () => player.step(-1),
    "]": () => player.step(1),
    Home: () => player.seek(0),
    End: () => player.seek(record.duration),
    "<": () => player.faster(-1),
    ">": () => player.faster(1),
    a: view(() => camera.orbit(-1 / 48, 0)),
    d: view(() => camera.orbit(1 / 48, 0)),
    w: view(() => camera.orbit(0, 1 / 60)),
    s: view(() => camera.orbit(0, -1 / 60)),
    "+": view(() => camera.near(1.15)),
    "=": view(() => camera.near(1.15)),
    "-": view(() => camera.near(1 / 1.15)),
    0: view(() => camera.home()),
    c: () => show.cutOpen(CUTS[(CUTS.indexOf(show.stage.cut) + 1) % CUTS.length]),
    t: () => find("theme").click(),
    m: () => show.markNext(1),
    M: () => show.markNext(-1),
    f: () => show.follow(!show.follows),
    Escape: () => show.mark(null),
    "?": () => find("help-open").click(),
  });
  startDialog(find("help-open"), find("help"));
  for (const [keys, words] of KEYS) {
    const cell = make("td");
    keys.split(" ").forEach((key) => cell.append(make("kbd", { text: key }), " "));
    find("keys").append(make("tr", {}, cell, make("td", { text: words })));
  }
  const resized = new ResizeObserver(() => show.themeChanged());
  for (const id of ["scene", "marks"]) resized.observe(find(id));
  startTheme(find("theme"), () => show.themeChanged());
}

/**
 * What other scripts may use: `time` and `duration` (s), `playing`, `seek(s)`, `play()`, `pause()`, `counts()` (a row a
 * colour: name, letter, hand, inside, out, aside), `mark(id)`, `picture()` (a data URL), `pose(id)` (x y z in metres, qx qy qz qw; null where a cube has none),
 * `shown()` ({cube, pose} of those that are drawn), `events` ({time, word, cube, place}), `steps` (when each begins), `isWhole` (whether all
 * is computed; until then `duration`, `events` and `steps` grow), `frames` (pictures
 * drawn so far), `view` (from where one looks: turn and rise in radians, zoom), `level` (how
 * coarsely moving pictures are drawn, of QUALITIES; it stays as it is once it is set).
 */
function opened(show) {
  const { player, record, camera } = show;
  return {
    get time() {
      return player.time;
    },
    get playing() {
      return player.playing;
    },
    get frames() {
      return show.frames;
    },
    get level() {
      return show.stage.level;
    },
    set level(level) {
      show.stage.fix(level);
      show.ask();
    },
    get view() {
      return { turn: camera.turn, rise: camera.rise, zoom: camera.zoom };
    },
    get duration() {
      return record.duration;
    },
    get steps() {
      return record.beginnings;
    },
    get events() {
      return record.events.map(({ time, word, cube, place }) => ({ time, word, cube, place }));
    },
    get isWhole() {
      return record.isWhole;
    },
    seek: (time) => {
      player.playing = false;
      player.seek(time);
    },
    play: () => player.play(),
    pause: () => player.pause(),
    counts: () => countsAt(record, player.moment),
    pose: (cube) => poseAt(player.moment, cube),
    shown: () => show.drawn().map(({ cube, pose }) => ({ cube, pose })),
    mark: (cube) => show.mark(cube),
    picture: () => show.picture(),
  };
}

/** Open the page with the first take, and go on while the physics computes the others. */
async function main() {
  const header = dataOf("replay");
  const record = new Recorded(header);
  const [core, code] = [await bytesOf("core"), await bytesOf("worker")];
  const worker = new Worker(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
  const fail = (line) => sayTrouble(`This replay cannot be shown: ${line}`);
  let show = null;
  worker.onerror = (event) => {
    event.preventDefault();
    fail(event.message || "the physics does not start here");
  };
  worker.onmessage = ({ data: { take, isOver, error } }) => {
    if (error) {
      fail(error);
      return;
    }
    if (take) record.add(take);
    record.isWhole = Boolean(isOver);
    if (!record.takes.length) {
      if (isOver) fail("nothing was thrown");
      return;
    }
    if (!show) {
      show = new Show(record);
      connect(show);
      window.towerSim = opened(show);
      if (!wantsStillness()) show.player.play();
    }
    show.grow();
  };
  worker.postMessage({ profile: header.profile, core, parts: header.parts });
}

setText(find("title"), dataOf("replay").title);
main().catch((error) => sayTrouble(`This replay cannot be shown: ${error.message}`));
