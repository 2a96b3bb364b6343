// Package keyword turns passages and queries into terms, and has the formulas of
// BM25. The keyword indexes in memory and in a database share it, so they find the
// same passages and give them the same scores.
package keyword
