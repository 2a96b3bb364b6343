package chat

import (
	"bytes"
	"encoding/json"
	"strconv"

	"docent/internal/fault"
	"docent/payload"
)

// Limits of the JSON in a session. All stores can represent JSON within them. Postgres writes out the digits of a number,
// and it refuses very long numbers and very deep nesting.
const (
	// MaxJSONDepth limits the nesting of arrays and objects.
	MaxJSONDepth = 500
	// MaxNumberBytes limits the length of a number in bytes.
	MaxNumberBytes = 1000
	// MaxExponent limits the absolute exponent of a number. Doubles reach 308.
	MaxExponent = 999
	// MaxExponents limits the sum of all exponents.
	MaxExponents = 16 << 20
)

// CheckJSON fails with fault.Invalid for invalid JSON, and for JSON beyond MaxJSONDepth, MaxNumberBytes, MaxExponent, or
// MaxExponents. Stores check the same limits.
func CheckJSON(raw json.RawMessage) error {
	if !json.Valid(raw) {
		return fault.New(fault.Invalid, "json_invalid", "the content is not valid JSON")
	}
	return CheckWithin(raw, MaxJSONDepth, MaxExponents)
}

// CheckWithin refuses valid JSON with too deep nesting or too large numbers.
func CheckWithin(raw []byte, maxDepth, maxExponents int) error {
	depth, exponents := 0, 0
	for i := 0; i < len(raw); i++ {
		switch b := raw[i]; {
		case b == '"':
			i += quoted(raw[i:]) - 1
		case b == '[' || b == '{':
			if depth++; depth > maxDepth {
				return fault.New(fault.Invalid, "json_too_deep", "the JSON is nested more than %d deep", maxDepth)
			}
		case b == ']' || b == '}':
			depth--
		case b == '-' || b >= '0' && b <= '9':
			number := raw[i:]
			if end := bytes.IndexAny(number, ",]} \t\r\n"); end >= 0 {
				number = number[:end]
			}
			exponent, err := checkNumber(number)
			if err != nil {
				return err
			}
			if exponents += exponent; exponents > maxExponents {
				return fault.New(fault.Invalid, "json_numbers_too_large", "the numbers of the JSON are too large together")
			}
			i += len(number) - 1
		}
	}
	return nil
}

// quoted returns the length of the string at the start of valid JSON. Files are long strings, so it only looks for
// quotation marks.
func quoted(raw []byte) int {
	for end := 1; ; end++ {
		end += bytes.IndexByte(raw[end:], '"')
		escapes := 0
		for raw[end-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return end + 1
		}
	}
}

// checkNumber returns the absolute exponent of a number.
func checkNumber(number []byte) (int, error) {
	if len(number) > MaxNumberBytes {
		return 0, fault.New(fault.Invalid, "json_number_too_long", "a number in the JSON has more than %d characters", MaxNumberBytes)
	}
	at := bytes.IndexAny(number, "eE")
	if at < 0 {
		return 0, nil
	}
	exponent, err := strconv.Atoi(string(number[at+1:]))
	if err != nil || exponent > MaxExponent || exponent < -MaxExponent {
		return 0, fault.New(fault.Invalid, "json_exponent_too_large", "a number in the JSON has an exponent beyond %d", MaxExponent)
	}
	return max(exponent, -exponent), nil
}

// JSONString returns a string as JSON.
func JSONString(text string) json.RawMessage {
	content, err := payload.Marshal(text)
	if err != nil { // strings always encode
		return json.RawMessage(`""`)
	}
	return content
}
