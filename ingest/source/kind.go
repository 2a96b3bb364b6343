package source

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"docent/internal/fault"
)

// Watcher is a Source that can watch for changes.
type Watcher interface {
	// Watch calls changed after each change until ctx ends. It waits until changes
	// have stopped for a while. It also calls changed once after it has started to
	// watch. If it cannot watch, the error gives the reason, and the source follows
	// its schedule.
	Watch(ctx context.Context, changed func()) error
}

// Option is a setting of a kind.
type Option struct {
	// Name is the name of the setting in requests and in the kind's Config.
	Name string
	// Title is a short description.
	Title fault.Text
	// Type is one of text, number, bool, list and duration; default text.
	Type string
	// Secret marks settings that are encrypted and never shown.
	Secret bool
	// Required marks settings that must be given.
	Required bool
	// Choices are the allowed values of the setting. If it is empty, every value is
	// allowed.
	Choices []string
	// Default is the value if the setting is omitted.
	Default string
}

// Settings are the settings of one source.
type Settings struct {
	// ID is the id of the source; 0 while the settings are only checked.
	ID int64
	// Location is the place of the documents.
	Location string
	// Options are the options and secret settings, by name.
	Options map[string]string
	// Dial connects to the servers of the source; default a dialer of package dial.
	Dial func(ctx context.Context, network, address string) (net.Conn, error) `json:"-"`
}

// Storing is a Source that keeps files in a folder between syncs.
type Storing interface {
	// Folder returns the only folder that the source writes to.
	Folder() string
}

// Bound is a Source that connects only to some hosts. Other sources follow links or
// redirects to any public host.
type Bound interface {
	// Reaches reports whether the source connects to a host.
	Reaches(host string) bool
}

// Kind is a kind of source, such as a folder or a web site.
type Kind struct {
	// Name identifies the kind.
	Name string
	// Options are the settings of the kind.
	Options []Option
	// Local kinds read the server's own disk. Such sources can only be added on the
	// command line.
	Local bool
	// Watches reports whether sources of this kind are Watchers.
	Watches bool
	// Schedule is the default schedule of sources of this kind; default 24h.
	Schedule string
	// Open returns a source with the given settings. It checks them without
	// connecting to any server.
	Open func(Settings) (Source, error)
}

// Check fails with fault.Invalid for unknown or missing settings.
func (k Kind) Check(options, secret map[string]string) error {
	for given, wantSecret := range map[*map[string]string]bool{&options: false, &secret: true} {
		for name := range *given {
			i := slices.IndexFunc(k.Options, func(o Option) bool { return o.Name == name })
			switch {
			case i < 0:
				return fault.New(fault.Invalid,
					"source_option_unknown", "sources of kind %s have no option %q%s", k.Name, name, k.optionNames())
			case k.Options[i].Secret && !wantSecret:
				return fault.New(fault.Invalid,
					"source_option_is_secret", "the option %s is a secret: use --secret-stdin or --secret-env, or the field secret of the API", name)
			case !k.Options[i].Secret && wantSecret:
				return fault.New(fault.Invalid, "source_option_not_secret", "the option %s is not a secret", name)
			}
		}
	}
	for _, o := range k.Options {
		if o.Required && options[o.Name] == "" && secret[o.Name] == "" {
			if o.Secret {
				return fault.New(fault.Invalid,
					"source_secret_missing", "sources of kind %s need the secret %s: %s; use --secret-stdin=%s or --secret-env, or the field secret of the API",
					k.Name, o.Name, o.Title, o.Name)
			}
			return fault.New(fault.Invalid, "source_option_missing", "sources of kind %s need the option %s: %s", k.Name, o.Name, o.Title)
		}
	}
	return nil
}

func (k Kind) optionNames() string {
	if len(k.Options) == 0 {
		return "; they have none"
	}
	var names []string
	for _, o := range k.Options {
		names = append(names, o.Name)
	}
	return "; they have " + strings.Join(names, ", ")
}

// Decode fills the Config struct of a kind from settings in text form. The struct
// has JSON keys.
func (k Kind) Decode(s Settings, config any) error {
	values := map[string]any{}
	for _, o := range k.Options {
		text, given := s.Options[o.Name]
		if !given || text == "" {
			continue
		}
		value, err := o.value(text)
		if err != nil {
			return err
		}
		values[o.Name] = value
	}
	data, err := json.Marshal(values)
	if err == nil {
		err = json.Unmarshal(data, config)
	}
	if err != nil {
		return fmt.Errorf("options of kind %s: %w", k.Name, err)
	}
	return nil
}

// value returns the JSON form of a setting.
func (o Option) value(text string) (any, error) {
	switch o.Type {
	case "number":
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, fault.New(fault.Invalid, "source_option_not_integer", "option %s: %.64q is not a whole number", o.Name, text)
		}
		return n, nil
	case "bool":
		b, err := strconv.ParseBool(text)
		if err != nil {
			return nil, fault.New(fault.Invalid, "source_option_not_boolean", "option %s: %.64q is neither true nor false", o.Name, text)
		}
		return b, nil
	case "duration":
		d, err := time.ParseDuration(text)
		if err != nil {
			return nil, fault.New(fault.Invalid,
				"source_option_not_duration", "option %s: %.64q is not a duration such as 30s", o.Name, text)
		}
		return d.Nanoseconds(), nil
	case "list":
		parts := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == '\n' })
		out := []string{}
		for _, p := range parts {
			if p = strings.TrimSpace(p); p != "" {
				out = append(out, p)
			}
		}
		return out, nil
	default:
		return text, nil
	}
}

// Limits of a schedule.
const (
	minInterval = time.Second
	maxInterval = 366 * 24 * time.Hour
)

// ParseSchedule parses a schedule: Manual, or an interval such as 15m, 12h, or
// 7d. It returns 0 for Manual.
func ParseSchedule(text string) (time.Duration, error) {
	if text == Manual {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if days, ok := strings.CutSuffix(text, "d"); ok {
		var n int
		n, err = strconv.Atoi(days)
		d = time.Duration(min(max(n, 0), 1000)) * 24 * time.Hour
	}
	if err != nil || d < minInterval || d > maxInterval {
		return 0, fault.New(fault.Invalid,
			"schedule_invalid", "the schedule %.64q is neither %s nor an interval such as 15m, 1h or 7d", text, Manual)
	}
	return d, nil
}

// minUnwatched is the minimum interval of sources that are not watched.
const minUnwatched = time.Minute

// Interval parses a schedule for sources of this kind. Only watched sources may
// have an interval below one minute.
func (k Kind) Interval(schedule string) (time.Duration, error) {
	d, err := ParseSchedule(schedule)
	if err == nil && d > 0 && d < minUnwatched && !k.Watches {
		return 0, fault.New(fault.Invalid,
			"schedule_too_short", "the schedule %.64q is too short: sources of kind %s sync once a minute at most, which is 1m", schedule, k.Name)
	}
	return d, err
}

// ErrHost returns the error of a source that connects to an address that its Bound does not reach.
func ErrHost(address string) error {
	return fault.New(fault.Forbidden, "source_host", "this source may not connect to %s", address)
}
