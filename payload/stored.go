package payload

// The types of stored messages, with the names in BAF's column chat.type.
// Messages are stored in their wire format.
const (
	// TypeStr is plain text.
	TypeStr = "str"
	// TypeJSON is a message that is a JSON object.
	TypeJSON = "json"
	// TypeMarkdown is Markdown text.
	TypeMarkdown = "markdown"
	// TypeHTML is HTML text.
	TypeHTML = "html"
	// TypeFile is a File. It is a string if a user sent it, and an object if an
	// agent sent it.
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
	// TypeAudio is an Audio of an agent, or an audio file of a user as base64.
	TypeAudio = "audio"
	// TypeUI is a UI.
	TypeUI = "ui"
	// TypeGUI is a UI for the newer React client.
	TypeGUI = "gui"
)

// The kinds of stored reasoning, with the names in BAF's column
// reasoning_step.kind.
const (
	// StoredStep is a ReasoningStep.
	StoredStep = "reasoning_step"
	// StoredTaskList is an array of Task.
	StoredTaskList = "task_list_update"
)

// replies maps the type of a stored message of an agent to its action.
var replies = map[string]Action{
	TypeStr: ReplyStr, TypeJSON: ReplyStr, TypeMarkdown: ReplyMarkdown, TypeHTML: ReplyHTML, TypeFile: ReplyFile,
	TypeImage: ReplyImage, TypeDataFrame: ReplyDataFrame, TypePlotly: ReplyPlotly, TypeOptions: ReplyOptions,
	TypeLocation: ReplyLocation, TypeRAG: ReplyRAG, TypeAudio: ReplyAudio, TypeUI: ReplyUI, TypeGUI: ReplyGUI,
}

// ReplayAction returns the action that sends a stored message again, as it was
// sent first. It returns false for types that are not sent.
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

// ReplayStep returns the action that sends stored reasoning again. It returns
// false for kinds that are not sent.
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
