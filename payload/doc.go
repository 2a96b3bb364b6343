// Package payload is the wire: the envelope and messages of the BESSER Agentic
// Framework (BAF) and what docent.v1 adds to them. It only describes frames;
// package ws sends them.
package payload
