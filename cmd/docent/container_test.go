package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

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
		Restart string `yaml:"restart"`
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
			source, _, _ := strings.Cut(v, ":")
			if _, named := c.Volumes[source]; !named && !strings.HasPrefix(source, "./") {
				t.Errorf("service %s mounts %s, which is no volume", name, source)
			}
		}
	}
	// The command lines in the file are ones the program understands.
	for _, args := range [][]string{c.Services["app"].Command, c.Services["app"].Healthcheck.Test[2:]} {
		cmd, rest, err := newRoot(stdio{}).Find(args)
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.ParseFlags(rest); err != nil {
			t.Errorf("docent %v: %v", args, err)
		}
	}
	if c.Services["app"].Environment["DATABASE_URL"] == "" || len(c.Volumes) != 2 {
		t.Errorf("app has no database, or the data no volumes")
	}
}
