// Package guide holds the code of docs/how-to/write-agents.md and of the pages that it lists. Its tests compile
// and run the code, and compare it with the pages.
package guide
