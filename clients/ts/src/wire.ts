// Generated from docs/asyncapi.yaml by "npm run generate". Do not edit.
export interface components {
    schemas: {
        /** @description A text with answer options. In docent.v1, wrong options are refused if the object has no other keys. */
        Question: {
            message: string;
            /** @description The collections to search. */
            collections?: string[] | null;
            /** @description The model that answers. */
            model?: string | null;
            /** @description The number of passages. */
            k?: number | null;
        };
        ClientFrame: {
            action: string;
            message?: unknown;
            /** @description Ignored. */
            history?: unknown;
            /** @description Ignored. */
            timestamp?: unknown;
            /** @description The id of the client, in docent.v1. */
            id?: string;
            correlation?: components["schemas"]["Correlation"];
            hops?: components["schemas"]["Hops"];
        };
        ServerFrame: {
            action: string;
            message: unknown;
            /** @description True for replayed frames. */
            history: boolean;
            /** @description Local time of the server. */
            timestamp: string | null;
        };
        /** @description The keys of every frame to a client of docent.v1. */
        V1Frame: {
            /** @description On stored frames: their position in the session, without gaps. */
            seq?: number;
            /** @description The id that the client gave its message or request. */
            id?: string;
            /** @description The turn. The greeting is turn 0. */
            turn?: number;
            /** @description The first of the turns that a message of the user replaces. */
            replaces?: number;
            /** @description The number of a provisional frame in its turn. */
            n?: number;
            /** @description The other agent that sent a user_message. */
            sender?: string;
            /** @description Names a reply that is a fixed text. */
            sentence?: components["schemas"]["Named"];
            correlation?: components["schemas"]["Correlation"];
            hops?: components["schemas"]["Hops"];
        };
        /** @description Between agents: the id of a request, on the request and its replies. */
        Correlation: string;
        /** @description Between agents: the number of agents that a message passed. */
        Hops: number;
        UserTurn: number;
        Rating: number | null;
        File: {
            name: string;
            /** @description A media type or an extension. */
            type: string;
            base64: string;
        };
        ClientFile: {
            name?: string | null;
            type?: string | null;
            base64: string;
        };
        /** @description Columns with values by row position. */
        Table: {
            [key: string]: Record<string, unknown>;
        };
        /** @description Labels by position. */
        Options: {
            [key: string]: string;
        };
        Location: {
            latitude: number | null;
            longitude: number | null;
        };
        Audio: {
            /** @description Samples, little-endian. */
            audio_data_base64: string;
            metadata: {
                sample_rate: number;
                /** @enum {unknown} */
                dtype: "float32" | "int16";
                shape: number[];
            };
        };
        /** @description The keys from sentences on are not part of BAF. */
        Answer: {
            llm_name: string;
            question: string;
            answer: string;
            docs: components["schemas"]["Passage"][];
            sentences?: components["schemas"]["Sentence"][];
            abstained?: boolean;
            /**
             * @description The answer is partial, because its turn was stopped or failed.
             * @constant
             */
            stopped?: true;
            /** @description How well the passages support an answer. */
            evidence?: number;
            /** @description The requested number of passages. */
            k?: number;
            /** @description The searched collections. Absent if all were searched. */
            collections?: string[];
            /** @description The search text. Absent if it is the question. */
            searched?: string;
        };
        Passage: {
            content: string;
            metadata: {
                source: string;
                page: number | null;
                page_label?: string | null;
                title?: string;
                heading?: string;
                start?: number;
                end?: number;
                score?: number | null;
                document_id?: number;
                chunk_id?: number;
            };
        };
        Sentence: {
            start: number;
            end: number;
            docs: number[];
            /** @enum {unknown} */
            support: "strong" | "weak" | "none";
            /**
             * @description The sentence cites nothing, but the passage in docs supports it.
             * @constant
             */
            found?: true;
        };
        Task: {
            id: number;
            description: string;
            /** @enum {unknown} */
            status: "pending" | "in_progress" | "completed" | "skipped";
            result: string;
        };
        PendingTask: {
            id: number;
            description: string;
            /** @enum {unknown} */
            status: "pending" | "in_progress";
        };
        /** @description Later versions can add kinds. */
        Step: {
            kind: string;
            step: number;
            summary: string;
            details: Record<string, unknown>;
        };
        Hello: {
            /** @description The number of the last stored frame that the client has. 0 requests all frames. Without it, nothing is replayed. */
            last_seq?: number | null;
            /** @description A token. It overrides the one of the handshake. */
            token?: string;
        } | null;
        Welcome: {
            session_id: string;
            /** @description The latest number. */
            seq: number;
            /** @description Frames with this number or a lower one no longer exist. */
            reset_seq: number;
            resumed: boolean;
            limits: {
                /** @description The maximum size of a text. */
                message_bytes: number;
                /** @description The maximum size of a frame, with its file or recording. */
                frame_bytes: number;
            };
            models: string[];
            collections: string[];
            voice: {
                /** @description Recordings are transcribed. */
                listens: boolean;
                /** @description Replies can be spoken. */
                speaks: boolean;
            };
        };
        Synced: {
            seq: number;
            /** @description Turns that are not complete. */
            turns: {
                turn: number;
                /** @enum {unknown} */
                state: "running" | "waiting";
            }[];
        };
        TurnSnapshot: {
            turn: number;
            /** @description The following provisional frames have higher numbers. */
            n: number;
            text: string;
            steps: {
                /** @enum {unknown} */
                action: "agent_reply_reasoning_step" | "agent_reply_task_list_update";
                message: components["schemas"]["Step"] | components["schemas"]["Task"][];
            }[];
        };
        Ack: {
            id: string;
            /** @description The number of the stored message or file. */
            seq?: number;
            duplicate: boolean;
        };
        TurnFinished: {
            /** @enum {unknown} */
            outcome: "done" | "failed" | "stopped" | "held";
            usage?: {
                prompt_tokens: number;
                completion_tokens: number;
            };
        };
        Error: {
            code: components["schemas"]["Code"];
            id: components["schemas"]["SentenceID"];
            params: components["schemas"]["Params"];
            /** @description The sentence in English. */
            message: string;
            retryable: boolean;
        };
        /** @description Names a sentence, as docs/reference/errors.md lists them; empty for texts of older versions and of other programs. */
        SentenceID: string;
        /** @description The values in a sentence, in its order: strings, numbers, and sentences as {id, params, message}. */
        Params: (string | number | Record<string, unknown>)[];
        Named: {
            id: components["schemas"]["SentenceID"];
            params: components["schemas"]["Params"];
        };
        /** @enum {unknown} */
        Code: "invalid" | "not_found" | "conflict" | "unauthorized" | "forbidden" | "rate_limited" | "busy" | "unavailable" | "canceled" | "internal";
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type Question = components['schemas']['Question'];
export type ClientFrame = components['schemas']['ClientFrame'];
export type ServerFrame = components['schemas']['ServerFrame'];
export type V1Frame = components['schemas']['V1Frame'];
export type Correlation = components['schemas']['Correlation'];
export type Hops = components['schemas']['Hops'];
export type UserTurn = components['schemas']['UserTurn'];
export type Rating = components['schemas']['Rating'];
export type File = components['schemas']['File'];
export type ClientFile = components['schemas']['ClientFile'];
export type Table = components['schemas']['Table'];
export type Options = components['schemas']['Options'];
export type Location = components['schemas']['Location'];
export type Audio = components['schemas']['Audio'];
export type Answer = components['schemas']['Answer'];
export type Passage = components['schemas']['Passage'];
export type Sentence = components['schemas']['Sentence'];
export type Task = components['schemas']['Task'];
export type PendingTask = components['schemas']['PendingTask'];
export type Step = components['schemas']['Step'];
export type Hello = components['schemas']['Hello'];
export type Welcome = components['schemas']['Welcome'];
export type Synced = components['schemas']['Synced'];
export type TurnSnapshot = components['schemas']['TurnSnapshot'];
export type Ack = components['schemas']['Ack'];
export type TurnFinished = components['schemas']['TurnFinished'];
export type Error = components['schemas']['Error'];
export type SentenceID = components['schemas']['SentenceID'];
export type Params = components['schemas']['Params'];
export type Named = components['schemas']['Named'];
export type Code = components['schemas']['Code'];
