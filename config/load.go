package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"gopkg.in/yaml.v3"

	"docent/internal/fault"
)

// maxFile limits a configuration file, in bytes.
const maxFile = 1 << 20

// FileEnv is the environment variable that names the configuration file.
const FileEnv = "DOCENT_CONFIG"

// Sources are the sources of a configuration. Flags override the environment, the
// environment overrides the file, and the file overrides the values of the program.
// Settings without any value have docent's default.
type Sources struct {
	// Flags are the values given on the command line, by Setting.Flag.
	Flags map[string]string
	// File is the file named on the command line; "" takes FileEnv, then
	// docent.yaml in the data folder if it is there.
	File string
	// Env looks up an environment variable. Nil uses the environment of the
	// process.
	Env func(string) (string, bool)
	// Program are the values that a program gives, by Setting.Key.
	Program map[string]string
	// Models are the chat models of a program.
	Models []Model
}

// Load merges the sources and validates the result. Errors are
// fault.Invalid and name the setting and where its value came from.
func Load(src Sources) (Config, error) {
	if src.Env == nil {
		src.Env = os.LookupEnv
	}
	var c Config
	settings := Settings()
	for key := range src.Program {
		if !slices.ContainsFunc(settings, func(s Setting) bool { return s.Key == key }) {
			return Config{}, fault.New(fault.Invalid, "setting_unknown", "there is no setting %q; docent help config lists them", key)
		}
	}
	for _, s := range settings {
		if s.Default == "" {
			continue
		}
		if err := s.set(&c, s.Default); err != nil {
			return Config{}, fmt.Errorf("default of %s: %w", s.Key, err)
		}
	}
	data, err := dataFolder(src)
	if err != nil {
		return Config{}, err
	}
	c.Data, c.Models = data, filepath.Join(data, "models")
	file, models, err := readFile(src, data)
	if err != nil {
		return Config{}, err
	}
	secret := slices.ContainsFunc(models, func(m Model) bool { return m.keyInFile })
	c.origins, c.env = map[string]Origin{}, src.Env
	for _, s := range settings {
		secret = secret || s.Secret && file[s.Key] != ""
		value, from, ok := find(s, src, file)
		if !ok || s.Key == "data" {
			continue
		}
		if err := s.set(&c, value); err != nil {
			return Config{}, fault.New(fault.Invalid, "setting_invalid", "setting %s (from %s): %w", s.Key, from, err)
		}
		c.origins[s.Key] = from
	}
	if secret && readable(fileName(src, data)) {
		c.ExposedFile = fileName(src, data)
	}
	if err := c.addModels(src, models); err != nil {
		return Config{}, err
	}
	openRouter(&c, src, file)
	shared(&c, src)
	if model, _ := src.Env("MODEL"); !c.LLM.Enabled() {
		if c.LLM.URL != "" { // a setting of docent names the server
			c.LLM.Model = model
		} else {
			c.UnusedModel = model
		}
	}
	return c, c.validate()
}

// Variables that docent shares with other programs.
const (
	sharedURL = "OPENAI_BASE_URL"
	sharedKey = "OPENAI_API_KEY"
)

// shared discards the values of shared variables that are not meant for docent. It
// discards a URL without a model of docent. It also discards a key if only a setting of
// docent names the speech server.
func shared(c *Config, src Sources) {
	for key, u := range map[string]*string{"llm.url": &c.LLM.URL, "embedder.url": &c.Embedder.URL, "speech.url": &c.Speech.URL} {
		used := map[string]bool{"llm.url": c.LLM.Enabled(), "embedder.url": c.Embedder.Remote(), "speech.url": c.Speech.enabled()}
		if c.origins[key].Name == sharedURL && !used[key] {
			*u = ""
		}
	}
	base, _ := src.Env(sharedURL)
	if c.origins["speech.key"].Name == sharedKey && c.Speech.URL != base && !openAI(c.Speech.URL) {
		c.Speech.Key = ""
	}
}

// openAI reports whether a base URL is OpenAI's. An empty one is.
func openAI(base string) bool {
	u, err := url.Parse(base)
	return base == "" || err == nil && u.Scheme == "https" && u.Host == "api.openai.com"
}

