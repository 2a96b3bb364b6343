// Package pgfollow keeps derived tables in PostgreSQL up to date with the corpus. All
// processes of a database share the tables and take turns to write to them. Packages
// with an index in PostgreSQL build on it.
//
// Each index has a table with its state, in one row: the database, the model, and the
// version of the tables, and the revision of the corpus that the tables have. The lock
// on this row makes processes take turns.
package pgfollow
