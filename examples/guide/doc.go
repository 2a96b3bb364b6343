// Package guide holds the code of docs/how-to/write-agents.md, which its tests compile, run
// and compare with the guide, and nothing else.
package guide