// Variable returns the value of an environment variable that a file refers to.
func Variable(name string) (string, bool) { return os.LookupEnv(name) }

// find returns the value of a setting from the first source that has it.
func find(s Setting, src Sources, file map[string]string) (value string, from Origin, ok bool) {
	if v, ok := src.Flags[s.Flag]; ok {
		return v, Origin{FromFlag, "--" + s.Flag}, true
	}
	for _, name := range s.Env {
		if v, ok := src.Env(name); ok && v != "" {
			return v, Origin{FromEnvironment, name}, true
		}
	}
	if v, ok := file[s.Key]; ok {
		return v, Origin{Kind: FromFile}, true
	}
	if v, ok := src.Program[s.Key]; ok {
		return v, Origin{Kind: FromProgram}, true
	}
	return "", Origin{Kind: ByDefault}, false
}

// openRouter applies the defaults of Agent WebSocket if the key of OpenRouter is
// set, except for settings with another value.
func openRouter(c *Config, src Sources, file map[string]string) {
	key, ok := src.Env("OPENROUTER_API_KEY")
	if !ok || key == "" || c.LLM.Key != "" || c.LLM.URL != "" {
		return
	}
	c.LLM.Key, c.LLM.URL = key, "https://openrouter.ai/api/v1"
	if c.LLM.Model != "" {
		return
	}
	c.LLM.Model = "openai/gpt-4-turbo"
	if m, ok := src.Env("MODEL"); ok && m != "" {
		c.LLM.Model = m
	}
	for _, s := range Settings() {
		if _, _, set := find(s, src, file); set {
			continue
		}
		switch s.Key {
		case "agent":
			c.Agent = "agent_websocket"
		case "history":
			c.History = 50
		case "llm.temperature":
			c.LLM.Temperature = 0.7
		}
	}
}

func dataFolder(src Sources) (string, error) {
	dir := src.Flags["data"]
	if dir == "" {
		dir, _ = src.Env("DOCENT_DATA")
	}
	if dir == "" {
		dir = src.Program["data"]
	}
	if dir == "" {
		base, _ := src.Env("XDG_DATA_HOME")
		if base == "" {
			home, ok := src.Env("HOME")
			if !ok || home == "" {
				return "", fault.New(fault.Invalid, "setting_data_missing", "setting data: there is no home folder: set --data DIR")
			}
			base = filepath.Join(home, ".local", "share")
		}
		dir = filepath.Join(base, "docent")
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("data folder %s: %w", dir, err)
	}
	return abs, nil
}

// implicitFile returns the configuration file of a data folder.
func implicitFile(data string) string { return filepath.Join(data, "docent.yaml") }

// fileName returns the configuration file that the sources name, or the implicit
// one.
func fileName(src Sources, data string) string {
	if src.File != "" {
		return src.File
	}
	if name, _ := src.Env(FileEnv); name != "" {
		return name
	}
	return implicitFile(data)
}

// readFile returns the settings of the file by key, and its models, or none without a
// file.
func readFile(src Sources, data string) (map[string]string, []Model, error) {
	name := fileName(src, data)
	named := name != implicitFile(data)
	f, err := os.Open(name)
	if !named && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.ENOTDIR)) {
		return nil, nil, nil // opening the data folder reports its errors
	}
	if err != nil {
		return nil, nil, fault.New(fault.Invalid, "config_file", "configuration file: %w", err)
	}
	defer f.Close()
	trusted := []string{name}
	if folder := filepath.Dir(name); !named || !sticky(folder) {
		trusted = append(trusted, folder)
	}
	if err := checkTrust(trusted...); err != nil {
		return nil, nil, err
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, nil, fault.New(fault.Invalid, "config_file_named", "configuration file %s: %w", name, err)
	}
	if len(raw) > maxFile {
		return nil, nil, fault.New(fault.Invalid, "config_file_too_large", "configuration file %s is larger than %d bytes", name, maxFile)
	}
	values, section, err := parse(raw)
	var models []Model
	if err == nil && section != nil {
		models, err = readModels(section, src.Env)
	}
	if err != nil {
		return nil, nil, fault.New(fault.Invalid, "config_file_named", "configuration file %s: %w", name, err)
	}
	return values, models, nil
}

