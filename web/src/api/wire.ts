// Generated from docs/openapi.json by "npm run generate". Do not edit.
export interface components {
    schemas: {
        Chunk: {
            /** Format: int64 */
            end: number;
            heading: string;
            /** Format: int64 */
            id: number;
            /** @enum {string} */
            kind: "prose" | "code" | "table";
            /** Format: int64 */
            ordinal: number;
            /** Format: int64 */
            page: number | null;
            page_label: string | null;
            /**
             * Format: int64
             * @description The byte offset in the text of the document.
             */
            start: number;
            text: string;
            /** Format: int64 */
            tokens: number;
        };
        ChunkPage: {
            chunks: components["schemas"]["Chunk"][];
            /**
             * Format: int64
             * @description The cursor of the next page: the last ordinal of this page. Absent on the last page.
             */
            next?: number;
        };
        CollectionInfo: {
            /** Format: int64 */
            chunks: number;
            /** Format: int64 */
            documents: number;
            /** Format: int64 */
            failed: number;
            name: string;
        };
        Document: {
            /** Format: int64 */
            chunks: number;
            collection: string;
            /** Format: date-time */
            created_at: string;
            error?: string;
            /** Format: int64 */
            id: number;
            language: string;
            media_type: string;
            sentence?: components["schemas"]["Sentence"];
            sha256: string;
            /** Format: int64 */
            size: number;
            /** @description An absolute path, a URL, upload:NAME, or stdin:NAME. */
            source: string;
            /** @enum {string} */
            status: "ready" | "failed";
            title: string;
            /** Format: date-time */
            updated_at: string;
        };
        DocumentIDs: {
            /** @description The ids of the documents. Unknown ids are ignored. */
            ids: number[];
        };
        DocumentPage: {
            documents: components["schemas"]["Document"][];
            /**
             * Format: int64
             * @description The cursor of the next page. Absent on the last page and with sort.
             */
            next?: number;
            /** @description The cursor of the next page with sort. Absent on the last page. */
            next_cursor?: string;
        };
        EmbedderInfo: {
            /** Format: int64 */
            dimensions: number;
            name: string;
        };
        Error: {
            /**
             * @description What the caller can do about it.
             * @enum {string}
             */
            code: "invalid" | "not_found" | "conflict" | "unauthorized" | "forbidden" | "rate_limited" | "busy" | "unavailable" | "canceled" | "internal";
            id: string;
            /** @description The sentence in English. */
            message: string;
            params: unknown[];
            /** @description Whether the same request may succeed later. */
            retryable: boolean;
        };
        Export: {
            messages: components["schemas"]["Message"][];
            session: components["schemas"]["Session"];
            steps: components["schemas"]["Step"][];
        };
        Feedback: {
            comment?: string;
            /** Format: int64 */
            rating?: number;
            /** Format: date-time */
            timestamp: string;
            /** Format: int64 */
            turn: number;
        };
        Health: {
            /** @enum {string} */
            status: "ok";
        };
        IndexInfo: {
            /**
             * Format: int64
             * @description The number of passages in the index. It is smaller than the stored number while the index is updated.
             */
            chunks: number;
            /** @description The keyword index, such as bm25. */
            keyword: string;
            /** @description The vector index, such as chromem. */
            vectors: string;
        };
        Info: {
            agent: string;
            /** @description Authentication is on, so every user must sign in. */
            auth: boolean;
            /** @description The agent is the built-in assistant, which answers from the documents. */
            built_in: boolean;
            collections: components["schemas"]["CollectionInfo"][];
            /** @enum {string} */
            database: "sqlite" | "postgres";
            embedder: components["schemas"]["EmbedderInfo"];
            /** @description The version of Go of the build. */
            go: string;
            index: components["schemas"]["IndexInfo"];
            limits: components["schemas"]["Limits"];
            model: components["schemas"]["ModelInfo"];
            models: string[];
            name: string;
            /** Format: date-time */
            started_at: string;
            version: string;
            voice: components["schemas"]["VoiceInfo"];
        };
        Limits: {
            /** Format: int64 */
            k: number;
            /** Format: int64 */
            message_bytes: number;
            /** Format: int64 */
            upload_bytes: number;
        };
        Login: {
            password: string;
            username: string;
        };
        Mark: {
            /**
             * Format: double
             * @description A share of the page's height.
             */
            height: number;
            /**
             * Format: double
             * @description A share of the page's width.
             */
            width: number;
            /**
             * Format: double
             * @description Of the left side, as a share of the page's width.
             */
            x: number;
            /**
             * Format: double
             * @description Of the upper side, as a share of the page's height.
             */
            y: number;
        };
        Me: {
            /** @description Authentication is on. While it is off, everyone may do everything. */
            auth: boolean;
            id: string;
            name: string;
            scopes: ("ask" | "ingest" | "admin")[];
        };
        Message: {
            client_id?: string;
            content: unknown;
            is_user: boolean;
            /**
             * Format: int64
             * @description The first of the turns that this message replaces. The replaced turns no longer belong to the conversation.
             */
            replaces?: number;
            sender?: string;
            sentence?: components["schemas"]["Sentence"];
            /** Format: int64 */
            seq: number;
            /** Format: date-time */
            timestamp: string;
            /** Format: int64 */
            turn: number;
            type: string;
        };
        Messages: {
            /**
             * Format: int64
             * @description The cursor of the previous page. Absent on the first page.
             */
            before?: number;
            /** @description The latest feedback of the user on each turn of this page. */
            feedback: components["schemas"]["Feedback"][];
            messages: components["schemas"]["Message"][];
            /**
             * Format: int64
             * @description The latest seq at the time of the last reset. 0 without a reset.
             */
            reset_seq: number;
            /**
             * Format: int64
             * @description The latest seq. A docent.v1 client that has read all pages resumes from it with hello.last_seq.
             */
            seq: number;
            /** @description The reasoning steps between the messages of this page. */
            steps: components["schemas"]["Step"][];
        };
        ModelInfo: {
            /** @description A setting that improves answers. Empty if a model is configured. */
            hint: string;
            /** @enum {string} */
            kind: "extractive" | "openai";
            name: string;
            sentence?: components["schemas"]["Sentence"];
        };
        NewToken: {
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string | null;
            /** Format: int64 */
            id: number;
            /** Format: date-time */
            last_used_at: string | null;
            name: string;
            scopes: ("ask" | "ingest" | "admin")[];
            /** @description The token, which programs send as Authorization: Bearer. docent cannot show it again. */
            token: string;
        };
        Notification: {
            /** @description The text of the notification. */
            message: string;
            /** @description The session of the clients. */
            sessionId: string;
        };
        Notified: {
            /**
             * Format: int64
             * @description The number of clients that received it.
             */
            delivered: number;
        };
        PageView: {
            /**
             * Format: double
             * @description In points, as displayed.
             */
            height: number;
            /** @description The printed page number. Null if the file has none. */
            label: string | null;
            /** @description Rectangles over the text, one for each part of a line. They cover only the part on this page. Empty if the text is not on the page. */
            marks: components["schemas"]["Mark"][];
            /** Format: int64 */
            page: number;
            /** Format: int64 */
            pages: number;
            /**
             * Format: double
             * @description In points, as displayed.
             */
            width: number;
        };
        Progress: {
            /** Format: int64 */
            done: number;
            /** Format: int64 */
            total: number;
        };
        Question: {
            /** @description Searches only these collections. */
            collections?: string[] | null;
            /** @description Earlier messages, oldest first. */
            history?: components["schemas"]["Turn"][] | null;
            /**
             * Format: int64
             * @description The number of passages.
             */
            k?: number;
            /** @description A configured model, or extractive for quotes only. */
            model?: string;
            /** @description Replaces the instructions for the model. */
            prompt?: string;
            /** @description The question. */
            question: string;
        };
        RAGDoc: {
            content: string;
            metadata: components["schemas"]["RAGMetadata"];
        };
        RAGMessage: {
            abstained: boolean;
            answer: string;
            collections?: string[];
            docs: components["schemas"]["RAGDoc"][];
            /** Format: double */
            evidence?: number;
            /** Format: int64 */
            k?: number;
            llm_name: string;
            question: string;
            searched?: string;
            sentences: components["schemas"]["RAGSentence"][];
            stopped?: boolean;
        };
        RAGMetadata: {
            /** Format: int64 */
            chunk_id: number;
            /** Format: int64 */
            document_id: number;
            /** Format: int64 */
            end: number;
            heading: string;
            /** Format: int64 */
            page: number | null;
            page_label: string | null;
            /** Format: double */
            score: number;
            source: string;
            /** Format: int64 */
            start: number;
            title: string;
        };
        RAGSentence: {
            docs: number[];
            /** Format: int64 */
            end: number;
            found?: boolean;
            /** Format: int64 */
            start: number;
            /** @enum {string} */
            support: "strong" | "weak" | "none";
        };
        Readiness: {
            /** @description The checks by name: ok, or a description of the problem. */
            checks: {
                [key: string]: string;
            };
            /** @description The ids of those descriptions, by name. */
            sentences?: {
                [key: string]: components["schemas"]["Sentence"];
            };
            /** @enum {string} */
            status: "ok" | "unavailable";
        };
        RemovedDocuments: {
            /**
             * Format: int64
             * @description The number of removed documents.
             */
            removed: number;
        };
        SearchResult: {
            /** Format: int64 */
            chunk_id: number;
            /** Format: int64 */
            document_id: number;
            /** Format: int64 */
            end: number;
            features?: {
                [key: string]: number;
            };
            heading: string;
            /** Format: int64 */
            page: number | null;
            page_label: string | null;
            /** Format: int64 */
            rank: number;
            /** Format: double */
            score: number;
            source: string;
            /** Format: int64 */
            start: number;
            text: string;
            title: string;
        };
        SearchResults: {
            /**
             * Format: double
             * @description How well the results support an answer, from 0 to 1.
             */
            evidence: number;
            /** @description The search text. */
            question: string;
            results: components["schemas"]["SearchResult"][];
        };
        Sentence: {
            id: string;
            params: unknown[];
        };
        Session: {
            first?: string;
            /** Format: int64 */
            id: number;
            /** Format: int64 */
            messages: number;
            owner?: string;
            pinned: boolean;
            platform_name: string;
            session_id: string;
            session_name: string | null;
            /** Format: date-time */
            timestamp: string;
        };
        SessionChange: {
            /** @description Whether lists show the session first. Without it, the value stays. */
            pinned?: boolean;
            /** @description The display name. An empty name removes it. Without it, the name stays. */
            session_name?: string;
        };
        Source: {
            collection: string;
            /** Format: date-time */
            created_at: string;
            /** Format: int64 */
            failed: number;
            /** Format: int64 */
            id: number;
            /** Format: int64 */
            items: number;
            kind: string;
            last_sync: components["schemas"]["Summary"];
            location: string;
            name: string;
            /** Format: date-time */
            next_sync_at: string | null;
            options: {
                [key: string]: string;
            };
            paused: boolean;
            progress: components["schemas"]["Progress"];
            /** @description manual, or the interval between syncs, such as 15m, 1h, or 7d. */
            schedule: string;
            /**
             * @description failed: the last sync failed or was incomplete.
             * @enum {string}
             */
            status: "idle" | "syncing" | "failed" | "paused";
        };
        SourceChange: {
            name?: string;
            paused?: boolean;
            schedule?: string;
        };
        SourceFailure: {
            address: string;
            /** Format: date-time */
            at: string;
            key: string;
            reason: string;
            sentence?: components["schemas"]["Sentence"];
            /** Format: int64 */
            tries: number;
        };
        SourceFailures: {
            failures: components["schemas"]["SourceFailure"][];
            /** @description The cursor of the next page. Absent on the last page. */
            next?: string;
        };
        SourceKind: {
            kind: string;
            local: boolean;
            options: components["schemas"]["SourceOption"][];
        };
        SourceKinds: {
            kinds: components["schemas"]["SourceKind"][];
        };
        SourceList: {
            sources: components["schemas"]["Source"][];
        };
        SourceOption: {
            choices?: string[];
            default: string;
            name: string;
            required: boolean;
            secret: boolean;
            sentence?: components["schemas"]["Sentence"];
            title: string;
            /** @enum {string} */
            type: "text" | "number" | "bool" | "list" | "duration";
        };
        SourceWish: {
            /** @description The collection for its documents. The default is default. */
            collection?: string;
            kind: string;
            /** @description The place, such as an address or a bucket. */
            location: string;
            /** @description The name of the source. The default is the location. */
            name?: string;
            /** @description Options of the kind that are not secret. GET /api/source-kinds lists them. */
            options?: {
                [key: string]: unknown;
            };
            /** @description manual, or the interval between syncs, such as 15m, 1h, or 7d. The default depends on the kind. */
            schedule?: string;
            /** @description Secret options of the kind. They are encrypted and never shown. */
            secret?: {
                [key: string]: unknown;
            };
        };
        Step: {
            /** Format: int64 */
            chat_id: number | null;
            kind: string;
            payload: unknown;
            /** Format: int64 */
            seq: number;
            /** Format: int64 */
            step: number;
            step_kind: string;
            summary: string;
            /** Format: date-time */
            timestamp: string;
            /** Format: int64 */
            turn: number;
        };
        Summary: {
            /** Format: int64 */
            added: number;
            /** Format: int64 */
            changed: number;
            /** Format: date-time */
            ended_at: string;
            error: string;
            /** Format: int64 */
            failed: number;
            /** Format: int64 */
            removed: number;
            sentence?: components["schemas"]["Sentence"];
            /** Format: date-time */
            started_at: string;
            /** Format: int64 */
            unchanged: number;
        };
        Token: {
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string | null;
            /** Format: int64 */
            id: number;
            /** Format: date-time */
            last_used_at: string | null;
            name: string;
            scopes: ("ask" | "ingest" | "admin")[];
        };
        TokenWish: {
            /**
             * Format: date-time
             * @description The time at which the token expires. Without it, the token does not expire.
             */
            expires_at?: string;
            /** @description 1 to 64 letters, digits, and characters of . _ @ + -. Names are unique. */
            name: string;
            /** @description The scopes of the token. You must have them yourself. */
            scopes: ("ask" | "ingest" | "admin")[];
        };
        Turn: {
            /** @enum {string} */
            role: "user" | "assistant";
            text: string;
        };
        UploadResult: {
            /** Format: int64 */
            chunks: number;
            /** Format: int64 */
            document_id?: number;
            note?: string;
            reason?: string;
            sentence?: components["schemas"]["Sentence"];
            source: string;
            /** @enum {string} */
            status: "added" | "changed" | "unchanged" | "removed" | "failed";
        };
        UploadResults: {
            results: components["schemas"]["UploadResult"][];
        };
        VoiceInfo: {
            /** @description Recordings are transcribed. If false, they are declined. */
            listens: boolean;
            /** @description The agent can reply with sound. */
            speaks: boolean;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type Chunk = components['schemas']['Chunk'];
export type ChunkPage = components['schemas']['ChunkPage'];
export type CollectionInfo = components['schemas']['CollectionInfo'];
export type Document = components['schemas']['Document'];
export type DocumentIDs = components['schemas']['DocumentIDs'];
export type DocumentPage = components['schemas']['DocumentPage'];
export type EmbedderInfo = components['schemas']['EmbedderInfo'];
export type Error = components['schemas']['Error'];
export type Export = components['schemas']['Export'];
export type Feedback = components['schemas']['Feedback'];
export type Health = components['schemas']['Health'];
export type IndexInfo = components['schemas']['IndexInfo'];
export type Info = components['schemas']['Info'];
export type Limits = components['schemas']['Limits'];
export type Login = components['schemas']['Login'];
export type Mark = components['schemas']['Mark'];
export type Me = components['schemas']['Me'];
export type Message = components['schemas']['Message'];
export type Messages = components['schemas']['Messages'];
export type ModelInfo = components['schemas']['ModelInfo'];
export type NewToken = components['schemas']['NewToken'];
export type Notification = components['schemas']['Notification'];
export type Notified = components['schemas']['Notified'];
export type PageView = components['schemas']['PageView'];
export type Progress = components['schemas']['Progress'];
export type Question = components['schemas']['Question'];
export type RAGDoc = components['schemas']['RAGDoc'];
export type RAGMessage = components['schemas']['RAGMessage'];
export type RAGMetadata = components['schemas']['RAGMetadata'];
export type RAGSentence = components['schemas']['RAGSentence'];
export type Readiness = components['schemas']['Readiness'];
export type RemovedDocuments = components['schemas']['RemovedDocuments'];
export type SearchResult = components['schemas']['SearchResult'];
export type SearchResults = components['schemas']['SearchResults'];
export type Sentence = components['schemas']['Sentence'];
export type Session = components['schemas']['Session'];
export type SessionChange = components['schemas']['SessionChange'];
export type Source = components['schemas']['Source'];
export type SourceChange = components['schemas']['SourceChange'];
export type SourceFailure = components['schemas']['SourceFailure'];
export type SourceFailures = components['schemas']['SourceFailures'];
export type SourceKind = components['schemas']['SourceKind'];
export type SourceKinds = components['schemas']['SourceKinds'];
export type SourceList = components['schemas']['SourceList'];
export type SourceOption = components['schemas']['SourceOption'];
export type SourceWish = components['schemas']['SourceWish'];
export type Step = components['schemas']['Step'];
export type Summary = components['schemas']['Summary'];
export type Token = components['schemas']['Token'];
export type TokenWish = components['schemas']['TokenWish'];
export type Turn = components['schemas']['Turn'];
export type UploadResult = components['schemas']['UploadResult'];
export type UploadResults = components['schemas']['UploadResults'];
export type VoiceInfo = components['schemas']['VoiceInfo'];
