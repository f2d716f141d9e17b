// Sounds: a few short ones made on the spot, for the cues of a frame. They are off until they are switched on.

const KEPT = "telos-sound"; // in the browser's storage: "on"
const VOLUME = 0.16;
const AGAIN = 70; // ms within which the same sound is not heard twice
const FASTEST = 2; // speed of the game from which on it is silent: faster, sounds are only noise

// Each sound is a few voices: [wave, frequency at the beginning and end in Hz, loudness, start and length in s].
const SOUNDS = {
  swing: [["noise", 2600, 700, 0.35, 0, 0.12]],
  shot: [["noise", 1900, 260, 0.6, 0, 0.11]],
  hit: [["noise", 900, 300, 0.6, 0, 0.07], ["square", 190, 90, 0.25, 0, 0.08]],
  kill: [["noise", 1400, 200, 0.6, 0, 0.14], ["triangle", 440, 110, 0.6, 0, 0.16]],
  hurt: [["sawtooth", 220, 70, 0.5, 0, 0.22], ["noise", 500, 120, 0.6, 0, 0.12]],
  death: [["sawtooth", 300, 45, 0.5, 0, 0.7], ["triangle", 150, 40, 0.7, 0.05, 0.75]],
  find: [["triangle", 660, 660, 0.5, 0, 0.1], ["triangle", 990, 990, 0.5, 0.08, 0.16]],
  goal: [["triangle", 523, 523, 0.5, 0, 0.14], ["triangle", 659, 659, 0.5, 0.11, 0.14], ["triangle", 784, 784, 0.6, 0.22, 0.32]],
  speech: [["sine", 520, 620, 0.35, 0, 0.07], ["sine", 600, 480, 0.35, 0.08, 0.09]],
};

function stored() {
  try {
    return localStorage.getItem(KEPT) === "on";
  } catch {
    return false; // no storage
  }
}

export class Sounds {
  constructor() {
    this.on = stored();
    this.listeners = new Set();
    this.heard = new Map(); // cue -> when it was heard last
    this.context = null;
  }

  /** Call `listener` with whether there is sound, now and at each change; return a function that ends it. */
  watch(listener) {
    this.listeners.add(listener);
    listener(this.on);
    return () => this.listeners.delete(listener);
  }

  /** Switch on or off, for good; a sound tells that there are any. */
  toggle() {
    this.on = !this.on;
    try {
      localStorage.setItem(KEPT, this.on ? "on" : "off");
    } catch {
      // it holds for this page
    }
    for (const listener of this.listeners) listener(this.on);
    if (this.on) this.play("find");
  }

  /** Play the cues of a frame: not of the past, of a fast game, or of a page that nobody sees. */
  hear(frame, status) {
    if (!this.on || !frame?.live || document.hidden || Number(status?.speed) > FASTEST) return;
    for (const cue of Array.isArray(frame.cues) ? frame.cues : []) this.play(String(cue));
  }

  play(cue) {
    const now = performance.now();
    if (!Object.hasOwn(SOUNDS, cue) || now - (this.heard.get(cue) ?? -AGAIN) < AGAIN) return;
    this.heard.set(cue, now);
    try {
      this.prepare();
      for (const voice of SOUNDS[cue]) this.sing(...voice);
    } catch {
      // a browser without Web Audio: the game is silent
    }
  }

  /** The way to the loudspeaker; a browser keeps it closed until the page was clicked or a key pressed. */
  prepare() {
    if (!this.context) {
      this.context = new AudioContext();
      this.out = new GainNode(this.context, { gain: VOLUME });
      this.out.connect(this.context.destination);
      this.noise = this.hiss();
    }
    if (this.context.state === "suspended") this.context.resume();
  }

  /** Half a second of noise. */
  hiss() {
    const { sampleRate } = this.context;
    const buffer = this.context.createBuffer(1, sampleRate / 2, sampleRate);
    const data = buffer.getChannelData(0);
    for (let at = 0; at < data.length; at++) data[at] = 2 * Math.random() - 1;
    return buffer;
  }

  sing(wave, from, to, loud, after, lasts) {
    const { context } = this;
    const start = context.currentTime + after;
    const gain = new GainNode(context, { gain: 0 });
    gain.gain.setValueAtTime(0, start);
    gain.gain.linearRampToValueAtTime(loud, start + 0.008);
    gain.gain.exponentialRampToValueAtTime(0.001, start + lasts);
    const [source, pitch] = wave === "noise" ? this.blow(gain) : this.tone(wave, gain);
    pitch.setValueAtTime(from, start);
    pitch.exponentialRampToValueAtTime(to, start + lasts);
    gain.connect(this.out);
    source.start(start);
    source.stop(start + lasts + 0.02);
  }

  tone(wave, gain) {
    const source = new OscillatorNode(this.context, { type: wave });
    source.connect(gain);
    return [source, source.frequency];
  }

  blow(gain) {
    const source = new AudioBufferSourceNode(this.context, { buffer: this.noise });
    const filter = new BiquadFilterNode(this.context, { type: "bandpass", Q: 1.2 });
    source.connect(filter).connect(gain);
    return [source, filter.frequency];
  }
}

export const sounds = new Sounds(); // one a page, as the link
