package config

import "github.com/spf13/pflag"

// fileFlag names the configuration file on the command line.
const fileFlag = "config"

// AddFlags registers the flags of settings. Load applies the defaults, so that only
// flags on the command line have a value.
func AddFlags(flags *pflag.FlagSet, settings []Setting) {
	for _, s := range settings {
		help := s.Help
		if s.Default != "" && !s.Bool {
			help += " (default " + s.Default + ")"
		}
		if s.Bool {
			flags.Bool(s.Flag, false, help)
		} else {
			flags.Var(&given{takes: s.Takes(), many: s.Many}, s.Flag, help)
		}
	}
}

// AddFileFlag registers the flag for the configuration file.
func AddFileFlag(flags *pflag.FlagSet) {
	flags.String(fileFlag, "", "configuration file (default docent.yaml in the data folder)")
}

// FromFlags returns the sources with the values of parsed flags.
func FromFlags(flags *pflag.FlagSet) Sources {
	set := map[string]string{}
	flags.Visit(func(f *pflag.Flag) { set[f.Name] = f.Value.String() })
	return Sources{Flags: set, File: set[fileFlag]}
}

// given is the text of a flag. Load parses it.
type given struct {
	text, takes string
	many        bool // repetitions add to the list
}

func (g *given) String() string { return g.text }

func (g *given) Type() string { return g.takes }

func (g *given) Set(text string) error {
	if g.many && g.text != "" {
		text = g.text + "," + text
	}
	g.text = text
	return nil
}
