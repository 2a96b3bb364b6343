package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"net/netip"
	"os"
	"reflect"
	"testing"
	"time"

	"docent/internal/fault"
)

type place struct {
	City string   `json:"city" description:"A town."`
	Zip  *string  `json:"zip"`
	Tags []string `json:"tags,omitempty" enum:"home,work"`
}

type base struct {
	Language string `json:"language,omitempty" enum:"en,de"`
}

type everything struct {
	base
	Name     string             `json:"name" description:"Who it is for."`
	Count    int                `json:"count" enum:"1,2,3"`
	Ratio    float64            `json:"ratio,omitempty"`
	Exact    *bool              `json:"exact"`
	Where    place              `json:"where"`
	Others   []place            `json:"others,omitempty"`
	Prices   map[string]float64 `json:"prices,omitempty"`
	At       time.Time          `json:"at,omitzero"`
	Address  netip.Addr         `json:"address,omitzero"`
	Raw      json.RawMessage    `json:"raw,omitempty"`
	Blob     []byte             `json:"blob,omitempty"`
	Anything any                `json:"anything,omitempty"`
	Ignored  func()             `json:"-"`
	hidden   int                //nolint:unused // it must not be described
}

func TestSchema(t *testing.T) {
	t.Parallel()
	raw, err := schemaOf(reflect.TypeFor[everything]())
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := json.Indent(&got, raw, "", " "); err != nil {
		t.Fatal(err)
	}
	got.WriteByte('\n')
	want, err := os.ReadFile("testdata/schema.json")
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("got %s", got.String())
	}
}

func call[In any](context.Context, In) (any, error) { return nil, nil }

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	type cycle struct {
		Next []*cycle `json:"next"`
	}
	type badEnum struct {
		N int `json:"n" enum:"one"`
	}
	type boolEnum struct {
		B bool `json:"b" enum:"true"`
	}
	type channel struct {
		C chan int `json:"c"`
	}
	type named struct {
		base `json:"base"`
	}
	type quoted struct {
		N int `json:"n,string"`
	}
	for name, err := range map[string]error{
		"quoted number": second(New("x", "", call[quoted])),
		"no name":       second(New("", "", call[place])),
		"bad name":      second(New("read file", "", call[place])),
		"long name":     second(New("a23456789012345678901234567890123456789012345678901234567890abcde", "", call[place])),
		"not a struct":  second(New("x", "", call[string])),
		"a pointer":     second(New("x", "", call[*place])),
		"cycle":         second(New("x", "", call[cycle])),
		"enum":          second(New("x", "", call[badEnum])),
		"enum of bools": second(New("x", "", call[boolEnum])),
		"channel":       second(New("x", "", call[channel])),
		"embedded":      second(New("x", "", call[named])),
		"no function":   second(New[place]("x", "", nil)),
	} {
		if fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := New("Read-file_2", "", call[struct{}]); err != nil {
		t.Error(err)
	}
}

func second[T any](_ T, err error) error { return err }
