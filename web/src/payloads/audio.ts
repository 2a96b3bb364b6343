// Converts sound from numpy samples or files into a form that browsers play.
import { base64, fields, parsed } from '../conversation/replies';
import { decoded } from './saving';

export interface Sound {
  /** A WAV file, or the received file. */
  bytes: Uint8Array<ArrayBuffer>;
  type: string;
  extension: string;
  /** The duration in seconds; 0 if only the player knows it. */
  seconds: number;
}

// Readers for each type of sample. They read little-endian and return values between -1 and
// 1.
const samples: Record<string, { size: number; read: (v: DataView, at: number) => number }> = {
  float32: { size: 4, read: (v, at) => v.getFloat32(at, true) },
  float64: { size: 8, read: (v, at) => v.getFloat64(at, true) },
  int16: { size: 2, read: (v, at) => v.getInt16(at, true) / 32768 },
  int32: { size: 4, read: (v, at) => v.getInt32(at, true) / 2147483648 },
  int8: { size: 1, read: (v, at) => v.getInt8(at) / 128 },
  uint8: { size: 1, read: (v, at) => v.getUint8(at) / 128 - 1 },
};

/** The maximum number of channels. */
const maxChannels = 8;

/** listen reads sound, or returns null. */
export function listen(content: unknown): Sound | null {
  const c = typeof content === 'string' && !/^\s*\{/.test(content) ? { audio_data_base64: content } : fields(parsed(content));
  const data = base64(c?.audio_data_base64 ?? c?.base64 ?? c?.data);
  if (!c || !data) return null;
  const bytes = decoded(data);
  const metadata = fields(c.metadata);
  if (!metadata) return file(bytes);
  const rate = metadata.sample_rate;
  const dtype = metadata.dtype ?? 'float32';
  if (typeof rate !== 'number' || !(rate >= 1000 && rate <= 384_000) || typeof dtype !== 'string' || !Object.hasOwn(samples, dtype)) return null;
  const { size, read } = samples[dtype]!;
  const { channels, planar } = layout(metadata.shape, Math.floor(bytes.length / size));
  const frames = Math.floor(bytes.length / size / channels);
  if (frames === 0) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const at = (frame: number, channel: number) => read(view, size * (planar ? channel * frames + frame : frame * channels + channel));
  return { bytes: wav(frames, channels, Math.round(rate), at), type: 'audio/wav', extension: 'wav', seconds: frames / rate };
}

// layout finds the channels in a shape: [n] is one channel, [n, channels] has interleaved
// channels, and [channels, n] has one channel after another.
function layout(shape: unknown, total: number): { channels: number; planar: boolean } {
  const s = Array.isArray(shape) ? shape.filter((n): n is number => Number.isInteger(n) && n > 0) : [];
  if (s.length !== 2 || s[0]! * s[1]! !== total) return { channels: 1, planar: false };
  if (s[1]! <= maxChannels) return { channels: s[1]!, planar: false };
  return s[0]! <= maxChannels ? { channels: s[0]!, planar: true } : { channels: 1, planar: false };
}

/** wav returns a WAV file with 16 bits per sample. */
function wav(frames: number, channels: number, rate: number, sample: (frame: number, channel: number) => number): Uint8Array<ArrayBuffer> {
  const length = frames * channels * 2;
  const out = new DataView(new ArrayBuffer(44 + length));
  const text = (at: number, s: string) => [...s].forEach((c, i) => out.setUint8(at + i, c.charCodeAt(0)));
  text(0, 'RIFF');
  out.setUint32(4, 36 + length, true);
  text(8, 'WAVEfmt ');
  out.setUint32(16, 16, true);
  out.setUint16(20, 1, true);
  out.setUint16(22, channels, true);
  out.setUint32(24, rate, true);
  out.setUint32(28, rate * channels * 2, true);
  out.setUint16(32, channels * 2, true);
  out.setUint16(34, 16, true);
  text(36, 'data');
  out.setUint32(40, length, true);
  let at = 44;
  for (let frame = 0; frame < frames; frame++) {
    for (let channel = 0; channel < channels; channel++, at += 2) {
      const v = sample(frame, channel);
      out.setInt16(at, Number.isFinite(v) ? Math.round(Math.max(-1, Math.min(1, v)) * 32767) : 0, true);
    }
  }
  return new Uint8Array(out.buffer);
}

const beginnings: [RegExp, string, string][] = [
  [/^RIFF[^]{4}WAVE/, 'audio/wav', 'wav'],
  [/^OggS/, 'audio/ogg', 'ogg'],
  [/^fLaC/, 'audio/flac', 'flac'],
  [/^\x1aE\xdf\xa3/, 'audio/webm', 'webm'],
  [/^[^]{4}ftyp/, 'audio/mp4', 'm4a'],
  [/^(?:ID3|\xff[\xe2-\xff])/, 'audio/mpeg', 'mp3'],
];

// file detects the type of a file from its first bytes.
function file(bytes: Uint8Array<ArrayBuffer>): Sound | null {
  const start = String.fromCharCode(...bytes.subarray(0, 12));
  const found = beginnings.find(([begins]) => begins.test(start));
  return found ? { bytes, type: found[1], extension: found[2], seconds: 0 } : null;
}
