package lookup

import (
	"errors"
	"io"
	"testing"

	"stele/record"
)

func TestIndicatorCode(t *testing.T) {
	for in, want := range map[string]string{
		`{"title":"a \"indicator\":\"no\"","indicator":"mcv1","x_indicator":"no"}`: "mcv1",
		`{"indicator":"a\"b\\"}`: `a"b\`,
	} {
		if got, _, err := indicatorCode([]byte(in), map[string]string{}); err != nil || got != want {
			t.Errorf("%s: %q, %v", in, got, err)
		}
	}
	if _, _, err := indicatorCode([]byte(`{}`), nil); err == nil {
		t.Error("no error")
	}
}

// TestFailed: what cannot be read is empty, and the first reason is kept until somebody asks.
func TestFailed(t *testing.T) {
	l := &Reader{source: broken{}}
	for _, k := range record.Kinds {
		if rec := l.Read(k, 0); rec.Common().ID != "" {
			t.Errorf("%s is %v", k.Name, rec)
		}
	}
	if err := l.Failed(); !errors.Is(err, io.ErrUnexpectedEOF) || l.Failed() != nil {
		t.Errorf("it failed with %v", err)
	}
}

type broken struct{}

func (broken) Record(*record.Kind, int) ([]byte, error) { return nil, io.ErrUnexpectedEOF }
