package route

import (
	"testing"

	"github.com/danielgtaylor/huma/v2"
)

// TestMistakes checks that common mistakes have ids, and that others keep their message.
func TestMistakes(t *testing.T) {
	t.Parallel()
	adjustHuma()
	for _, test := range []struct {
		status         int
		message        string
		details        []huma.ErrorDetail
		id, text, args string
	}{
		{400, "request body is required", nil, "body_missing", "the request has no body", ""},
		{413, "request body is too large limit=2097152 bytes", nil, "body_too_large", "the body of the request is too large: the limit is 2 MiB", `["2 MiB"]`},
		{408, "request body read timeout", nil, "body_timeout", "the body of the request did not arrive in time", ""},
		{
			422, "validation failed",
			[]huma.ErrorDetail{{Location: "body", Message: "expected required property question to be present"}},
			"request_invalid", "the request is not valid: body needs the property question",
			`[{"id":"property_missing","params":["body","question"],"message":"body needs the property question"}]`,
		},
		{
			422, "validation failed",
			[]huma.ErrorDetail{{Location: "body.k", Message: "expected number <= 50"}, {Location: "body.x", Message: "unexpected property"}},
			"request_invalid", "the request is not valid: body.k is more than 50; the property body.x is unknown",
			`[{"id":"two_mistakes","params":[{"id":"value_too_high","params":["body.k",50],"message":"body.k is more than 50"},` +
				`{"id":"property_unknown","params":["body.x"],"message":"the property body.x is unknown"}],"message":"body.k is more than 50; the property body.x is unknown"}]`,
		},
		{
			400, "validation failed",
			[]huma.ErrorDetail{{Location: "body", Message: "unexpected end of JSON input"}},
			"request_invalid", "the request is not valid: body unexpected end of JSON input", `["body unexpected end of JSON input"]`,
		},
	} {
		var errs []error
		for i := range test.details {
			errs = append(errs, &test.details[i])
		}
		e := translate(test.status, test.message, errs)
		if e.ID != test.id || e.Message != test.text || string(e.Params) != test.args {
			t.Errorf("%s: %s %q %s", test.message, e.ID, e.Message, e.Params)
		}
	}
	for message, want := range map[string]string{
		"expected length <= 3":                          "at has more than 3 characters",
		"expected length >= 1":                          "at has fewer than 1 characters",
		"expected array length <= 3":                    "at has more than 3 items",
		"expected array length >= 1":                    "at has fewer than 1 items",
		"expected number >= 0.5":                        "at is less than 0.5",
		"expected string":                               "at is not of the type string",
		"invalid integer":                               "at is not of the type integer",
		"expected integer to be even":                   "at expected integer to be even",
		`expected value to be one of "user, assistant"`: "at is none of these: user, assistant",
		"required query parameter is missing":           "at is missing",
	} {
		if got := invalid([]any{mistake(&huma.ErrorDetail{Location: "at", Message: message})}); got.Message != "the request is not valid: "+want {
			t.Errorf("%s: %s", message, got.Message)
		}
	}
}
