package syncer_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"docent/ingest/source/syncer"
	"docent/internal/fault"
)

// safe has encrypted values.
type safe struct {
	all    []syncer.Secret
	killed bool // before the transaction commits
}

var errKilled = errors.New("killed")

func (s *safe) Secrets(context.Context) ([]syncer.Secret, error) { return s.all, nil }

func (s *safe) ReplaceSecrets(_ context.Context, change func(syncer.Secret) []byte) error {
	next := make([]syncer.Secret, len(s.all))
	for i, secret := range s.all {
		if sealed := change(secret); sealed != nil {
			secret.Sealed = sealed
		}
		next[i] = secret
	}
	if s.killed {
		return errKilled
	}
	s.all = next
	return nil
}

// fill encrypts two values.
func (s *safe) fill(t *testing.T, v *syncer.Vault) {
	t.Helper()
	for _, name := range []string{"one", "two"} {
		sealed, err := v.Seal(name, map[string]string{"secret": name})
		if err != nil {
			t.Fatal(err)
		}
		s.all = append(s.all, syncer.Secret{Name: name, Purpose: name, Sealed: sealed})
	}
}

// readable reports whether a vault decrypts all values, and none of the files of folder is more than its key.
func (s *safe) readable(t *testing.T, v *syncer.Vault) bool {
	t.Helper()
	lost, err := v.Lost(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return len(lost) == 0
}

func newVault(t *testing.T, file, text string) *syncer.Vault {
	t.Helper()
	v, err := syncer.NewVault(file, text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestRotateFile(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := filepath.Join(folder, "secret.key")
	v, s := newVault(t, file, ""), &safe{}
	s.fill(t, v)
	old, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}

	// Killed before the transaction commits, and before the file is replaced.
	s.killed = true
	if _, err := v.Rotate(t.Context(), s, ""); !errors.Is(err, errKilled) {
		t.Fatalf("the error is %v", err)
	}
	if !s.readable(t, newVault(t, file, "")) {
		t.Error("values are lost before the transaction")
	}
	sealed, err := v.Seal("three", map[string]string{"a": "b"}) // by a running server
	if err != nil {
		t.Fatal(err)
	}
	s.all = append(s.all, syncer.Secret{Name: "three", Purpose: "three", Sealed: sealed})
	s.killed = false
	pending, err := os.ReadFile(file + ".new")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(folder, 0o500); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() != 0 { // root renames anyway
		if _, err := v.Rotate(t.Context(), s, ""); err == nil {
			t.Error("the file was replaced in a read-only folder")
		}
		if !s.readable(t, newVault(t, file, "")) {
			t.Error("values are lost after the transaction")
		}
	}
	if err := os.Chmod(folder, 0o700); err != nil {
		t.Fatal(err)
	}

	done, err := v.Rotate(t.Context(), s, "")
	if err != nil || len(done.Lost) != 0 {
		t.Fatalf("rotated %+v, %v", done, err)
	}
	if now, err := os.ReadFile(file); err != nil || !bytes.Equal(now, pending) || bytes.Equal(now, old) {
		t.Errorf("the key is %s, %v", now, err)
	}
	if _, err := os.Stat(file + ".new"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the next key is still there: %v", err)
	}
	if !s.readable(t, v) || !s.readable(t, newVault(t, file, "")) || s.readable(t, newVault(t, "", string(old))) {
		t.Error("the new key does not read all values, or the old one does")
	}
	got, err := v.Open("one", s.all[0].Sealed)
	if err != nil || got["secret"] != "one" {
		t.Errorf("the value is %v, %v", got, err)
	}
}

func TestRotateVariable(t *testing.T) {
	t.Parallel()
	const first = "11111111111111111111111111111111111111111111111111111111111111aa"
	const second = "22222222222222222222222222222222222222222222222222222222222222bb"
	file := filepath.Join(t.TempDir(), "old.key")
	if err := os.WriteFile(file, []byte(first+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &safe{}
	s.fill(t, newVault(t, "", first))
	v := newVault(t, "", second)
	if _, err := v.Rotate(t.Context(), s, ""); fault.KindOf(err) != fault.Invalid {
		t.Errorf("without the old key: %v", err)
	}
	s.killed = true
	if _, err := v.Rotate(t.Context(), s, file); !errors.Is(err, errKilled) {
		t.Errorf("killed: %v", err)
	}
	s.killed = false
	if !s.readable(t, newVault(t, "", first)) {
		t.Error("a killed change lost values")
	}
	s.all = append(s.all, syncer.Secret{Name: "lost", Purpose: "lost", Sealed: bytes.Repeat([]byte{1}, 40)})
	done, err := v.Rotate(t.Context(), s, file)
	if err != nil || len(done.Changed) != 2 || len(done.Lost) != 1 || done.Lost[0] != "lost" {
		t.Errorf("rotated %+v, %v", done, err)
	}
	s.all = s.all[:2]
	if !s.readable(t, v) || s.readable(t, newVault(t, "", first)) {
		t.Error("the new key does not read all values, or the old one does")
	}
	if done, err := v.Rotate(t.Context(), s, file); err != nil || len(done.Changed) != 0 {
		t.Errorf("again: %+v, %v", done, err)
	}
}
