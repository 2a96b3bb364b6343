package main

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"docent/config"

	"gopkg.in/yaml.v3"
)

// compose has the allowed keys of docker-compose.yml. Unknown keys fail the
// decoding.
type compose struct {
	Services map[string]struct {
		Build       string            `yaml:"build"`
		Image       string            `yaml:"image"`
		Command     []string          `yaml:"command"`
		Environment map[string]string `yaml:"environment"`
		Ports       []string          `yaml:"ports"`
		Volumes     []string          `yaml:"volumes"`
		DependsOn   map[string]struct {
			Condition string `yaml:"condition"`
		} `yaml:"depends_on"`
		Healthcheck struct {
			Test        []string `yaml:"test"`
			Interval    string   `yaml:"interval"`
			Timeout     string   `yaml:"timeout"`
			Retries     int      `yaml:"retries"`
			StartPeriod string   `yaml:"start_period"`
		} `yaml:"healthcheck"`
		GracePeriod string `yaml:"stop_grace_period"`
		Restart     string `yaml:"restart"`
	} `yaml:"services"`
	Volumes map[string]any `yaml:"volumes"`
}

func TestCompose(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../docker-compose.yml")
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
			if _, named := c.Volumes[source]; !named && !strings.HasPrefix(source, "${DOCUMENTS") {
				t.Errorf("service %s mounts %s, which is no volume", name, source)
			}
		}
	}
	// The command lines in the file are ones the program understands.
	app, documents := c.Services["app"], c.Services["documents"]
	for _, args := range [][]string{app.Command, app.Healthcheck.Test[2:], documents.Command, documents.Healthcheck.Test[2:]} {
		cmd, rest, err := newRoot(stdio{}).Find(args)
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.ParseFlags(rest); err != nil {
			t.Errorf("docent %v: %v", args, err)
		}
	}
	if url := app.Environment["DATABASE_URL"]; url == "" || strings.Contains(url, "$") || len(c.Volumes) != 2 {
		t.Errorf("app has no database, or an escaped password does not work, or the data has no volumes")
	}
	if grace, err := time.ParseDuration(app.GracePeriod); err != nil || grace < 25*time.Second {
		t.Errorf("app gets %q to finish its turns, which take up to 20 s", app.GracePeriod)
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
