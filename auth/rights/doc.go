// Package rights limits the collections that principals may use.
//
// A collection is open until an operator sets a right on it. Everybody may read an
// open collection. Only the subjects of its rights may use a restricted one:
// users, groups, tokens, or everyone who is signed in. Administrators may use all
// collections.
//
// A scope allows kinds of operations, and a right names the collection. Adding documents
// to a restricted collection needs both, the scope ingest and the right to write.
//
// Package enforce applies the rights.
package rights
