package auth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"

	"docent/internal/fault"
)

// Limits of passwords, and the parameters of argon2id that OWASP recommends.
const (
	// MinPassword is the minimum length of a password, in characters.
	MinPassword = 8
	// MaxPasswordBytes is the maximum length of a password, in bytes.
	MaxPasswordBytes = 1024

	hashMemory  = 19 << 10 // KiB
	hashTime    = 2
	hashThreads = 1
	saltBytes   = 16
	keyBytes    = 32

	// maxHashing bounds the passwords that are checked at once. Four need 76
	// MiB.
	maxHashing = 4
	// maxWaiting bounds the sign-ins that wait for a check.
	maxWaiting = 64

	// Limits for the parameters of a stored hash. Larger ones are an error or
	// an attack.
	maxHashMemory  = 64 << 10 // KiB
	maxHashTime    = 10
	maxHashThreads = 4
	maxHashBytes   = 64
)

// cost has the parameters of new hashes. Only the tests of this package lower it: hashes took most of their time.
var cost = phc{memory: hashMemory, time: hashTime, threads: hashThreads}

// HashPassword returns the hash of a password as a PHC string. It fails with
// fault.Invalid if the password is too short or too long.
func HashPassword(password string) (string, error) { return cost.of(password) }

// of is HashPassword with the parameters of h.
func (h phc) of(password string) (string, error) {
	if len(password) > MaxPasswordBytes {
		return "", fault.New(fault.Invalid, "password_too_long", "a password may have at most %d bytes", MaxPasswordBytes)
	}
	password = norm.NFC.String(password) // keyboards differ in how they write ü
	if utf8.RuneCountInString(password) < MinPassword {
		return "", fault.New(fault.Invalid, "password_too_short", "a password needs at least %d characters", MinPassword)
	}
	h.salt = make([]byte, saltBytes)
	_, _ = rand.Read(h.salt) // it never fails
	h.key = h.hash(password, keyBytes)
	return h.String(), nil
}

// phc is a password hash with its parameters.
type phc struct {
	memory, time uint32
	threads      uint8
	salt, key    []byte
}

func (h phc) hash(password string, length uint32) []byte {
	return argon2.IDKey([]byte(password), h.salt, h.time, h.memory, h.threads, length)
}

// String formats the hash in the PHC string format.
func (h phc) String() string {
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, h.memory, h.time, h.threads, b64.EncodeToString(h.salt),
		b64.EncodeToString(h.key))
}

var errHash = errors.New("the stored hash of a password is not argon2id, or not within bounds")

// parsePHC parses a hash. Its errors do not contain the hash.
func parsePHC(s string) (phc, error) {
	var h phc
	var version int
	parts := strings.Split(s, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" {
		return h, errHash
	}
	if _, err := fmt.Sscanf(parts[2], "v=%d", &version); err != nil || version != argon2.Version || parts[2] != fmt.Sprintf("v=%d", version) {
		return h, errHash
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &h.memory, &h.time, &h.threads); err != nil ||
		parts[3] != fmt.Sprintf("m=%d,t=%d,p=%d", h.memory, h.time, h.threads) {
		return h, errHash
	}
	var errs [2]error
	h.salt, errs[0] = base64.RawStdEncoding.Strict().DecodeString(parts[4])
	h.key, errs[1] = base64.RawStdEncoding.Strict().DecodeString(parts[5])
	fits := func(n, low, high int) bool { return n >= low && n <= high }
	if errors.Join(errs[:]...) != nil || !fits(len(h.salt), 8, maxHashBytes) || !fits(len(h.key), 16, maxHashBytes) ||
		!fits(int(h.threads), 1, maxHashThreads) || !fits(int(h.time), 1, maxHashTime) || !fits(int(h.memory), 8*int(h.threads), maxHashMemory) {
		return h, errHash
	}
	return h, nil
}

// matches reports whether a password has the hash.
func (h phc) matches(password string) bool {
	got := h.hash(norm.NFC.String(password), uint32(len(h.key))) //nolint:gosec // bounded by parsePHC
	return subtle.ConstantTimeCompare(got, h.key) == 1
}

// nobody returns a hash that no password has. Checking against it takes as long
// as against a user's, so the time does not reveal which users exist.
func nobody() phc {
	h := cost
	h.salt, h.key = make([]byte, saltBytes), make([]byte, keyBytes)
	return h
}

// check compares a password with a hash once a slot is free, see slot.
func (a *Authenticator) check(ctx context.Context, h phc, password string) (right bool, err error) {
	err = a.slot(ctx, func() error {
		right = h.matches(password)
		return nil
	})
	return right, err
}

// slot runs f once a slot for hashing is free. It fails with fault.Busy if too many callers
// wait.
func (a *Authenticator) slot(ctx context.Context, f func() error) error {
	select {
	case a.waiting <- struct{}{}:
		defer func() { <-a.waiting }()
	default:
		return fault.New(fault.Busy, "sign_ins_busy", "too many people are signing in right now; try again")
	}
	select {
	case a.hashing <- struct{}{}:
		defer func() { <-a.hashing }()
	case <-ctx.Done():
		return fmt.Errorf("wait to check a password: %w", ctx.Err())
	}
	return f()
}
