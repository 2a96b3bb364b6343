package chat

// Choices are the names that the options of a message may use.
type Choices struct {
	// Models are the names of the models that answer from documents.
	Models []string
	// Collections are the names of collections.
	Collections []string
}
