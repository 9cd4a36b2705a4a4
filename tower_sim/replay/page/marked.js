// One cube that is marked: found where somebody clicks, ringed and named in the picture, its way told.

/** The cube of sceneAt's that is seen first through a pixel, its number, or null. */
function hitBy(drawn, camera, x, y, edge) {
  const way = camera.wayThrough(x, y);
  const { eye } = camera;
  let [best, near] = [null, Infinity];
  for (const { cube, pose, size: part } of drawn) {
    const back = [-pose[3], -pose[4], -pose[5], pose[6]];
    const [from, along] = [turned(back, minus(eye, pose)), turned(back, way)];
    const half = 0.6 * edge * part; // a little more than it has, for fingers
    let [enter, leave] = [0, Infinity];
    for (let k = 0; k < 3; k += 1) {
      const ends = [(-half - from[k]) / along[k], (half - from[k]) / along[k]];
      enter = Math.max(enter, Math.min(...ends));
      leave = Math.min(leave, Math.max(...ends));
    }
    if (enter < leave && enter < near) [best, near] = [cube, enter];
  }
  return best;
}

/** "Blue cube 12". */
function cubeName(record, cube) {
  const { name } = record.header.colours[record.colourOf.get(cube)];
  return `${name[0].toUpperCase()}${name.slice(1)} cube ${cube}`;
}

/** The ring around the marked cube in the picture, and its name beside it. */
class Tag {
  constructor(record, camera) {
    Object.assign(this, { record, camera, tag: find("tag"), name: find("tag-name") });
  }

  /** Show a cube's tag where it is `drawn`, nothing where it is not. */
  show(cube, drawn) {
    this.tag.hidden = !drawn;
    if (!drawn) return;
    const [x, y, metre] = this.camera.placeOf(drawn.pose);
    const wide = Math.max(20, 2 * this.record.header.edge * metre);
    Object.assign(this.tag.style, { left: `${x - wide / 2}px`, top: `${y - wide / 2}px`, width: `${wide}px`, height: `${wide}px` });
    this.name.classList.toggle("before", x > this.camera.width - 140);
    setText(this.name, cubeName(this.record, cube));
  }
}

/** The way of a cube through the steps: a list of {title, words, time}; steps in which it lies still are one. */
function wayOf(record, cube) {
  const found = [];
  for (const take of record.takes) {
    const isThrown = take.thrownSet.has(cube);
    if (!isThrown && !take.startOf.has(cube)) continue;
    const { title } = record.header.steps[take.stepIndex];
    const words = take.events.filter((event) => event[2] === cube).map((event) => event[1]);
    const { place } = take.restOf.get(cube) || { place: "" };
    const lies = place.startsWith(INSIDE) ? `stays${placeWords(place)}` : `comes out${record.isBoard ? placeWords(place) : ""}`;
    const still = !isThrown && !words.some((word) => word === "woken" || word === "out");
    const last = found[found.length - 1];
    if (still && last && last.still) last.to = title;
    else {
      const began = { true: "thrown in", false: words.includes("knocked") || take.kind === "knock" ? "knocked" : "moved" }[isThrown];
      found.push({ title, to: title, still, time: take.begin, words: still ? `lies still${placeWords(place)}` : `${began}, ${lies}` });
    }
  }
  return found.map(({ title, to, words, time }) => ({ title: to === title ? title : `${title} to ${to}`, words, time }));
}

// Pictures to keep, and paper.

/** Save the picture as it is now, with what it shows in words, as a file. */
function savePicture(show) {
  const image = new Image();
  image.onload = () => {
    const strip = Math.round(image.height / 14);
    const canvas = make("canvas", { width: image.width, height: image.height + strip });
    const context = canvas.getContext("2d");
    const colour = (name) => `rgb(${themeColour(name).join(" ")})`;
    context.fillStyle = colour("--panel");
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(image, 0, 0);
    context.fillStyle = colour("--ink");
    context.font = `${Math.round(strip * 0.45)}px system-ui, sans-serif`;
    context.textBaseline = "middle";
    const words = `${show.record.header.title}. ${sentenceAt(show.record, show.player.moment)}`;
    context.fillText(words, strip / 3, image.height + strip / 2, canvas.width - (2 * strip) / 3);
    const name = show.record.header.title.replace(/[^\p{L}\p{N}]+/gu, "_").slice(0, 60) || "picture";
    canvas.toBlob((blob) => {
      const href = URL.createObjectURL(blob);
      make("a", { href, download: `${name}_${show.player.time.toFixed(2)}s.png` }).click();
      setTimeout(() => URL.revokeObjectURL(href), 10000);
    });
  };
  image.src = show.picture();
}

/** What is drawn in three dimensions is lost on paper: put a picture in its place, in light colours. */
function handlePaper(show) {
  const root = document.documentElement;
  const lines = find("lines-panel");
  let before = null;
  addEventListener("beforeprint", () => {
    if (before) return;
    before = { scheme: root.style.colorScheme, open: lines.open };
    root.style.colorScheme = "light";
    lines.open = true;
    show.themeChanged();
    if (show.stage.renderer) find("paper").src = show.picture();
  });
  addEventListener("afterprint", () => {
    if (!before) return;
    root.style.colorScheme = before.scheme;
    lines.open = before.open;
    before = null;
    find("paper").removeAttribute("src");
    show.themeChanged();
  });
}