// parse flattens a YAML mapping to dotted keys and refuses unknown ones. It returns the
// section models as it is, or nil.
func parse(raw []byte) (map[string]string, *yaml.Node, error) {
	var root yaml.Node
	if err := yaml.NewDecoder(bytes.NewReader(raw)).Decode(&root); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, nil, nil
		}
		return nil, nil, err
	}
	known := map[string]bool{}
	for _, s := range Settings() {
		known[s.Key] = true
	}
	values := map[string]string{}
	var models *yaml.Node
	var walk func(prefix string, n *yaml.Node) error
	walk = func(prefix string, n *yaml.Node) error {
		switch n.Kind {
		case yaml.DocumentNode:
			return walk(prefix, n.Content[0])
		case yaml.MappingNode:
			if known[prefix] {
				return fmt.Errorf("line %d: %s takes one value, not a mapping", n.Line, prefix)
			}
			for i := 0; i+1 < len(n.Content); i += 2 {
				if prefix == "" && n.Content[i].Value == "models" {
					models = n.Content[i+1]
					continue
				}
				key := strings.TrimPrefix(prefix+"."+n.Content[i].Value, ".")
				if err := walk(key, n.Content[i+1]); err != nil {
					return err
				}
			}
			return nil
		case yaml.ScalarNode, yaml.SequenceNode:
			if n.Kind == yaml.ScalarNode && prefix == "" && n.Tag == "!!null" {
				return nil
			}
			if !known[prefix] || prefix == "data" {
				return fmt.Errorf("line %d: there is no setting %q here; docent help config lists them", n.Line, prefix)
			}
			if n.Kind == yaml.ScalarNode {
				values[prefix] = n.Value
				return nil
			}
			var items []string
			for _, item := range n.Content {
				items = append(items, item.Value)
			}
			values[prefix] = strings.Join(items, ",")
			return nil
		default:
			return fmt.Errorf("line %d: aliases are not supported", n.Line)
		}
	}
	if err := walk("", &root); err != nil {
		return nil, nil, err
	}
	return values, models, nil
}

// Print writes the configuration as a file that Load would read, with secrets
// hidden.
func (c Config) Print(w io.Writer) error {
	var b strings.Builder
	section := ""
	for _, s := range Settings() {
		value := s.get(c)
		switch {
		case s.Key == "data":
			fmt.Fprintf(&b, "# data: %s\n", value)
			continue
		case (s.Key == "database-url" || strings.HasSuffix(s.Key, ".url")) && value != "":
			value = redactURL(value)
		case s.Secret && value != "":
			value = "(hidden)"
		}
		group, name, nested := strings.Cut(s.Key, ".")
		if !nested {
			fmt.Fprintf(&b, "%s: %s\n", s.Key, yamlScalar(value))
			continue
		}
		if group != section {
			section = group
			fmt.Fprintf(&b, "%s:\n", group)
		}
		fmt.Fprintf(&b, "  %s: %s\n", name, yamlScalar(value))
	}
	c.printModels(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

// yamlScalar quotes a value if YAML would read it as another type.
func yamlScalar(s string) string {
	if s == "" || strings.ContainsAny(s, ":#{}[]&*!|>'\"%@`, ") {
		return strconv.Quote(s)
	}
	return s
}

// Table returns the settings as a Markdown table, for the documentation.
func Table() string {
	var b strings.Builder
	b.WriteString("| flag | variable | key in the file | in the console | default | description |\n|---|---|---|---|---|---|\n")
	for _, s := range Settings() {
		env := make([]string, len(s.Env))
		for i, e := range s.Env {
			env[i] = "`" + e + "`"
		}
		key := "`" + s.Key + "`"
		if s.Key == "data" {
			key = ""
		}
		def := s.Default
		if def != "" {
			def = "`" + def + "`"
		}
		fmt.Fprintf(&b, "| `--%s` | %s | %s | %s | %s | %s |\n", s.Flag, strings.Join(env, ", "), key, s.Storage, def, s.Help)
	}
	return b.String()
}

// InScope returns the settings that have one of the scopes, Global settings
// first.
func InScope(scopes ...Scope) []Setting {
	scopes = append([]Scope{Global}, scopes...)
	return slices.DeleteFunc(Settings(), func(s Setting) bool { return !slices.Contains(scopes, s.Scope) })
}
