// Package llm calls chat models. [Model] is the interface that answering,
// reasoning, and intents use. [OpenAI] is a client for every server with
// OpenAI's chat completions API. [Langchain] adapts the models of langchaingo.
// Package llmtest has a scripted server, a scripted model, and the suite that
// every Model passes.
package llm
