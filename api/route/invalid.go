package route

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"

	"docent/internal/fault"
)

// refused returns the text of a request that huma refuses before it checks the values.
// huma writes these messages without a name.
func refused(status int, message string) fault.Text {
	var limit int64
	if _, err := fmt.Sscanf(message, "request body is too large limit=%d bytes", &limit); err == nil {
		return fault.NewText("body_too_large", "the body of the request is too large: the limit is %s", Size(limit))
	}
	switch {
	case message == "request body is required":
		return fault.NewText("body_missing", "the request has no body")
	case status == http.StatusRequestTimeout:
		return fault.NewText("body_timeout", "the body of the request did not arrive in time")
	default:
		return fault.Plain(message)
	}
}

// invalid returns the text for mistakes in a request.
func invalid(mistakes []any) fault.Text {
	said := mistakes[len(mistakes)-1]
	for i := len(mistakes) - 2; i >= 0; i-- {
		said = fault.NewText("two_mistakes", "%s; %s", mistakes[i], said)
	}
	return fault.NewText("request_invalid", "the request is not valid: %s", said)
}

// mistake returns a fault.Text for a common mistake, and a string for any other.
func mistake(d *huma.ErrorDetail) any {
	at, message := d.Location, d.Message
	var name string
	var n int
	var limit float64
	is := func(format string, value any) bool {
		read, err := fmt.Sscanf(message, format, value)
		return read == 1 && err == nil
	}
	switch {
	case is(validation.MsgExpectedRequiredProperty, &name):
		return fault.NewText("property_missing", "%s needs the property %s", at, name)
	case message == validation.MsgUnexpectedProperty:
		return fault.NewText("property_unknown", "the property %s is unknown", at)
	case strings.HasPrefix(message, "required ") && strings.HasSuffix(message, " parameter is missing"):
		return fault.NewText("parameter_missing", "%s is missing", at)
	case is(validation.MsgExpectedMaxLength, &n):
		return fault.NewText("value_too_long", "%s has more than %d characters", at, n)
	case is(validation.MsgExpectedMinLength, &n):
		return fault.NewText("value_too_short", "%s has fewer than %d characters", at, n)
	case is(validation.MsgExpectedMaxItems, &n):
		return fault.NewText("list_too_long", "%s has more than %d items", at, n)
	case is(validation.MsgExpectedMinItems, &n):
		return fault.NewText("list_too_short", "%s has fewer than %d items", at, n)
	case is(validation.MsgExpectedMaximumNumber, &limit):
		return fault.NewText("value_too_high", "%s is more than %g", at, limit)
	case is(validation.MsgExpectedMinimumNumber, &limit):
		return fault.NewText("value_too_low", "%s is less than %g", at, limit)
	}
	if values, ok := strings.CutPrefix(message, `expected value to be one of "`); ok {
		return fault.NewText("value_not_listed", "%s is none of these: %s", at, strings.TrimSuffix(values, `"`))
	}
	for _, kind := range []string{"string", "boolean", "number", "integer", "array", "object"} {
		if message == "expected "+kind || message == "invalid "+kind {
			return fault.NewText("value_wrong_type", "%s is not of the type %s", at, kind)
		}
	}
	return strings.TrimSpace(at + " " + message)
}
