// Package disk tells how much room a disk has.
package disk

import "docent/internal/fault"

// Least is the room that docent needs to work, in bytes: a write of the database, its
// log, and the temporary files of a few documents.
const Least = 64 << 20

// Check fails with fault.Unavailable if the disk of a folder has less than some bytes
// free. It succeeds if the system does not tell.
func Check(dir string, least uint64) error {
	if free, _, known := Space(dir); known && free < least {
		return fault.New(fault.Unavailable, "disk_nearly_full",
			"the disk of the data folder has only %d MiB free, and docent needs %d; make room", free>>20, least>>20)
	}
	return nil
}
