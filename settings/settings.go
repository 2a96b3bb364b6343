// Package settings keeps settings and chat models that administrators change while docent
// runs. Flags, environment variables, and the configuration file replace them; see
// config.Config.With.
package settings

import (
	"context"
	"fmt"
	"slices"

	"docent/config"
	"docent/internal/fault"
)

// MaxValue limits the value of a setting, in bytes.
const MaxValue = 48 << 10

// authKey is the key of the setting that turns authentication on.
const authKey = "auth"

// Record is a stored value.
type Record struct {
	// Key is the key of a setting, or "models".
	Key string
	// Value is a text.
	Value string
	// Secret is encrypted, or nil.
	Secret []byte
}

// Store keeps records. It is safe for concurrent use.
type Store interface {
	// Settings returns all records, ordered by key.
	Settings(ctx context.Context) ([]Record, error)
	// ChangeSetting replaces the record of a key by the result of change. nil means that there is no record.
	// If the transaction collides with others, the store calls change again. It returns an error of change as it is.
	ChangeSetting(ctx context.Context, key string, change func(old *Record) (*Record, error)) error
}

// Sealer encrypts secrets. Open fails with fault.Conflict if the secrets were encrypted with another key.
type Sealer interface {
	// Seal encrypts secrets for a purpose.
	Seal(purpose string, secrets map[string]string) ([]byte, error)
	// Open decrypts them.
	Open(purpose string, sealed []byte) (map[string]string, error)
}

// Config configures Settings. All fields are required.
type Config struct {
	// Store keeps the values.
	Store Store
	// Sealer encrypts keys of models.
	Sealer Sealer
	// Outside is the configuration without stored values.
	Outside config.Config
	// Administered reports whether an administrator can sign in.
	Administered func(ctx context.Context) (bool, error)
}

// Settings reads and changes stored settings. It is safe for concurrent use.
type Settings struct{ cfg Config }

// New returns the settings of a database.
func New(cfg Config) *Settings { return &Settings{cfg} }

// Item is a setting as administrators see it.
type Item struct {
	config.Setting

	// Value is the value in force, or the one after a restart. It is "" for secrets.
	Value string
	// Has reports that a secret has a value.
	Has bool
	// Origin says where Value is from.
	Origin config.Origin
	// Problem says why a stored value is ignored; nil otherwise.
	Problem error
}

// Load returns the stored values. Models whose keys cannot be decrypted have a Problem.
func (s *Settings) Load(ctx context.Context) (config.Stored, error) {
	records, err := s.cfg.Store.Settings(ctx)
	if err != nil {
		return config.Stored{}, err //nolint:wrapcheck // the store names the operation
	}
	out := config.Stored{Values: map[string]string{}, Lost: map[string]error{}}
	for _, r := range records {
		if r.Key != ModelsKey {
			if err := s.add(&out, r); err != nil {
				return out, err
			}
			continue
		}
		if out.Models, err = s.decode(&r); err != nil {
			return out, err
		}
	}
	return out, nil
}

// lostSecret is the problem of a secret value that cannot be decrypted.
func lostSecret(key string) error {
	return fault.New(fault.Conflict, "setting_secret_lost",
		"the value of %s cannot be decrypted, because the secret key of docent has changed; enter it again", key)
}

// add adds the value of a record. Secret values are encrypted.
func (s *Settings) add(out *config.Stored, r Record) error {
	if len(r.Secret) == 0 {
		out.Values[r.Key] = r.Value
		return nil
	}
	values, err := s.cfg.Sealer.Open(r.Key, r.Secret)
	switch {
	case err == nil:
		out.Values[r.Key] = values[r.Key]
	case fault.KindOf(err) == fault.Conflict:
		out.Lost[r.Key] = lostSecret(r.Key)
	default:
		return fmt.Errorf("the setting %s: %w", r.Key, err)
	}
	return nil
}

