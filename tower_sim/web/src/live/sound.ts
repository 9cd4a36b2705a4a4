// The sound of wood, made of impacts: a short burst of noise through three tones of a small block. No file is played.

import { clamp } from "../scene/algebra";

const TONES_OF_WOOD = [[1150, 0.05], [2350, 0.03], [4100, 0.016]]; // Hz, and how long each rings (s)
const MOST_AT_ONCE = 14; // impacts that are heard within a frame

export class Wood {
  context: AudioContext | null = null;
  out!: AudioNode;
  noise!: AudioBuffer;
  isOn = false;
  heard = 0;

  /** Begin or end to be heard; asked by a person's own press, as browsers want it. */
  async turn(isOn: boolean): Promise<void> {
    this.isOn = isOn;
    if (!isOn) return;
    this.context ??= this.open();
    await this.context.resume();
  }

  open(): AudioContext {
    const context = new AudioContext();
    this.out = context.createDynamicsCompressor();
    this.out.connect(context.destination);
    const noise = context.createBuffer(1, context.sampleRate * 0.03, context.sampleRate);
    const data = noise.getChannelData(0);
    for (let i = 0; i < data.length; i += 1) data[i] = (2 * Math.random() - 1) * (1 - i / data.length);
    this.noise = noise;
    return context;
  }

  /** Another frame begins. */
  frame() {
    this.heard = 0;
  }

  /** An impact of a hardness (m/s): louder and brighter the harder it is. */
  hit(hardness: number): void {
    if (!this.context || !this.isOn || this.heard >= MOST_AT_ONCE) return;
    this.heard += 1;
    const { context, out } = this;
    const loud = clamp(hardness / 2.5, 0.015, 1);
    const start = context.currentTime + 0.012 * Math.random();
    const burst = context.createBufferSource();
    burst.buffer = this.noise;
    const pitch = 0.85 + 0.35 * Math.random();
    TONES_OF_WOOD.forEach(([tone, rings], i) => {
      const filter = context.createBiquadFilter();
      Object.assign(filter, { type: "bandpass" });
      filter.frequency.value = tone * pitch;
      filter.Q.value = 14;
      const gain = context.createGain();
      gain.gain.setValueAtTime(loud ** (1 + 0.35 * i) * 1.6, start);
      gain.gain.exponentialRampToValueAtTime(1e-4, start + rings * 2.2);
      burst.connect(filter).connect(gain).connect(out);
    });
    burst.start(start);
    burst.stop(start + 0.12);
  }
}
