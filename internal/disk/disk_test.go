package disk_test

import (
	"path/filepath"
	"runtime"
	"testing"

	"docent/internal/disk"
	"docent/internal/fault"
)

// TestCheck: a disk with less room than needed is an error. A missing folder is none.
func TestCheck(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := disk.Check(dir, 1); err != nil {
		t.Errorf("one byte: %v", err)
	}
	err := disk.Check(dir, 1<<62)
	if _, total, known := disk.Space(dir); known && total == 0 {
		t.Error("the disk has no room")
	} else if known && fault.KindOf(err) != fault.Unavailable || runtime.GOOS == "linux" && !known {
		t.Errorf("more than there is: %v", err)
	}
	if err := disk.Check(filepath.Join(dir, "none"), 1<<62); err != nil {
		t.Errorf("a missing folder: %v", err)
	}
}
