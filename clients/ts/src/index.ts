export { attachment, base64, type Attachment } from './base64.ts';
export { DocentClient, DocentError, type ClientEvent, type ClientEvents, type Options, type Outgoing, type Question, type Stored } from './client.ts';
export { newId, parseFrame } from './frames.ts';
export type * from './frames.ts';
export { stays, type Backoff, type LinkState } from './link.ts';
export { emptyTranscript, reduce, unreplaced, versions } from './transcript.ts';
export type { Entry, Loaded, LoadedMessage, LoadedStep, Pending, Provisional, Transcript, TranscriptEvent, Turn, TurnState } from './transcript.ts';
