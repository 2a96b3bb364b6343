package dial

import (
	"bytes"
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

// maxList bounds the elements of a List.
const maxList = 10_000

// List is an array in the JSON of an API. Very many elements would need much more memory
// than their text, so decoding them fails.
type List[T any] []T

// UnmarshalJSON implements json.Unmarshaler.
func (l *List[T]) UnmarshalJSON(data []byte) error {
	*l = nil
	if string(data) == "null" {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if start, err := d.Token(); err != nil || start != json.Delim('[') {
		return errors.New("not an array")
	}
	for d.More() {
		if len(*l) >= maxList {
			return fault.New(fault.Invalid, "answer_too_many", "the server answers with more than %d entries at once", maxList)
		}
		var one T
		if err := d.Decode(&one); err != nil {
			return err
		}
		*l = append(*l, one)
	}
	return nil
}

// NotJSON returns the error for a response that is not the JSON of an API.
func NotJSON(err error, host string) error {
	var known *fault.Fault
	if errors.As(err, &known) {
		return err
	}
	return fault.Wrap(fault.Unavailable, err, "answer_not_json", "%s does not answer with the JSON of this API; check the address", host)
}
