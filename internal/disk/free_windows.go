package disk

import "golang.org/x/sys/windows"

// Space returns the bytes that a program can still write to the disk of a folder, and all bytes of
// the disk. known is false if the system does not tell.
func Space(dir string) (free, total uint64, known bool) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, 0, false
	}
	err = windows.GetDiskFreeSpaceEx(name, &free, &total, nil)
	return free, total, err == nil
}
