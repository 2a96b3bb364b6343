package mcp

import (
	"cmp"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"docent/internal/fault"
)

// DefaultTimeout is how long a server may take for what is asked of it.
const DefaultTimeout = 30 * time.Second

// validName leaves room for a tool's name within the 64 characters it may have
// with the server's before it.
var validName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,32}$`)

// Config says how to reach one MCP server: by a Command or by a URL.
type Config struct {
	// Name is what its tools' names begin with: 1 to 32 letters, digits, "_"
	// and "-". It has no default.
	Name string
	// Command is a program and its arguments; it speaks MCP on its standard
	// input and output. Default: none.
	Command []string
	// Env is added to the program's environment, which is otherwise PATH, HOME
	// and LANG only. Default: nothing.
	Env map[string]string
	// Dir is the folder the program runs in; default this program's.
	Dir string
	// URL is an endpoint of the streamable HTTP transport, http or https.
	// Default: none.
	URL string
	// Headers are sent with every request to URL, such as Authorization.
	// Default: none.
	Headers map[string]string
	// Timeout bounds each connection, list and call; default DefaultTimeout.
	Timeout time.Duration
	// Tools names those of the server's tools that are offered, as the server
	// calls them; default all.
	Tools []string
	// Logger hears of connections made and lost, and at debug level of what the
	// program writes to its standard error; default nobody.
	Logger *slog.Logger

	// retry paces reconnections; default defaultRetry.
	retry retry
}

// retry says how a lost server is sought again.
type retry struct {
	// pause is waited before the second attempt in a row, twice as long before
	// each further one, up to max.
	pause, max time.Duration
	// attempts in a row may fail; then calls fail at once for the time of rest.
	attempts int
	rest     time.Duration
	// stable is how long a connection must live to be no failure although no
	// call succeeded on it.
	stable time.Duration
}

var defaultRetry = retry{pause: 200 * time.Millisecond, max: 5 * time.Second, attempts: 5, rest: time.Minute, stable: time.Minute}

// prepare returns cfg with its defaults, or says which field is wrong.
func (cfg Config) prepare() (Config, error) {
	invalid := func(format string, args ...any) (Config, error) {
		return Config{}, fault.New(fault.Invalid, "mcp_config_invalid", "MCP server %q: %w", cfg.Name, fmt.Errorf(format, args...))
	}
	if !validName.MatchString(cfg.Name) {
		return invalid("Name must be 1 to 32 letters, digits, _ and -")
	}
	if (len(cfg.Command) == 0) == (cfg.URL == "") {
		return invalid("one of Command and URL must be given")
	}
	if cfg.Timeout < 0 {
		return invalid("Timeout cannot be negative")
	}
	if cfg.URL == "" {
		if cfg.Command[0] == "" {
			return invalid("Command names no program")
		}
		if len(cfg.Headers) > 0 {
			return invalid("Headers are for a URL")
		}
		for k, v := range cfg.Env {
			if k == "" || strings.ContainsAny(k, "=\x00") || strings.Contains(v, "\x00") {
				return invalid("Env has a variable %q that no program can have", k)
			}
		}
	} else {
		if len(cfg.Env) > 0 || cfg.Dir != "" {
			return invalid("Env and Dir are for a Command")
		}
		u, err := url.Parse(cfg.URL)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return invalid("URL must be an http or https address")
		}
		for k, v := range cfg.Headers {
			if http.CanonicalHeaderKey(k) == "" || strings.ContainsAny(k, " :\r\n\x00") || strings.ContainsAny(v, "\r\n\x00") {
				return invalid("Headers has %q, which cannot be sent", k)
			}
		}
	}
	cfg.Timeout = cmp.Or(cfg.Timeout, DefaultTimeout)
	cfg.retry = cmp.Or(cfg.retry, defaultRetry)
	cfg.Command, cfg.Tools = slices.Clone(cfg.Command), slices.Clone(cfg.Tools)
	cfg.Env, cfg.Headers = maps.Clone(cfg.Env), maps.Clone(cfg.Headers)
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	cfg.Logger = cfg.Logger.With("mcp_server", cfg.Name)
	return cfg, nil
}
