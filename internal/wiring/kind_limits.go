package wiring

import (
	"docent/ingest/source"
	"docent/internal/fault"
)

// number is an option of a limit.
func number(name string, title fault.Text, value string) source.Option {
	return source.Option{Name: name, Title: title, Type: "number", Default: value}
}

// maxFiles bounds the files of a source.
func maxFiles() source.Option {
	return number("max_files", fault.NewText("option_max_files", "most files of the source"), "100000")
}

// maxBytes bounds the size of one document.
func maxBytes(value string) source.Option {
	return number("max_bytes", fault.NewText("option_max_bytes", "most bytes of one document"), value)
}

// patienceOptions bound the waiting for a server.
func patienceOptions(seconds string) []source.Option {
	return []source.Option{
		number("timeout_seconds", fault.NewText("option_timeout", "seconds after which one attempt of a request ends"), seconds),
		number("retry_ms", fault.NewText("option_retry", "milliseconds before a failed request is repeated; they double each time"), "300"),
	}
}

// webPace are the options of the load on a web site.
func webPace() []source.Option {
	return []source.Option{
		number("delay_ms", fault.NewText("option_delay", "least milliseconds between two requests"), "0"),
		number("parallel", fault.NewText("option_parallel", "requests at once, from 1 to 8"), "3"),
		{Name: "user_agent", Title: fault.NewText("option_user_agent", "name with which docent introduces itself"), Default: "docent's own"},
	}
}
