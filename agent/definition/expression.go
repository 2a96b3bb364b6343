package definition

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"docent/agent"
)

// MaxTerms bounds the numbers, names, operators, and parentheses in a placeholder
// that calculates.
const MaxTerms = 100

// operators are the arithmetic operators.
var operators = []string{"+", "-", "*", "/"}

// computed reads the inside of a placeholder: a name, or a calculation such as
// "4 * .parameters.parcels". Operators have spaces around them, because keys may
// contain "-". If the result is nil, reason explains the error.
func (d *draft) computed(text string) (_ source, reason string) {
	if !slices.ContainsFunc(strings.Fields(text), func(f string) bool { return slices.Contains(operators, f) }) {
		if value := d.placeholder(text); value != nil {
			return value, ""
		}
		return nil, d.unknown(text)
	}
	e := &expression{draft: d, terms: strings.Fields(strings.NewReplacer("(", " ( ", ")", " ) ").Replace(text))}
	if len(e.terms) > MaxTerms {
		return nil, "which is too long: split it with set"
	}
	value := e.sum()
	switch {
	case e.unknown != "":
		return nil, "but there is no " + e.unknown + ": it may have numbers and " + templateValues
	case value == nil || len(e.terms) > 0:
		return nil, "which is no calculation: write one such as {{2 * (.variables.count + 1)}}"
	}
	return func(s *agent.Session) any {
		v := value(s)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
		return number(v)
	}, ""
}

// unknown explains why there is no value for a name.
func (d *draft) unknown(name string) string {
	if key, ok := strings.CutPrefix(name, ".parameters."); ok && key != "" {
		return "but no intent has the parameter " + key + "; the parameters are " + named(d.parameters)
	}
	if key, ok := strings.CutPrefix(name, ".properties."); ok && key != "" {
		return "but there is no property " + key + ": add it under properties"
	}
	return "which is unknown: it may have " + templateValues
}

// number returns a number in JSON. It rounds to 12 digits, because binary
// fractions add up to sums such as 0.30000000000000004. Integers up to 2⁵³ are exact.
func number(v float64) json.Number {
	if v != 0 && v == math.Trunc(v) && math.Abs(v) <= 1<<53 {
		return json.Number(strconv.FormatFloat(v, 'f', -1, 64))
	}
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 12, 64), 64)
	if err != nil || rounded == 0 { // also -0
		return "0"
	}
	if math.Abs(rounded) >= 1e21 || math.Abs(rounded) < 1e-6 {
		return json.Number(strconv.FormatFloat(rounded, 'e', -1, 64))
	}
	return json.Number(strconv.FormatFloat(rounded, 'f', -1, 64))
}

// numeric computes a number. It returns NaN without one.
type numeric func(s *agent.Session) float64

// expression parses a calculation. The methods consume terms and return nil for an
// error.
type expression struct {
	*draft
	terms   []string
	unknown string // a name without a value
}

func (e *expression) next() string {
	if len(e.terms) == 0 {
		return ""
	}
	return e.terms[0]
}

func (e *expression) take() string {
	term := e.next()
	e.terms = e.terms[min(1, len(e.terms)):]
	return term
}

// sum parses products with + and - between them.
func (e *expression) sum() numeric {
	return e.chain(e.product, map[string]func(a, b float64) float64{
		"+": func(a, b float64) float64 { return a + b },
		"-": func(a, b float64) float64 { return a - b },
	})
}

// product parses operands with * and / between them.
func (e *expression) product() numeric {
	return e.chain(e.operand, map[string]func(a, b float64) float64{
		"*": func(a, b float64) float64 { return a * b },
		"/": func(a, b float64) float64 { return a / b },
	})
}

// chain parses operands with operators of one rank, from left to right.
func (e *expression) chain(operand func() numeric, operators map[string]func(a, b float64) float64) numeric {
	left := operand()
	for left != nil {
		apply := operators[e.next()]
		if apply == nil {
			break
		}
		e.take()
		a, b := left, operand()
		if b == nil {
			return nil
		}
		left = func(s *agent.Session) float64 { return apply(a(s), b(s)) }
	}
	return left
}

// operand parses a number, a name, or a sum in parentheses.
func (e *expression) operand() numeric {
	term := e.take()
	switch {
	case term == "(":
		inner := e.sum()
		if e.take() != ")" {
			return nil
		}
		return inner
	case strings.HasPrefix(term, "."):
		if _, err := strconv.ParseFloat(term, 64); err != nil { // not .5
			value := e.placeholder(term)
			if value == nil {
				e.unknown = term
				return nil
			}
			return func(s *agent.Session) float64 { return asNumber(value(s)) }
		}
	}
	v, err := strconv.ParseFloat(term, 64)
	if err != nil {
		return nil
	}
	return func(*agent.Session) float64 { return v }
}

// asNumber converts a number, or a text that contains one. It returns NaN for other
// values.
func asNumber(v any) float64 {
	switch v.(type) {
	case bool, nil:
		return math.NaN()
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(shown(v)), 64)
	if err != nil {
		return math.NaN()
	}
	return n
}
