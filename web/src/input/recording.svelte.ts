// A recording of the microphone: duration, level, and problems.
import { words } from '../words/words.svelte';

/** The maximum duration in minutes. At this bit rate, it has 2.4 MB. */
export const longest = 10;
const bitsPerSecond = 32_000;

/** The formats that the server accepts and browsers record, best first. */
const kinds = ['audio/webm;codecs=opus', 'audio/ogg;codecs=opus', 'audio/mp4', 'audio/webm'];

/** The time between two levels, in ms. */
const pace = 80;
/** The number of visible levels. */
export const shown = 40;

/** possible reports whether the browser can record. */
export const possible = (): boolean => typeof MediaRecorder === 'function' && typeof navigator.mediaDevices?.getUserMedia === 'function';

export class Recording {
  state = $state<'starting' | 'recording' | 'full' | 'failed'>('starting');
  /** The problem, as a sentence. */
  problem = $state('');
  seconds = $state(0);
  /** The latest levels from 0 to 1, oldest first. */
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
      stream.getAudioTracks()[0]!.onended = () => this.halt(); // the microphone was unplugged
      recorder.start(1000);
      this.recorder = recorder;
      this.state = 'recording';
      this.listen(stream);
    } catch (err) {
      this.fail(why((err as DOMException).name));
    }
  }

  /** take ends the recording and returns it; null without one. */
  async take(): Promise<Blob | null> {
    await this.ended();
    const { recorder } = this;
    this.give();
    const blob = new Blob(this.pieces, { type: recorder?.mimeType ?? '' });
    return recorder && blob.size > 0 ? blob : null;
  }

  /** give releases the microphone and discards the recording. */
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

  // halt ends a recording at the maximum duration, or without a microphone. The user can
  // still send it.
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
      // The level as humans hear it, from -60 dB to -6 dB.
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
