package payload

// The types under which messages are stored, as BAF names them in chat.type.
// What is stored is the message as it is on the wire.
const (
	// TypeStr is plain text.
	TypeStr = "str"
	// TypeJSON is a message that is a JSON object.
	TypeJSON = "json"
	// TypeMarkdown is Markdown text.
	TypeMarkdown = "markdown"
	// TypeHTML is HTML text.
	TypeHTML = "html"
	// TypeFile is a File: of a user in a string, of an agent as an object.
	TypeFile = "file"
	// TypeImage is an Image.
	TypeImage = "image"
	// TypeDataFrame is a DataFrame.
	TypeDataFrame = "dataframe"
	// TypePlotly is a Figure.
	TypePlotly = "plotly"
	// TypeOptions are Options.
	TypeOptions = "options"
	// TypeLocation is a Location.
	TypeLocation = "location"
	// TypeRAG is a RAGMessage.
	TypeRAG = "rag_answer"
	// TypeAudio is an Audio, or of a user an audio file as base64.
	TypeAudio = "audio"
	// TypeUI is a UI.
	TypeUI = "ui"
	// TypeGUI is a UI for the newer React client.
	TypeGUI = "gui"
)

// The kinds under which reasoning is stored, as BAF names them in
// reasoning_step.kind.
const (
	// StoredStep is a ReasoningStep.
	StoredStep = "reasoning_step"
	// StoredTaskList is an array of Task.
	StoredTaskList = "task_list_update"
)

// replies are the actions of what an agent said, by the type it is stored
// under.
var replies = map[string]Action{
	TypeStr: ReplyStr, TypeJSON: ReplyStr, TypeMarkdown: ReplyMarkdown, TypeHTML: ReplyHTML, TypeFile: ReplyFile,
	TypeImage: ReplyImage, TypeDataFrame: ReplyDataFrame, TypePlotly: ReplyPlotly, TypeOptions: ReplyOptions,
	TypeLocation: ReplyLocation, TypeRAG: ReplyRAG, TypeAudio: ReplyAudio, TypeUI: ReplyUI, TypeGUI: ReplyGUI,
}

// ReplayAction is the action that shows a stored message again, the same as
// when it was said; false for a type that is not shown.
func ReplayAction(chatType string, isUser bool) (Action, bool) {
	action, ok := replies[chatType]
	switch {
	case !ok || !isUser:
		return action, ok
	case chatType == TypeFile || chatType == TypeImage:
		return UserFile, true
	case chatType == TypeAudio:
		return UserVoice, true
	default:
		return UserMessage, true
	}
}

// ReplayStep is the action that shows stored reasoning again; false for a kind
// that is not shown.
func ReplayStep(kind string) (Action, bool) {
	switch kind {
	case StoredStep:
		return ReplyReasoningStep, true
	case StoredTaskList:
		return ReplyTaskList, true
	default:
		return "", false
	}
}
