package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docent/config"
	"docent/internal/fault"
)

// TestTrust checks that docent does not use a configuration that other users can
// change, and notices secrets that they can read.
func TestTrust(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		folder, file os.FileMode
		content      string
		untrusted    bool
		exposed      bool
	}{
		{0o700, 0o600, "llm: {key: k}", false, false},
		{0o755, 0o644, "k: 5", false, false},
		{0o755, 0o644, "llm: {key: k}", false, true},
		{0o755, 0o646, "k: 5", true, false},
		{0o777, 0o600, "k: 5", true, false},
		{0o777 | os.ModeSticky, 0o600, "k: 5", true, false},
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, "docent.yaml")
		content := strings.ReplaceAll(c.content, "k: 5", "log-level: warn") // without secrets
		if err := errors.Join(os.WriteFile(file, []byte(content), 0o600), os.Chmod(file, c.file), os.Chmod(dir, c.folder)); err != nil {
			t.Fatal(err)
		}
		other := t.TempDir() // of a file that --config names
		if err := os.WriteFile(filepath.Join(other, "c.yaml"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(other, c.folder); err != nil {
			t.Fatal(err)
		}
		_, err := config.Load(config.Sources{
			Flags: map[string]string{"data": t.TempDir()}, File: filepath.Join(other, "c.yaml"), Env: func(string) (string, bool) { return "", false },
		})
		if got := err != nil; got != (c.folder == 0o777) {
			t.Errorf("--config in a folder %o: %v", c.folder, err)
		}
		for _, named := range []string{"", file} {
			cfg, err := config.Load(config.Sources{Flags: map[string]string{"data": dir}, File: named, Env: func(string) (string, bool) { return "", false }})
			if got := err != nil && strings.Contains(fault.Message(err), "chmod o-w"); got != c.untrusted || err != nil && !got {
				t.Errorf("folder %o, file %o, named %q: %v", c.folder, c.file, named, err)
			}
			if err == nil && (cfg.ExposedFile != "") != c.exposed {
				t.Errorf("folder %o, file %o: exposed is %q", c.folder, c.file, cfg.ExposedFile)
			}
		}
	}
}

// TestPasswordOfMistypedURL checks that an error about a URL hides its password.
func TestPasswordOfMistypedURL(t *testing.T) {
	t.Parallel()
	for _, flag := range []string{"llm-url", "embedder-url", "speech-url", "rerank-url", "oidc-issuer"} {
		for _, url := range []string{"htp://user:SECRET@host/", "http://user:SECRET@ho st/", "user:SECRET@host"} {
			flags := map[string]string{
				"data": t.TempDir(), flag: url, "auth": "true", "oidc-audience": "a", "model": "m", "embedder-model": "m", "transcription-model": "m",
			}
			_, err := config.Load(config.Sources{Flags: flags, Env: func(string) (string, bool) { return "", false }})
			if err == nil || strings.Contains(err.Error(), "SECRET") {
				t.Errorf("--%s %s: %v", flag, url, err)
			}
		}
	}
}
