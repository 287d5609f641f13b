package site_test

import (
	"context"
	"errors"
	"io"
	"os"
	"testing"

	"stele/bench/corpus"
	"stele/internal/build/publish"
	"stele/internal/build/render"
	"stele/internal/disk/store"
	"stele/internal/show/site"
)

// nowhere takes files and keeps none.
type nowhere struct{}

func (nowhere) Scratch() (*os.File, error)            { return nil, errors.ErrUnsupported }
func (nowhere) Put(string, []byte) error              { return nil }
func (nowhere) Create(string) (io.WriteCloser, error) { return nopCloser{io.Discard}, nil }
func (nowhere) Make(_ string, render func() ([]byte, error)) error {
	_, err := render()
	return err
}

func (nowhere) Each(count int, _ func(int) string, render func(int, []byte) ([]byte, error)) error {
	var b []byte
	for i := range count {
		var err error
		if b, err = render(i, b[:0]); err != nil {
			return err
		}
	}
	return nil
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

func BenchmarkPages(b *testing.B) {
	dir := b.TempDir()
	const records = 2000
	if err := corpus.Write(dir, records); err != nil {
		b.Fatal(err)
	}
	w := store.NewMemory()
	_, err := publish.Build(
		context.Background(),
		os.DirFS(dir),
		w,
		publish.Options{
			Date:       "2026-11-15",
			NoVariants: true,
			Render: []render.Renderer{func(e render.Records, _ render.Output) error {
				for b.Loop() {
					if err := (site.Options{}).Write(e, nowhere{}); err != nil {
						return err
					}
				}
				return nil
			}},
		},
	)
	if err != nil {
		b.Fatal(err)
	}
}
