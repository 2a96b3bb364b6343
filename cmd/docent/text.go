package main

import (
	"strconv"
	"strings"
	"time"
)

// plural returns a count with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// oneLine replaces line ends and tabs, so that a name cannot look like several
// lines of a list.
func oneLine(s string) string { return lineEnds.Replace(s) }

var lineEnds = strings.NewReplacer("\n", " ", "\t", " ")

// moment returns a time in the terminal's time zone.
func moment(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.Local().Format("2006-01-02 15:04")
}