// With returns the configuration with stored values, and the ignored ones.
func (s *Settings) With(stored config.Stored) (config.Config, []config.Ignored) {
	return s.cfg.Outside.With(stored)
}

// List lists the settings that the database may hold.
func (s *Settings) List(ctx context.Context) ([]Item, error) {
	stored, err := s.Load(ctx)
	if err != nil {
		return nil, err
	}
	cfg, ignored := s.With(stored)
	var out []Item
	for _, row := range config.Settings() {
		if row.Storage == config.Outside {
			continue
		}
		item := Item{Setting: row, Value: cfg.Value(row), Origin: cfg.Origin(row.Key)}
		if i := slices.IndexFunc(ignored, func(i config.Ignored) bool { return i.Key == row.Key }); i >= 0 {
			item.Problem = ignored[i].Err
		}
		if row.Secret {
			item.Value, item.Has = "", item.Value != ""
		}
		out = append(out, item)
	}
	return out, nil
}

// Get returns a setting.
func (s *Settings) Get(ctx context.Context, key string) (Item, error) {
	all, err := s.List(ctx)
	if err != nil {
		return Item{}, err
	}
	i := slices.IndexFunc(all, func(i Item) bool { return i.Key == key })
	if i < 0 {
		return Item{}, unknown(key)
	}
	return all[i], nil
}

// Set stores a value. It fails if a flag, a variable, a file, or a program sets the value. It does not
// turn authentication on while nobody could change settings afterwards.
func (s *Settings) Set(ctx context.Context, key, value string) error {
	old, err := s.Get(ctx, key)
	switch {
	case err != nil:
		return err
	case old.Origin.Locked():
		return fault.New(fault.Conflict, "setting_locked",
			"the setting %s comes from %s, which replaces a stored value; change it there", key, old.Origin)
	case len(value) > MaxValue:
		return fault.New(fault.Invalid, "setting_too_long", "the value of %s has more than %d bytes", key, MaxValue)
	}
	stored, err := s.Load(ctx)
	if err != nil {
		return err
	}
	stored.Values[key] = value
	delete(stored.Lost, key)
	with, ignored := s.cfg.Outside.With(stored)
	if i := slices.IndexFunc(ignored, func(i config.Ignored) bool { return i.Key == key }); i >= 0 {
		return ignored[i].Err
	}
	if key == authKey && with.Auth {
		if ok, err := s.cfg.Administered(ctx); err != nil {
			return err
		} else if !ok {
			return fault.New(fault.Conflict, "auth_without_administrator",
				"nobody could change settings with authentication, because there is no administrator yet; create one first, under People or with docent user create NAME --scopes admin")
		}
	}
	record := Record{Key: key, Value: value}
	switch {
	case old.Secret && value == "":
		return s.Unset(ctx, key)
	case old.Secret:
		record.Value = ""
		if record.Secret, err = s.cfg.Sealer.Seal(key, map[string]string{key: value}); err != nil {
			return fmt.Errorf("the setting %s: %w", key, err)
		}
	}
	return s.cfg.Store.ChangeSetting(ctx, key, //nolint:wrapcheck // the store names the operation
		func(*Record) (*Record, error) { return &record, nil })
}

// Unset removes a stored value, so that the default applies.
func (s *Settings) Unset(ctx context.Context, key string) error {
	if _, err := s.Get(ctx, key); err != nil {
		return err
	}
	return s.cfg.Store.ChangeSetting(ctx, key, //nolint:wrapcheck // the store names the operation
		func(*Record) (*Record, error) { return nil, nil }) //nolint:nilnil // no record, as documented
}

// unknown is the error for a key that the database cannot hold.
func unknown(key string) error {
	if slices.ContainsFunc(config.Settings(), func(s config.Setting) bool { return s.Key == key }) {
		return fault.New(fault.NotFound, "setting_outside",
			"the setting %s can only be set with a flag, a variable, or the configuration file", key)
	}
	return fault.New(fault.NotFound, "setting_unknown", "there is no setting %q; docent help config lists them", key)
}
