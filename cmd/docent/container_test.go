package main

import (
	"bytes"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"docent/config"

	"gopkg.in/yaml.v3"
)

// compose has the allowed keys of the compose files. Unknown keys fail the decoding.
type compose struct {
	Environment any `yaml:"x-environment"`
	Server      any `yaml:"x-server"`
	Services    map[string]struct {
		Build       string            `yaml:"build"`
		Image       string            `yaml:"image"`
		Command     []string          `yaml:"command"`
		Environment map[string]string `yaml:"environment"`
		Ports       []string          `yaml:"ports"`
		Volumes     []string          `yaml:"volumes"`
		Networks    []string          `yaml:"networks"`
		Configs     []struct {
			Source string `yaml:"source"`
			Target string `yaml:"target"`
		} `yaml:"configs"`
		DependsOn map[string]struct {
			Condition string `yaml:"condition"`
		} `yaml:"depends_on"`
		Healthcheck struct {
			Test        []string `yaml:"test"`
			Interval    string   `yaml:"interval"`
			Timeout     string   `yaml:"timeout"`
			Retries     int      `yaml:"retries"`
			StartPeriod string   `yaml:"start_period"`
			Disable     bool     `yaml:"disable"`
		} `yaml:"healthcheck"`
		GracePeriod string `yaml:"stop_grace_period"`
		Restart     string `yaml:"restart"`
	} `yaml:"services"`
	Configs  map[string]map[string]string `yaml:"configs"`
	Networks map[string]any               `yaml:"networks"`
	Volumes  map[string]any               `yaml:"volumes"`
}

// readCompose decodes a compose file and checks what holds for each.
func readCompose(t *testing.T, file string) compose {
	t.Helper()
	raw, err := os.ReadFile("../../" + file)
	if err != nil {
		t.Fatal(err)
	}
	var c compose
	dec := yaml.NewDecoder(bytes.NewReader(raw))
	dec.KnownFields(true)
	if err := dec.Decode(&c); err != nil {
		t.Fatal(err)
	}
	for name, s := range c.Services {
		if name == "documents" { // doctor would call the chat model every minute
			if !s.Healthcheck.Disable {
				t.Errorf("service %s has a health check: %v", name, s.Healthcheck.Test)
			}
			s.Healthcheck.Test = []string{"CMD", "/docent", "doctor"}
		}
		if len(s.Healthcheck.Test) < 2 || (s.Healthcheck.Test[0] != "CMD" && s.Healthcheck.Test[0] != "CMD-SHELL") {
			t.Errorf("service %s has no health check", name)
		}
		if (s.Build == "") == (s.Image == "") {
			t.Errorf("service %s needs either build or image", name)
		}
		for _, p := range s.Ports {
			if !strings.HasPrefix(p, "127.0.0.1:") {
				t.Errorf("service %s publishes %s to everyone", name, p)
			}
		}
		for dep, d := range s.DependsOn {
			if _, ok := c.Services[dep]; !ok || d.Condition != "service_healthy" {
				t.Errorf("service %s depends on %s, %q", name, dep, d.Condition)
			}
		}
		for _, v := range s.Volumes {
			source := v[:strings.Index(strings.ReplaceAll(v, ":-", "--"), ":")]
			if _, named := c.Volumes[source]; !named && !strings.HasPrefix(source, "${DOCUMENTS") && !strings.HasPrefix(source, "${AGENTS") {
				t.Errorf("service %s mounts %s, which is no volume", name, source)
			}
		}
		if s.Build == "" {
			continue
		}
		for _, args := range [][]string{s.Command, s.Healthcheck.Test[2:]} { // docent understands its command lines
			cmd, rest, err := newRoot(stdio{}).Find(args)
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.ParseFlags(rest); err != nil {
				t.Errorf("docent %v: %v", args, err)
			}
		}
		if url := s.Environment["DATABASE_URL"]; url == "" || strings.Contains(url, "$") {
			t.Errorf("service %s has no database, or an escaped password does not work", name)
		}
		if grace, err := time.ParseDuration(s.GracePeriod); err != nil || grace < 25*time.Second {
			t.Errorf("service %s gets %q to finish its turns, which take up to 20 s", name, s.GracePeriod)
		}
		for variable := range s.Environment {
			known := func(s config.Setting) bool { return slices.Contains(s.Env, variable) }
			if !slices.ContainsFunc(config.Settings(), known) && !slices.Contains(otherVariables, variable) {
				t.Errorf("service %s has %s, which docent does not read", name, variable)
			}
		}
	}
	return c
}

// otherVariables are variables that docent reads beside those of its settings.
var otherVariables = []string{"PGPASSWORD", "OTEL_EXPORTER_OTLP_ENDPOINT", "OPENROUTER_API_KEY", "MODEL", "DOCENT_SECRET_KEY"}

func TestCompose(t *testing.T) {
	t.Parallel()
	c := readCompose(t, "docker-compose.yml")
	if len(c.Volumes) != 2 {
		t.Errorf("volumes %v", c.Volumes)
	}
	app := c.Services["app"]
	if _, ok := app.Environment["DOCENT_AGENT_FILE"]; !ok || !slices.Contains(app.Volumes, "${AGENTS:-./examples}:/agents:ro") {
		t.Errorf("app cannot have an agent file: %v", app.Volumes)
	}
	for _, s := range config.Settings() { // each variable of speech and of Agent WebSocket reaches the server
		for _, name := range s.Env {
			_, passed := app.Environment[name]
			if foreign := !strings.HasPrefix(name, "DOCENT_") && !strings.HasPrefix(name, "OPENAI_") && name != "DATABASE_URL"; !passed &&
				(foreign || strings.HasPrefix(s.Key, "speech.") && name != "OPENAI_BASE_URL") {
				t.Errorf("app does not get %s", name)
			}
		}
	}
}

// The servers of the cluster have the same settings and different data folders. The
// proxy sends requests to all of them.
func TestComposeCluster(t *testing.T) {
	t.Parallel()
	c := readCompose(t, "docker-compose.cluster.yml")
	volumes := map[string]bool{}
	for name, s := range c.Services {
		if !strings.HasPrefix(name, "docent") {
			continue
		}
		volumes[s.Volumes[0]] = true
		if !strings.Contains(c.Configs["caddyfile"]["content"], " "+name+":8765") {
			t.Errorf("the proxy does not know %s", name)
		}
		if len(s.Ports) > 0 || s.Environment["DOCENT_SECRET_KEY"] == "" {
			t.Errorf("%s publishes %v, or has no key", name, s.Ports)
		}
	}
	if len(volumes) != 3 {
		t.Errorf("data folders: %v", volumes)
	}
}

// TestImageVersion checks that the image is built with the Go version of go.mod.
func TestImageVersion(t *testing.T) {
	t.Parallel()
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`(?m)^go (\S+)$`).FindSubmatch(mod)
	docker, err := os.ReadFile("../../Dockerfile")
	if err != nil || version == nil || !strings.Contains(string(docker), "FROM golang:"+string(version[1])+"-") {
		t.Errorf("the Dockerfile does not build with Go %s (%v)", version, err)
	}
}
