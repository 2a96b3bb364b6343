package payload

// Action is the type of a frame.
type Action string

// BAF's actions from clients to the server.
const (
	// UserMessage is a message of the user: text or any JSON. In a replay, the
	// server sends it back to the client.
	UserMessage Action = "user_message"
	// UserVoice is recorded speech: an audio file as base64.
	UserVoice Action = "user_voice"
	// UserFile is a File, either as an object or as a string that contains the
	// object.
	UserFile Action = "user_file"
	// UserSetVariable sets session variables. The message is an object with one key
	// for each variable.
	UserSetVariable Action = "user_set_variable"
	// UserUpdateUI reports a change that the user made in a UI. The message is any JSON.
	UserUpdateUI Action = "user_update_ui"
	// UserGUIEvent is the newer React client's name for UserUpdateUI.
	UserGUIEvent Action = "user_gui_event"
	// Reset deletes the messages of the session, and the agent greets again.
	Reset Action = "reset"
	// FetchUserMessages asks for the stored messages of the session.
	FetchUserMessages Action = "fetch_user_messages"
)

// BAF's actions from the server to clients.
const (
	// ReplyStr is plain text. Other agents send it too, with text or an object.
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
	// ReplyGUI is the newer React client's name for ReplyUI.
	ReplyGUI Action = "agent_reply_gui"
	// ReplyGUIUpdate changes a UI in the newer React client. The message can be any
	// JSON.
	ReplyGUIUpdate Action = "agent_reply_gui_update"
	// ReplyReasoningStep is a ReasoningStep.
	ReplyReasoningStep Action = "agent_reply_reasoning_step"
	// ReplyTaskList is the complete task list of a run, as an array of Task.
	ReplyTaskList Action = "agent_reply_task_list_update"
)

// Actions that docent.v1 adds to BAF's.
const (
	// HelloAction starts a docent.v1 conversation with a Hello. Clients send it
	// first.
	HelloAction Action = "hello"
	// StopAction asks the server to end a turn early. The message is a Stop.
	StopAction Action = "stop"
	// RegenerateAction asks for another answer to a turn's message. The message is
	// a Regenerate.
	RegenerateAction Action = "regenerate"
	// EditAction replaces the message of a turn. The message is an Edit.
	EditAction Action = "edit"
	// ShowAction shows the branch of a turn. The message is a Show.
	ShowAction Action = "show"
	// TurnsShownAction reports that another branch is shown; the server sends a TurnsShown.
	TurnsShownAction Action = "turns_shown"
	// FeedbackAction rates a turn. The message is a Feedback.
	FeedbackAction Action = "feedback"
	// FeedbackStoredAction confirms a FeedbackAction. The message is a
	// FeedbackStored.
	FeedbackStoredAction Action = "feedback_stored"
	// SyncedAction ends the replay for a resumed client; the server sends a Synced.
	SyncedAction Action = "synced"
	// TurnSnapshotAction has the output of a running turn so far; the server sends
	// a TurnSnapshot.
	TurnSnapshotAction Action = "turn_snapshot"
	// SessionResetAction reports a reset of the session; the server sends a
	// SessionReset.
	SessionResetAction Action = "session_reset"
	// WelcomeAction answers a HelloAction. The message is a Welcome.
	WelcomeAction Action = "welcome"
	// AckAction confirms that a message is stored; the server sends an Ack.
	AckAction Action = "ack"
	// StatusAction reports the progress of a turn; the server sends a Status.
	StatusAction Action = "status"
	// DeltaAction has a piece of a growing answer; the server sends a Delta.
	DeltaAction Action = "agent_reply_delta"
	// ThinkingAction has a piece of the reasoning of a model before its answer; the server sends a Thinking.
	ThinkingAction Action = "thinking_delta"
	// TurnFinishedAction ends a turn; the server sends a TurnFinished.
	TurnFinishedAction Action = "turn_finished"
	// ErrorAction reports an error; the server sends an Error.
	ErrorAction Action = "error"
)
