package diagram

import "strings"

// broken breaks texts into lines. Each text begins a line.
func broken(texts []string) []string {
	out := []string{}
	for _, text := range texts {
		line := ""
		for _, word := range strings.Fields(text) {
			if line != "" && width(line)+1+width(word) > maxLine {
				out, line = append(out, line), ""
			}
			for width(word) > maxLine {
				cut := 0
				for i := range word {
					if width(word[:i]) > maxLine-1 {
						break
					}
					cut = i
				}
				out, word = append(out, word[:cut]), word[cut:]
			}
			line = strings.TrimPrefix(line+" "+word, " ")
		}
		if line != "" {
			out = append(out, line)
		}
	}
	if len(out) > maxLines {
		out = append(out[:maxLines-1:maxLines-1], "…")
	}
	return out
}

// longest returns the width of the longest line, in characters.
func longest(lines []string) float64 {
	n := 0
	for _, line := range lines {
		n = max(n, width(line))
	}
	return float64(n)
}

// width returns the width of a text in characters. Characters of East Asian scripts count twice.
func width(text string) int {
	n := 0
	for _, r := range text {
		if n++; r >= 0x2e80 {
			n++
		}
	}
	return n
}
