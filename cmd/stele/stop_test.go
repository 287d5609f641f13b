package main

import (
	"context"
	"io"
	"io/fs"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"stele/internal/build/publish"
	"stele/internal/deliver/preview"
	"stele/internal/testkit/specimen"
)

// TestStopWaitsForNoDisk: a read that never returns does not keep the server from stopping.
func TestStopWaitsForNoDisk(t *testing.T) {
	folder, err := specimen.Starter()
	if err != nil {
		t.Fatal(err)
	}
	p := &preview.Preview{
		Files: folder,
		Build: func() (publish.Options, error) {
			date, err := releaseDate("")
			return publish.Options{Date: date}, err
		},
		Report: func(*publish.Outcome, time.Duration) string { return "" },
	}
	s, err := p.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(t.TempDir(), "s")
	f := serveFlags{listen: []string{"unix:" + socket}, socketMode: "660", quiet: true}
	f.Log = slog.New(slog.DiscardHandler)
	c := serveCommand()
	c.SetOut(io.Discard)
	ctx, end := context.WithCancel(t.Context())
	hung := make(chan struct{})
	defer close(hung)
	began := make(chan struct{})
	go func() {
		<-began
		end()
	}()
	err = f.serve(ctx, c, s, func(context.Context) error {
		close(began)
		<-hung
		return nil
	}, "")
	if err != nil {
		t.Error(err)
	}
}

func TestSocketMode(t *testing.T) {
	for text, want := range map[string]fs.FileMode{"660": 0o660, "0666": 0o666, "777": 0o777} {
		if got, err := socketMode(text); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "rw", "999", "1777", "-1"} {
		if _, err := socketMode(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
