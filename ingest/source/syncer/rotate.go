package syncer

import (
	"context"
	"crypto/cipher"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"docent/internal/fault"
)

// Secret is an encrypted value in the database.
type Secret struct {
	// Name names it for people, such as "source wiki".
	Name string
	// Purpose is that of Vault.Seal.
	Purpose string
	// Sealed is the encrypted value.
	Sealed []byte
}

// Secrets are all encrypted values of a database. It is safe for concurrent use.
type Secrets interface {
	// Secrets returns all encrypted values, with at most one for each name.
	Secrets(ctx context.Context) ([]Secret, error)
	// ReplaceSecrets replaces encrypted values in one transaction. change returns nil for a value that
	// stays. The store may call change again for the same value.
	ReplaceSecrets(ctx context.Context, change func(Secret) []byte) error
}

// Purpose returns the purpose of the secrets of a source. A changed row then cannot send them to another place.
func Purpose(kind, location string) string { return kind + "\x00" + location }

// Lost returns the names of the values that the present key does not decrypt.
func (v *Vault) Lost(ctx context.Context, secrets Secrets) ([]string, error) {
	all, err := secrets.Secrets(ctx)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	keys, err := v.ciphers(false)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var out []string
	for _, s := range all {
		if _, fits := unseal(keys, s.Purpose, s.Sealed); !fits {
			out = append(out, s.Name)
		}
	}
	return out, nil
}

// Rotated is the result of a change of the key.
type Rotated struct {
	// Changed are the names of the values that have the new key now.
	Changed []string
	// Lost are those that no key decrypts. They stay as they are.
	Lost []string
}

// Rotate encrypts all values with a new key. old is a file with an earlier key, or "".
//
// If the key is in a file, Rotate makes a new key beside it, encrypts the values in one transaction, and then
// replaces the file. Until then, both keys count, so that a killed process loses nothing and Rotate can be called again.
// If the key comes from DOCENT_SECRET_KEY, this key is the new one, and old is required.
func (v *Vault) Rotate(ctx context.Context, secrets Secrets, old string) (Rotated, error) {
	var before []cipher.AEAD
	if old != "" {
		aead, err := readKey(old)
		if err != nil {
			return Rotated{}, err
		}
		before = append(before, aead)
	}
	if v.text != "" {
		if old == "" {
			return Rotated{}, fault.New(fault.Invalid, "secret_key_no_old",
				"DOCENT_SECRET_KEY sets the key; set it to the new key, and name a file with the old key: --old-key-file FILE")
		}
		return v.renew(ctx, secrets, before)
	}
	present, err := readKey(v.file)
	switch {
	case err == nil:
		before = append(before, present)
	case !errors.Is(err, fs.ErrNotExist):
		return Rotated{}, err
	}
	pending := v.file + pendingSuffix
	if err := makeKey(pending); err != nil {
		return Rotated{}, fault.Wrap(fault.Unavailable, err,
			"secret_key_not_written", "the key for secrets cannot be written to the data folder")
	}
	out, err := v.renew(ctx, secrets, before)
	if err != nil {
		return out, err
	}
	if err := replaceFile(pending, v.file); err != nil {
		return out, err
	}
	// Another process may have encrypted a value with the key before.
	late, err := v.renew(ctx, secrets, before)
	out.Changed, out.Lost = append(out.Changed, late.Changed...), late.Lost
	return out, err
}

// renew encrypts values that other keys decrypt with the first present key.
func (v *Vault) renew(ctx context.Context, secrets Secrets, others []cipher.AEAD) (out Rotated, err error) {
	present, err := v.ciphers(false)
	if err != nil {
		return out, err
	}
	// The store may begin again.
	changed, lost := map[string]bool{}, map[string]bool{}
	err = secrets.ReplaceSecrets(ctx, func(s Secret) []byte {
		delete(changed, s.Name)
		delete(lost, s.Name)
		if _, fits := unseal(present[:1], s.Purpose, s.Sealed); fits {
			return nil
		}
		plain, fits := unseal(others, s.Purpose, s.Sealed)
		if !fits {
			lost[s.Name] = true
			return nil
		}
		changed[s.Name] = true
		return seal(present[0], s.Purpose, plain)
	})
	for name := range changed {
		out.Changed = append(out.Changed, name)
	}
	for name := range lost {
		out.Lost = append(out.Lost, name)
	}
	return out, err
}

// replaceFile renames a file, and makes sure that the name survives a crash.
func replaceFile(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return fmt.Errorf("replace the key: %w", err)
	}
	folder, err := os.Open(filepath.Dir(to))
	if err != nil {
		return fmt.Errorf("replace the key: %w", err)
	}
	defer folder.Close()
	_ = folder.Sync() // some systems cannot
	return nil
}
