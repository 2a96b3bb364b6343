package config

import (
	"io/fs"
	"os"
	"runtime"

	"docent/internal/fault"
)

// Permissions of other users.
const (
	othersWrite fs.FileMode = 0o002
	othersRead  fs.FileMode = 0o044
)

// checkTrust fails if other users can change a path, because the settings in it
// decide where keys and documents are sent. Windows has no such permissions.
func checkTrust(paths ...string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err == nil && info.Mode()&othersWrite != 0 {
			return fault.New(fault.Invalid, "config_file_untrusted",
				"every user can change %s, so docent does not use the configuration in it; run: chmod o-w %s", path, path)
		}
	}
	return nil
}

// sticky reports whether users can replace only their own files in a folder, as in
// /tmp. That protects a file that exists. It does not protect a file that docent
// looks for by itself, because another user may create it first.
func sticky(folder string) bool {
	info, err := os.Stat(folder)
	return err == nil && info.Mode()&os.ModeSticky != 0
}

// readable reports whether other users can read a file.
func readable(path string) bool {
	info, err := os.Stat(path)
	return runtime.GOOS != "windows" && err == nil && info.Mode()&othersRead != 0
}
