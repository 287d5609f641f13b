package client

import (
	"net/http"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"stele/internal/testkit/must"
	"stele/record"
)

// roundTrip answers requests in the place of a service.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestLongLife: a client goes on after hours and days, after answers that nothing changed, and
// after a service that stopped sending for a while.
func TestLongLife(t *testing.T) {
	dir := must.Get(filepath.Abs("../release/testdata/first"))(t)
	synctest.Test(t, func(t *testing.T) {
		files := http.NewFileTransport(http.Dir(dir))
		stalled := false
		c := newClient("https://data.example.org", Options{})
		c.limits.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
			if stalled {
				<-r.Context().Done()
				return nil, r.Context().Err()
			}
			time.Sleep(time.Second)
			if r.Header.Get("If-None-Match") != "" {
				return &http.Response{StatusCode: http.StatusNotModified, Body: http.NoBody}, nil
			}
			answer, err := files.RoundTrip(r)
			if err == nil {
				answer.Header.Set("ETag", `"a"`)
			}
			return answer, err
		})
		must.Do(t, c.open(t.Context()))
		defer c.Close()
		read := func() error {
			for _, err := range All[record.Entity](t.Context(), c) {
				if err != nil {
					return err
				}
			}
			_, err := Get[record.Entity](t.Context(), c, "ent-measles")
			c.dropDownloads() // so that everything is asked for again
			return err
		}
		for day := range 1000 { // more than an hour of waiting
			time.Sleep(24 * time.Hour)
			if err := read(); err != nil {
				t.Fatalf("day %d: %v", day, err)
			}
			if changed, err := c.Update(t.Context()); err != nil || changed {
				t.Fatalf("day %d: %v, %v", day, changed, err)
			}
		}
		for range 3 {
			stalled = true
			if err := read(); err == nil {
				t.Fatal("nothing came, and nothing is wrong")
			}
			if _, err := c.Update(t.Context()); err == nil {
				t.Fatal("nothing came, and nothing is wrong")
			}
			stalled = false
			must.Do(t, read())
		}
		for range 2000 { // without an update
			must.Do(t, read())
		}
	})
}
