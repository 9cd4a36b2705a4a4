// The face of a cube: its colour, its pattern and its letter.

import { Component, createRef } from "preact";

export interface Paint { name: string; rgb: string; ink: string; letter: string; pattern: string }

const PATTERN_STROKE = 0.3; // how strongly a pattern stands out against its colour

/** Paint the face of a cube into a square of `size` pixels at (x, y): its colour, its pattern and its letter. */
export function drawFace(context: CanvasRenderingContext2D, x: number, y: number, size: number, paint: Paint) {
  context.save();
  context.beginPath();
  context.rect(x, y, size, size);
  context.clip();
  context.translate(x, y);
  context.scale(size / 64, size / 64);
  context.fillStyle = paint.rgb;
  context.fillRect(0, 0, 64, 64);
  context.globalAlpha = PATTERN_STROKE;
  context.fillStyle = paint.ink;
  context.strokeStyle = paint.ink;
  context.lineWidth = 5;
  (PATTERN_DRAWINGS[paint.pattern] || PATTERN_DRAWINGS.plain)(context);
  context.globalAlpha = 1;
  if (paint.pattern !== "plain") {
    context.fillStyle = paint.rgb;
    context.beginPath();
    context.arc(32, 32, 22, 0, 2 * Math.PI);
    context.fill();
  }
  context.fillStyle = paint.ink;
  context.font = "bold 41px system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif";
  context.textAlign = "center";
  context.textBaseline = "alphabetic";
  const box = context.measureText(paint.letter);
  context.fillText(paint.letter, 32, 32 + (box.actualBoundingBoxAscent - box.actualBoundingBoxDescent) / 2);
  context.restore();
}

const PATTERN_DRAWINGS: Record<string, (context: CanvasRenderingContext2D) => void> = {
  plain: () => {},
  stripes: (context) => strokes(context, [6, 19, 32, 45, 58].map((y) => [0, y, 64, y])),
  bars: (context) => strokes(context, [6, 19, 32, 45, 58].map((x) => [x, 0, x, 64])),
  diagonals: (context) => strokes(context, [-48, -32, -16, 0, 16, 32, 48].map((x) => [x, 64, x + 64, 0])),
  cross: (context) => strokes(context, [[0, 0, 64, 64], [0, 64, 64, 0], [32, 0, 32, 64], [0, 32, 64, 32]]),
  dots: (context) => {
    for (const x of [7, 24, 40, 57]) for (const y of [7, 24, 40, 57]) disc(context, x, y, 4.5).fill();
  },
  rings: (context) => {
    for (const radius of [26, 33, 41]) disc(context, 32, 32, radius).stroke();
  },
  checks: (context) => {
    for (let i = 0; i < 16; i += 1) if ((i + (i >> 2)) % 2) context.fillRect((i % 4) * 16, (i >> 2) * 16, 16, 16);
  },
};

function strokes(context: CanvasRenderingContext2D, lines: number[][]) {
  context.beginPath();
  for (const [x0, y0, x1, y1] of lines) {
    context.moveTo(x0, y0);
    context.lineTo(x1, y1);
  }
  context.stroke();
}

function disc(context: CanvasRenderingContext2D, x: number, y: number, radius: number) {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  return context;
}

/** A small picture of a cube's face, for beside its name; screen readers pass it over. */
export class Chip extends Component<{ paint: Paint }> {
  canvas = createRef<HTMLCanvasElement>();

  shouldComponentUpdate(next: { paint: Paint }) {
    return next.paint !== this.props.paint;
  }

  componentDidMount() {
    drawFace(this.canvas.current!.getContext("2d")!, 0, 0, 44, this.props.paint);
  }

  componentDidUpdate() {
    this.componentDidMount();
  }

  render() {
    return <canvas ref={this.canvas} class="chip" width={44} height={44} aria-hidden="true" />;
  }
}
