// A recording of the microphone: its time, its level, and what may be wrong.
import { words } from '../words/words.svelte';

/** How long one may be, in minutes. At this rate that is 2.4 MB. */
export const longest = 10;
const bitsPerSecond = 32_000;

/** What the server takes and browsers make, best first. */
const kinds = ['audio/webm;codecs=opus', 'audio/ogg;codecs=opus', 'audio/mp4', 'audio/webm'];

/** How often the level is looked at, in ms. */
const pace = 80;
/** How many levels are shown. */
export const shown = 40;

/** possible reports whether the browser can record at all. */
export const possible = (): boolean => typeof MediaRecorder === 'function' && typeof navigator.mediaDevices?.getUserMedia === 'function';

export class Recording {
  state = $state<'starting' | 'recording' | 'full' | 'failed'>('starting');
  /** What went wrong, in words. */
  problem = $state('');
  seconds = $state(0);
  /** The newest levels, 0 to 1, the newest last. */
  levels = $state.raw<number[]>(Array.from({ length: shown }, () => 0));
  private stream: MediaStream | undefined;
  private recorder: MediaRecorder | undefined;
  private context: AudioContext | undefined;
  private timer: ReturnType<typeof setInterval> | undefined;
  private pieces: Blob[] = [];
  private given = false;

  async start(): Promise<void> {
    if (!possible()) return this.fail(isSecureContext ? words.input.notRecorded : words.input.insecure);
    try {
      const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
      if (this.given) return stop(stream);
      this.stream = stream;
      const mimeType = kinds.find((k) => MediaRecorder.isTypeSupported(k));
      const recorder = new MediaRecorder(stream, { audioBitsPerSecond: bitsPerSecond, ...(mimeType && { mimeType }) });
      recorder.ondataavailable = (e) => this.pieces.push(e.data);
      recorder.onerror = () => this.fail(words.input.notRecorded);
      stream.getAudioTracks()[0]!.onended = () => this.halt(); // it was unplugged
      recorder.start(1000);
      this.recorder = recorder;
      this.state = 'recording';
      this.listen(stream);
    } catch (err) {
      this.fail(why((err as DOMException).name));
    }
  }

  /** take ends the recording and is what was recorded; null if nothing was. */
  async take(): Promise<Blob | null> {
    await this.ended();
    const { recorder } = this;
    this.give();
    const blob = new Blob(this.pieces, { type: recorder?.mimeType ?? '' });
    return recorder && blob.size > 0 ? blob : null;
  }

  /** give gives the microphone back. What was recorded is gone. */
  give(): void {
    this.given = true;
    clearInterval(this.timer);
    if (this.recorder?.state !== 'inactive') this.recorder?.stop();
    if (this.stream) stop(this.stream);
    void this.context?.close().catch(() => undefined);
    this.context = undefined;
  }

  private ended(): Promise<void> {
    const { recorder } = this;
    if (!recorder || recorder.state === 'inactive') return Promise.resolve();
    return new Promise((ok) => {
      recorder.onstop = () => ok();
      recorder.stop();
    });
  }

  // It is as long as it may be, or there is no more: it can be sent as it is.
  private halt(): void {
    if (this.state !== 'recording') return;
    clearInterval(this.timer);
    void this.ended().then(() => {
      if (this.stream) stop(this.stream);
    });
    this.state = 'full';
  }

  private listen(stream: MediaStream): void {
    const began = performance.now();
    const context = new AudioContext();
    this.context = context;
    const meter = context.createAnalyser();
    meter.fftSize = 1024;
    context.createMediaStreamSource(stream).connect(meter);
    const wave = new Float32Array(meter.fftSize);
    this.timer = setInterval(() => {
      meter.getFloatTimeDomainData(wave);
      const power = Math.sqrt(wave.reduce((sum, x) => sum + x * x, 0) / wave.length);
      // As loud as it sounds: from -60 dB to -6.
      const level = power > 0 ? Math.min(1, Math.max(0, (20 * Math.log10(power) + 60) / 54)) : 0;
      this.levels = [...this.levels.slice(1), level];
      this.seconds = Math.floor((performance.now() - began) / 1000);
      if (this.seconds >= longest * 60) this.halt();
    }, pace);
  }

  private fail(problem: string): void {
    this.give();
    this.problem = problem;
    this.state = 'failed';
  }
}

const stop = (stream: MediaStream) => stream.getTracks().forEach((t) => t.stop());

function why(name: string): string {
  if (name === 'NotAllowedError' || name === 'SecurityError') return words.input.denied;
  if (name === 'NotFoundError' || name === 'OverconstrainedError') return words.input.noMicrophone;
  return words.input.notRecorded;
}
