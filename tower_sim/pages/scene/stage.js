// A canvas with its camera and its renderer: how finely it draws, where it is cut open, in which colours.

const CUTS = ["none", "side", "front", "top"];

/** A canvas on which the apparatus of a `header` (see Renderer) is drawn with cubes; `scenes` as the Camera takes them. */
class Stage {
  /** `trouble` is called with a sentence where no picture can be drawn. */
  constructor(canvas, header, solids, scenes, trouble) {
    Object.assign(this, { canvas, header, solids, trouble });
    this.cuttable = boundsOf(solids.filter((solid) => !solid.isLow));
    this.camera = new Camera(scenes, boundsOf([{ vertices: scenes[0] }]), header.apparatus.kind);
    this.cut = "none";
    this.depth = 0.5;
    this.level = 1;
    this.fixed = false;
    this.pace = { last: null, slow: 0, seen: 0 };
    this.openPicture();
  }

  /** Begin to draw; where that cannot be, say so: all else does without. */
  openPicture() {
    try {
      this.renderer = new Renderer(this.canvas, this.header, this.solids, this.camera.box);
      if (!this.fixed) this.level = this.renderer.isSlow ? 2 : 1;
    } catch (error) {
      this.renderer = null;
      this.trouble(error.message);
    }
  }

  /** Take what is behind the table ([red, green, blue] from 0 to 255), light or dark. */
  paint(background, dark) {
    const table = dark ? [0.2, 0.215, 0.235] : [0.955, 0.94, 0.905];
    this.theme = { dark, background: background.map((value) => value / 255), table };
  }

  /** The plane of the section, or null. */
  get plane() {
    const axis = { side: 1, front: 0, top: 2 }[this.cut];
    if (axis === undefined) return null;
    const { low, high } = this.cuttable;
    const normal = [0, 0, 0];
    normal[axis] = 1;
    return { normal, offset: low[axis] + (high[axis] - low[axis]) * clamp(this.depth, 0.002, 0.998) };
  }

  /** Let the camera know how large the canvas is, and look at scene `one`, or `part` of the way from it to the next. */
  look(one, part) {
    const { canvas, camera } = this;
    camera.resize(Math.max(1, canvas.clientWidth), Math.max(1, canvas.clientHeight));
    camera.show(one, part ? one + 1 : one, part);
  }

  /** Draw `scene` as Renderer.draw takes it, in a quality of QUALITIES by its number. */
  draw(scene, level = this.level) {
    if (!this.renderer) return;
    this.renderer.draw({
      scene,
      camera: this.camera,
      plane: this.plane,
      quality: QUALITIES[level],
      ratio: level >= 2 ? 1 : Math.min(devicePixelRatio || 1, 2),
      theme: this.theme,
    });
  }

  /** Draw less finely where pictures come too slowly; `now` is their time (ms), null one that follows no other. */
  watchPace(now) {
    const { pace } = this;
    if (now !== null && pace.last !== null) {
      pace.seen += 1;
      if (now - pace.last > 21) pace.slow += 1;
    }
    pace.last = now;
    if (pace.seen < 24) return;
    if (!this.fixed && pace.slow > 12 && this.level < QUALITIES.length - 1) this.level += 1;
    pace.seen = pace.slow = 0;
  }

  /** Draw moving pictures in this quality from now on. */
  fix(level) {
    this.level = clamp(Math.round(level), 0, QUALITIES.length - 1);
    this.fixed = true;
  }
}
