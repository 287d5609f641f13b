package main

import (
	"io/fs"
	"testing"
)

func TestSocketMode(t *testing.T) {
	for text, want := range map[string]fs.FileMode{"660": 0o660, "0666": 0o666, "777": 0o777} {
		if got, err := parseSocketMode(text); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "rw", "999", "1777", "-1"} {
		if _, err := parseSocketMode(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
