package backup

import "docent/internal/fault"

// CollectionTable is the table of collections. A new database has one row in it.
const CollectionTable = "collection"

// NotEmpty is the error for a backup that would be restored into a database with data.
func NotEmpty() error {
	return fault.New(fault.Conflict, "restore_not_empty", "the database already has data; restore into an empty data folder or database")
}
