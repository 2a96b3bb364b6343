package office

// FormatNumber writes a number in the format of a code.
func FormatNumber(code string, v float64) string { return parseFormat(code).number(v, false) }
