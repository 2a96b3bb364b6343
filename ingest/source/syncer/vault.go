package syncer

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"docent/internal/fault"
)

// keyBytes is the length of the key: AES-256.
const keyBytes = 32

// pendingSuffix ends the name of the file with the next key while docent changes the key.
const pendingSuffix = ".new"

// Vault encrypts the secret settings of sources, webhooks, and chat models with AES-256-GCM. It reads
// the key for each call, because another process may change it. It is safe for concurrent use.
type Vault struct{ file, text string }

// NewVault returns a vault. text contains a key of 32 bytes in hex or base64. If
// it is empty, the vault uses the key in the file. The vault creates the file
// when it first needs a key.
func NewVault(file, text string) (*Vault, error) {
	v := &Vault{file: file, text: strings.TrimSpace(text)}
	if v.text != "" {
		if _, err := v.ciphers(false); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// Seal encrypts settings for a purpose. They cannot be decrypted for another
// purpose. Seal returns nil for no settings.
func (v *Vault) Seal(purpose string, settings map[string]string) ([]byte, error) {
	if len(settings) == 0 {
		return nil, nil
	}
	all, err := v.ciphers(true)
	if err != nil {
		return nil, err
	}
	plain, err := json.Marshal(settings)
	if err != nil {
		return nil, fmt.Errorf("encrypt secrets: %w", err)
	}
	return seal(all[0], purpose, plain), nil
}

// seal encrypts a text for a purpose.
func seal(aead cipher.AEAD, purpose string, plain []byte) []byte {
	nonce := make([]byte, aead.NonceSize())
	_, _ = rand.Read(nonce) // it never fails
	return aead.Seal(nonce, nonce, plain, []byte(purpose))
}

// unseal decrypts a text with the first key that fits.
func unseal(all []cipher.AEAD, purpose string, sealed []byte) (plain []byte, fits bool) {
	for _, aead := range all {
		if len(sealed) < aead.NonceSize() {
			continue
		}
		if plain, err := aead.Open(nil, sealed[:aead.NonceSize()], sealed[aead.NonceSize():], []byte(purpose)); err == nil {
			return plain, true
		}
	}
	return nil, false
}

// Open decrypts settings.
func (v *Vault) Open(purpose string, sealed []byte) (map[string]string, error) {
	if len(sealed) == 0 {
		return map[string]string{}, nil
	}
	wrong := fault.New(fault.Conflict,
		"secrets_undecryptable", "the stored secrets cannot be decrypted: the key has changed; restore secret.key or DOCENT_SECRET_KEY, or enter the secrets again")
	all, err := v.ciphers(false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, wrong
	}
	if err != nil {
		return nil, err
	}
	plain, fits := unseal(all, purpose, sealed)
	if !fits {
		return nil, wrong
	}
	settings := map[string]string{}
	if err := json.Unmarshal(plain, &settings); err != nil {
		return nil, wrong
	}
	return settings, nil
}

// ciphers returns the ciphers of the present keys. The first one encrypts. While docent changes the key, there are two.
// If create is set, it creates a missing key.
func (v *Vault) ciphers(create bool) ([]cipher.AEAD, error) {
	if v.text != "" {
		aead, err := newCipher(v.text, "DOCENT_SECRET_KEY")
		return []cipher.AEAD{aead}, err
	}
	var out []cipher.AEAD
	if next, err := readKey(v.file + pendingSuffix); err == nil {
		out = append(out, next)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	aead, err := readKey(v.file)
	if errors.Is(err, fs.ErrNotExist) && create && len(out) == 0 {
		if err := makeKey(v.file); err != nil {
			return nil, fault.Wrap(fault.Unavailable, err,
				"secret_key_not_written", "the key for secrets cannot be written to the data folder")
		}
		aead, err = readKey(v.file)
	}
	switch {
	case err == nil:
		return append(out, aead), nil
	case len(out) > 0 && errors.Is(err, fs.ErrNotExist):
		return out, nil
	}
	return nil, err
}

// readKey returns the cipher of a key file.
func readKey(file string) (cipher.AEAD, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, err, "secret_key_unreadable", "the key for secrets cannot be read: %s", file)
	}
	return newCipher(strings.TrimSpace(string(data)), filepath.Base(file))
}

// newCipher returns the cipher of a key. where names the place of the key in errors.
func newCipher(text, where string) (cipher.AEAD, error) {
	key, err := parseKey(text, where)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("secret key: %w", err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, fmt.Errorf("secret key: %w", err)
	}
	return aead, nil
}

func parseKey(text, where string) ([]byte, error) {
	for _, decode := range []func(string) ([]byte, error){
		hex.DecodeString, base64.StdEncoding.DecodeString, base64.RawURLEncoding.DecodeString,
	} {
		if key, err := decode(text); err == nil && len(key) == keyBytes {
			return key, nil
		}
	}
	return nil, fault.New(fault.Invalid,
		"secret_key_length", "%s must be %d bytes in hex; openssl rand -hex %d prints such a key", where, keyBytes, keyBytes)
}

// makeKey writes a new key to a file that only its owner can read. If several
// processes try at once, one succeeds and the others use its key.
func makeKey(file string) error {
	key := make([]byte, keyBytes)
	if _, err := rand.Read(key); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(file), ".secret.key-*") // CreateTemp sets mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) //nolint:errcheck // it may be left
	_, err = tmp.WriteString(hex.EncodeToString(key) + "\n")
	if err == nil {
		err = tmp.Sync()
	}
	if err = errors.Join(err, tmp.Close()); err != nil {
		return err
	}
	if err := os.Link(tmp.Name(), file); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}
