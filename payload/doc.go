// Package payload defines the wire format: the envelope and the messages of the
// BESSER Agentic Framework (BAF), and the additions of docent.v1. It only
// describes frames; package ws sends them.
package payload
