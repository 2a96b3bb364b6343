package backup

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"filippo.io/age"

	"docent/internal/fault"
)

// encryptedStart begins a file that is encrypted with age.
const encryptedStart = "age-encryption.org/"

// passphraseWork is the logarithm of the work that one attempt at a passphrase takes. The value is
// that of age, about a second. Tests use less.
var passphraseWork = 18

// Create writes a backup to a new file, which only its owner can read, and then reads the
// file again and checks it. With a passphrase it encrypts the file with age. It replaces an
// existing file only when the backup is complete. It replaces nothing but a regular file.
// maxFile is the size of the largest stored file, in bytes. Create removes what an earlier
// call for the same file has left behind after a crash.
func Create(
	ctx context.Context, file, passphrase string, db Database, header Header, maxFile int64, report func(Progress),
) (rows int64, err error) {
	if err := checkTarget(file); err != nil {
		return 0, err
	}
	if err := removeLeft(file); err != nil {
		return 0, err
	}
	tmp, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+"-*") // CreateTemp sets mode 0600
	if err != nil {
		return 0, fault.New(fault.Invalid, "backup_not_written", "the backup cannot be written: %w", err)
	}
	defer os.Remove(tmp.Name())
	defer tmp.Close()
	out, err := encrypted(tmp, passphrase)
	if err != nil {
		return 0, err
	}
	if rows, err = Write(ctx, out, db, header, report); err != nil {
		return 0, err
	}
	if err := errors.Join(out.Close(), tmp.Sync()); err != nil {
		return 0, fmt.Errorf("write backup: %w", err)
	}
	if _, err := tmp.Seek(0, io.SeekStart); err != nil {
		return 0, fmt.Errorf("read backup: %w", err)
	}
	plain, err := decrypted(tmp, passphrase)
	if err != nil {
		return 0, err
	}
	_, checked, err := Verify(ctx, plain, maxFile, func(Progress) {})
	if err != nil || checked != rows {
		return 0, fmt.Errorf("the new backup has %d of %d rows: %w", checked, rows, err)
	}
	if err := errors.Join(tmp.Close(), os.Rename(tmp.Name(), file)); err != nil {
		return 0, fmt.Errorf("write backup: %w", err)
	}
	return rows, nil
}

// removeLeft removes the temporary files of earlier backups with this name.
func removeLeft(file string) error {
	dir := filepath.Dir(file)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fault.New(fault.Invalid, "backup_not_written", "the backup cannot be written: %w", err)
	}
	for _, e := range entries {
		number, found := strings.CutPrefix(e.Name(), "."+filepath.Base(file)+"-")
		if _, err := strconv.ParseUint(number, 10, 64); !found || err != nil {
			continue
		}
		if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
			return fmt.Errorf("remove an incomplete backup: %w", err)
		}
	}
	return nil
}

// checkTarget fails if a backup cannot have this name. A backup is renamed to it, which
// would replace a symbolic link or a device.
func checkTarget(file string) error {
	if file == "-" {
		return fault.New(fault.Invalid, "backup_to_output", "docent does not write a backup to standard output; name a file")
	}
	info, err := os.Lstat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fault.New(fault.Invalid, "backup_not_written", "the backup cannot be written: %w", err)
	case !info.Mode().IsRegular():
		return fault.New(fault.Invalid, "backup_not_a_file",
			"the backup cannot be written: %s is a folder, a symbolic link, or a device; name a regular file", file)
	}
	return nil
}

// Open opens a backup and decrypts it. The caller closes it.
func Open(file, passphrase string) (io.ReadCloser, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fault.New(fault.Invalid, "backup_not_read", "the backup cannot be read: %w", err)
	}
	plain, err := decrypted(f, passphrase)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return struct {
		io.Reader
		io.Closer
	}{plain, f}, nil
}

// nopCloser is a writer whose Close does nothing.
type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// encrypted returns a writer that encrypts with a passphrase, unless it is "".
func encrypted(out io.Writer, passphrase string) (io.WriteCloser, error) {
	if passphrase == "" {
		return nopCloser{out}, nil
	}
	recipient, err := age.NewScryptRecipient(passphrase)
	if err != nil {
		return nil, fmt.Errorf("encrypt backup: %w", err)
	}
	recipient.SetWorkFactor(passphraseWork)
	w, err := age.Encrypt(out, recipient)
	if err != nil {
		return nil, fmt.Errorf("encrypt backup: %w", err)
	}
	return w, nil
}

// decrypted returns a reader of the plain backup.
func decrypted(in io.Reader, passphrase string) (io.Reader, error) {
	buffered := bufio.NewReader(in)
	start, err := buffered.Peek(len(encryptedStart))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read backup: %w", err)
	}
	switch isEncrypted := string(start) == encryptedStart; {
	case !isEncrypted && passphrase != "":
		return nil, fault.New(fault.Invalid, "backup_not_encrypted",
			"the backup is not encrypted, so anybody can have written it; if you trust it, leave out --passphrase-file")
	case !isEncrypted:
		return buffered, nil
	case passphrase == "":
		return nil, fault.New(fault.Invalid, "backup_encrypted", "the backup is encrypted; give its passphrase with --passphrase-file")
	}
	identity, err := age.NewScryptIdentity(passphrase)
	if err != nil {
		return nil, fmt.Errorf("decrypt backup: %w", err)
	}
	plain, err := age.Decrypt(buffered, identity)
	if err != nil {
		return nil, fault.New(fault.Invalid, "backup_passphrase", "the backup cannot be decrypted: the passphrase is wrong, or the file is damaged")
	}
	return plain, nil
}

// Passphrase reads a passphrase from the first line of a file, or returns "" without a file.
func Passphrase(file string) (string, error) {
	if file == "" {
		return "", nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return "", fault.New(fault.Invalid, "passphrase_not_read", "the passphrase cannot be read: %w", err)
	}
	line, _, _ := strings.Cut(string(data), "\n")
	if line = strings.TrimRight(line, "\r"); line == "" {
		return "", fault.New(fault.Invalid, "passphrase_empty", "the first line of the file with the passphrase is empty")
	}
	return line, nil
}
