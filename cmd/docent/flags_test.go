package main

import (
	"testing"

	"github.com/spf13/pflag"

	"docent/config"
)

// The help of a flag says what it takes.
func TestFlagTypes(t *testing.T) {
	t.Parallel()
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	config.AddFlags(flags, config.Settings())
	for name, want := range map[string]string{
		"passages": "int", "history": "int", "max-tokens": "int", "temperature": "number", "llm-timeout": "duration", "session-timeout": "duration",
		"check-interval": "duration", "max-file-size": "bytes", "model": "string", "log-level": "string", "auth": "bool", "origins": "string",
	} {
		if f := flags.Lookup(name); f == nil || f.Value.Type() != want {
			t.Errorf("--%s: %+v, want %s", name, f, want)
		}
	}
	if err := flags.Parse([]string{"--passages", "6"}); err != nil || flags.Lookup("passages").Value.String() != "6" {
		t.Error(err)
	}
}
