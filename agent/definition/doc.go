// Package definition builds agents from YAML files. The format covers the features
// of package agent that need no code. docs/reference/agent-yaml.md describes the
// format. The built-in assistant, assistant.yaml, is an example.
//
// Unknown keys and invalid values are errors. Each error has a line number:
//
//	agent.yaml:12: there is no state "answr"; the states are greet, answer
//
// Several errors are reported at once. No server or tool starts before the whole
// file is valid.
package definition
