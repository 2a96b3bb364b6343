package payload

// Action says what a frame is.
type Action string

// BAF's actions that clients send.
const (
	// UserMessage is what the user says: text, or any JSON. The server sends it
	// where it shows what was said again.
	UserMessage Action = "user_message"
	// UserVoice is recorded speech: an audio file as base64.
	UserVoice Action = "user_voice"
	// UserFile is a File, in a string or as an object.
	UserFile Action = "user_file"
	// UserSetVariable stores session variables: an object of them.
	UserSetVariable Action = "user_set_variable"
	// UserUpdateUI tells of a change that the user made to a UI; any JSON.
	UserUpdateUI Action = "user_update_ui"
	// UserGUIEvent is what the newer React client calls UserUpdateUI.
	UserGUIEvent Action = "user_gui_event"
	// Reset empties the session and greets again.
	Reset Action = "reset"
	// FetchUserMessages asks for what was said before the connection.
	FetchUserMessages Action = "fetch_user_messages"
)

// BAF's actions that the server sends.
const (
	// ReplyStr is plain text. Another agent sends it too: text or an object.
	ReplyStr Action = "agent_reply_str"
	// ReplyMarkdown is Markdown text.
	ReplyMarkdown Action = "agent_reply_markdown"
	// ReplyHTML is HTML text.
	ReplyHTML Action = "agent_reply_html"
	// ReplyFile is a File, as an object.
	ReplyFile Action = "agent_reply_file"
	// ReplyImage is an Image.
	ReplyImage Action = "agent_reply_image"
	// ReplyDataFrame is a DataFrame.
	ReplyDataFrame Action = "agent_reply_dataframe"
	// ReplyPlotly is a Figure.
	ReplyPlotly Action = "agent_reply_plotly"
	// ReplyOptions are Options.
	ReplyOptions Action = "agent_reply_options"
	// ReplyLocation is a Location.
	ReplyLocation Action = "agent_reply_location"
	// ReplyRAG is a RAGMessage.
	ReplyRAG Action = "agent_reply_rag"
	// ReplyAudio is an Audio.
	ReplyAudio Action = "agent_reply_audio"
	// ReplyUI is a UI.
	ReplyUI Action = "agent_reply_ui"
	// ReplyGUI is what the newer React client calls ReplyUI.
	ReplyGUI Action = "agent_reply_gui"
	// ReplyGUIUpdate changes a UI that the newer React client shows; any JSON.
	ReplyGUIUpdate Action = "agent_reply_gui_update"
	// ReplyReasoningStep is a ReasoningStep.
	ReplyReasoningStep Action = "agent_reply_reasoning_step"
	// ReplyTaskList is the whole task list of a run: an array of Task.
	ReplyTaskList Action = "agent_reply_task_list_update"
)

// Actions of docent.v1, which BAF does not know.
const (
	// HelloAction opens a docent.v1 conversation; clients send it first.
	HelloAction Action = "hello"
	// StopAction ends a turn before its time; clients send a Stop.
	StopAction Action = "stop"
	// RegenerateAction has a turn's message answered anew; clients send a
	// Regenerate.
	RegenerateAction Action = "regenerate"
	// EditAction says something else in a turn's place; clients send an Edit.
	EditAction Action = "edit"
	// FeedbackAction tells what the user thinks of a turn; clients send a Feedback.
	FeedbackAction Action = "feedback"
	// FeedbackStoredAction answers FeedbackAction; a FeedbackStored.
	FeedbackStoredAction Action = "feedback_stored"
	// SyncedAction ends what a client gets that came back; a Synced.
	SyncedAction Action = "synced"
	// TurnSnapshotAction is what a running turn has said so far; a TurnSnapshot.
	TurnSnapshotAction Action = "turn_snapshot"
	// SessionResetAction says that the session was emptied; a SessionReset.
	SessionResetAction Action = "session_reset"
	// WelcomeAction answers HelloAction with a Welcome.
	WelcomeAction Action = "welcome"
	// AckAction says that a message is stored; an Ack.
	AckAction Action = "ack"
	// StatusAction says how far a turn is; a Status.
	StatusAction Action = "status"
	// DeltaAction is a piece of an answer in the making; a Delta.
	DeltaAction Action = "agent_reply_delta"
	// TurnFinishedAction ends a turn; a TurnFinished.
	TurnFinishedAction Action = "turn_finished"
	// ErrorAction says what went wrong; an Error.
	ErrorAction Action = "error"
)
