// Package definition reads agents from YAML: what package agent offers in Go,
// as far as it can be said without code. Load reads a file and makes the agent;
// docs/reference/agent-yaml.md describes the format, and assistant.yaml, the built-in
// assistant, is an example of it.
//
// A file is read strictly. What is wrong in it is told as
//
//	agent.yaml:12: there is no state "answr"; the states are greet, answer
//
// several errors at once, and nothing is started before all of it is right.
package definition
