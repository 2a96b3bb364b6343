// Package tool is what an agent can do beside talking: functions with a JSON
// Schema that a model may call.
//
// [New] makes a [Tool] of a Go function and the struct of its arguments; a
// [Set] holds the tools of an agent and runs them: arguments are checked and
// lightly converted, a call may take so long and say so much, and whatever goes
// wrong comes back as text beginning with "ERROR: " for the model to act on.
//
// Ready-made tools: [OpenWorkspaces] lets a model read (and, if allowed, write)
// files of some folders, [Knowledge] lets it search and read documents.
// [Skills] are instructions in Markdown, of which those that fit a question are
// put into the prompt.
package tool
