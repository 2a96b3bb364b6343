package dial

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"

	"docent/internal/fault"
)

// Do sends a request. It fails unless the status of the response is 200. The caller
// closes the body.
func Do(client *http.Client, req *http.Request) (*http.Response, error) {
	res, err := client.Do(req)
	if err != nil {
		var wrapped *url.Error
		if errors.As(err, &wrapped) { // the error text repeats the address
			err = wrapped.Err
		}
		return nil, Explain(err, req.URL.Host)
	}
	if res.StatusCode != http.StatusOK {
		res.Body.Close()
		return nil, StatusError(res)
	}
	return res, nil
}

// JSON sends a request and decodes the JSON of the response into out. It returns the
// header of the response.
func JSON(client *http.Client, req *http.Request, out any) (http.Header, error) {
	req.Header.Set("Accept", "application/json")
	res, err := Do(client, req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close() //nolint:errcheck // it is only read
	data, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, Explain(err, req.URL.Host)
	}
	if err := json.Unmarshal(data, out); err != nil {
		return nil, NotJSON(err, req.URL.Host)
	}
	return res.Header, nil
}

// NotJSON returns the error for a response that is not the JSON of an API.
func NotJSON(err error, host string) error {
	return fault.Wrap(fault.Unavailable, err, "answer_not_json", "%s does not answer with the JSON of this API; check the address", host)
}
