package disk

import "golang.org/x/sys/windows"

// Free returns the bytes that a program can still write to the disk of a folder. known is
// false if the system does not tell.
func Free(dir string) (bytes uint64, known bool) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, false
	}
	err = windows.GetDiskFreeSpaceEx(name, &bytes, nil, nil)
	return bytes, err == nil
}
