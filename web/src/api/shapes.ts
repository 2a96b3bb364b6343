// The types of the HTTP API under the names that the page uses. wire.ts is
// generated from the OpenAPI description; the WebSocket types are docent-client's.
import type { LoadedMessage, LoadedStep } from 'docent-client';
import type * as wire from './wire';

export type {
  BriefOutline,
  Chunk as ChunkRow,
  ChunkPage,
  Collection as CollectionRow,
  CollectionChanges,
  CollectionInfo,
  Conversation as OthersRow,
  ConversationPage,
  Document as DocumentRow,
  DocumentDescription,
  DocumentOutline,
  DocumentVersion,
  DocumentPage,
  Facets,
  PlaceCount,
  Places,
  Error as ErrorShape,
  Group as GroupRow,
  Feedback as Rated,
  Info,
  Mark as Rect,
  Me,
  NewShare,
  NewToken,
  PageView as PageRow,
  RAGDoc as RagDoc,
  RAGMessage as RagMessage,
  RAGMetadata as RagMetadata,
  RAGSentence as RagSentence,
  Right as RightRow,
  SearchResult as Hit,
  SearchResults,
  Session as SessionRow,
  Fact as FactRow,
  Prompt as PromptRow,
  AgentPicture,
  SessionTrace,
  PromptContent,
  Preferences,
  OwnPreferences,
  Share as ShareRow,
  SignIn as SignInRow,
  SignInProvider,
  SharedConversation,
  Suggestions,
  Token as TokenRow,
  UploadResult,
} from './wire';

/** Support is how well the cited passages support a sentence. */
export type Support = wire.RAGSentence['support'];

/** Stored is a page of a stored conversation. */
export type Stored = Omit<wire.Messages, 'messages' | 'steps' | 'feedback' | 'seq' | 'reset_seq' | 'owner_name' | 'agent_name'> & {
  messages: LoadedMessage[];
  steps: LoadedStep[];
  feedback: wire.Feedback[];
  /** The latest sequence number. */
  seq?: number;
  /** The name of the owner, if that is another user. */
  owner_name?: string | undefined;
  /** The agent. */
  agent_name?: string | undefined;
};
