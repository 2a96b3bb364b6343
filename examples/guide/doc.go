// Package guide holds the code of docs/how-to/write-agents.md. Its tests compile and
// run the code, and compare it with the guide.
package guide
