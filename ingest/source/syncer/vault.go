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
	"sync"

	"docent/internal/fault"
)

// keyBytes is the length of the key: AES-256.
const keyBytes = 32

// Vault encrypts the secret settings of sources and webhooks with AES-256-GCM. It is safe
// for concurrent use.
type Vault struct {
	file string
	text string
	mu   sync.Mutex
	aead cipher.AEAD
}

// NewVault returns a vault. text contains a key of 32 bytes in hex or base64. If
// it is empty, the vault uses the key in the file. The vault creates the file
// when it first needs a key.
func NewVault(file, text string) (*Vault, error) {
	v := &Vault{file: file, text: strings.TrimSpace(text)}
	if v.text != "" {
		if _, err := v.cipher(false); err != nil {
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
	aead, err := v.cipher(true)
	if err != nil {
		return nil, err
	}
	plain, err := json.Marshal(settings)
	if err != nil {
		return nil, fmt.Errorf("encrypt secrets: %w", err)
	}
	nonce := make([]byte, aead.NonceSize())
	if _, err := rand.Read(nonce); err != nil {
		return nil, fmt.Errorf("encrypt secrets: %w", err)
	}
	return aead.Seal(nonce, nonce, plain, []byte(purpose)), nil
}

// Open decrypts settings.
func (v *Vault) Open(purpose string, sealed []byte) (map[string]string, error) {
	if len(sealed) == 0 {
		return map[string]string{}, nil
	}
	wrong := fault.New(fault.Conflict,
		"secrets_undecryptable", "the secrets of this source cannot be decrypted: the key has changed; restore secret.key or DOCENT_SECRET_KEY, or remove the source and add it again")
	aead, err := v.cipher(false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, wrong
	}
	if err != nil {
		return nil, err
	}
	if len(sealed) < aead.NonceSize() {
		return nil, wrong
	}
	plain, err := aead.Open(nil, sealed[:aead.NonceSize()], sealed[aead.NonceSize():], []byte(purpose))
	if err != nil {
		return nil, wrong
	}
	settings := map[string]string{}
	if err := json.Unmarshal(plain, &settings); err != nil {
		return nil, wrong
	}
	return settings, nil
}

// cipher returns the cipher with the key. If create is set, it creates a
// missing key.
func (v *Vault) cipher(create bool) (cipher.AEAD, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.aead != nil {
		return v.aead, nil
	}
	key, err := v.key(create)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("secret key: %w", err)
	}
	v.aead, err = cipher.NewGCM(block)
	if err != nil {
		return nil, fmt.Errorf("secret key: %w", err)
	}
	return v.aead, nil
}

func (v *Vault) key(create bool) ([]byte, error) {
	if v.text != "" {
		return parseKey(v.text, "DOCENT_SECRET_KEY")
	}
	data, err := os.ReadFile(v.file)
	if errors.Is(err, fs.ErrNotExist) && create {
		if err := makeKey(v.file); err != nil {
			return nil, fault.Wrap(fault.Unavailable, err,
				"secret_key_not_written", "the key for secrets cannot be written to the data folder")
		}
		data, err = os.ReadFile(v.file)
	}
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, err, "secret_key_unreadable", "the key for secrets cannot be read from the data folder")
	}
	return parseKey(strings.TrimSpace(string(data)), "secret.key")
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
