// Package llm speaks to chat models. langchaingo's llms.Model is the contract;
// [OpenAI] is the adapter for every server with OpenAI's chat completions API.
// Package llmtest beside it has a scripted server, a scripted model and the
// suite that both of them and the adapter pass.
package llm
