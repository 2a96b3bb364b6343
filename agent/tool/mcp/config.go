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

// DefaultTimeout is the timeout of requests to a server.
const DefaultTimeout = 30 * time.Second

// validName matches server names that leave room for a tool's name within 64 characters.
var validName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,32}$`)

// Config describes an MCP server, either by a Command or by a URL.
type Config struct {
	// Name is the prefix of the tools' names: 1 to 32 letters, digits, "_", and "-". Required.
	Name string
	// Command is a program with its arguments. It speaks MCP on its standard input and output. Default: none.
	Command []string
	// Env is added to the program's environment, which otherwise has only PATH, HOME, and LANG. Default: nothing.
	Env map[string]string
	// Dir is the program's working folder. Default: docent's own.
	Dir string
	// URL is an endpoint of the streamable HTTP transport, http or https. Default: none.
	URL string
	// Headers are sent with every request to URL, such as Authorization. Default: none.
	Headers map[string]string
	// Timeout limits each connection attempt, list, and call. Default: DefaultTimeout.
	Timeout time.Duration
	// Tools are the offered tools, under the server's names. Default: all.
	Tools []string
	// Logger logs new and lost connections. At debug level it also logs the program's standard error. Default: nil, which
	// discards them.
	Logger *slog.Logger

	// retry configures reconnections. Default: defaultRetry.
	retry retry
}

// retry configures reconnections to a lost server.
type retry struct {
	// pause is the wait before the second attempt in a row. It doubles with each further attempt, up to max.
	pause, max time.Duration
	// attempts is the number of failed attempts in a row after which calls fail at once. New attempts begin after rest.
	attempts int
	rest     time.Duration
	// stable is the minimum lifetime of a connection without a successful call. A shorter one counts as a failure.
	stable time.Duration
}

var defaultRetry = retry{pause: 200 * time.Millisecond, max: 5 * time.Second, attempts: 5, rest: time.Minute, stable: time.Minute}

// prepare returns cfg with its defaults, or an error that names the wrong field.
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
