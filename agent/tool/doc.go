// Package tool defines the tools of agents: functions with a JSON Schema that a
// model may call.
//
// [New] makes a [Tool] from a Go function and the struct of its arguments. A
// [Set] holds the tools of an agent and runs them. It checks and converts the
// arguments, and limits the time and the result of each call. Failures become
// text that begins with "ERROR: ", so that the model can react.
//
// Ready-made tools: [OpenWorkspaces] lets a model read, and optionally write,
// files in some folders. [Knowledge] lets it search and read documents. [Skills]
// are instructions in Markdown. The prompt contains the skills that fit a
// question.
package tool
