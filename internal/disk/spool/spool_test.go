package spool_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"testing"

	"stele/internal/disk/spool"
	"stele/internal/testkit/must"
)

// TestSpool writes with several writers in turn, as several goroutines do, and reads back in
// several orders; some records are longer than what is read ahead.
func TestSpool(t *testing.T) {
	dir := t.TempDir()
	s := must.Get(spool.New(func() (*os.File, error) { return os.CreateTemp(dir, "") }))(t)
	defer s.Close()
	random := rand.New(rand.NewPCG(1, 2))
	text := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte('a' + random.IntN(26))
		}
		return b
	}
	all := make([]spool.Parts, 1000)
	writers := []*spool.Writer{s.Writer(), s.Writer(), s.Writer()}
	for i := range all {
		p := spool.Parts{Record: text(random.IntN(3000)), Entry: text(random.IntN(200))}
		if i%50 == 7 {
			p.Record = text(700_000)
		}
		if i%3 == 0 {
			p.Variants = [3][]byte{text(random.IntN(500)), nil, text(random.IntN(500))}
		}
		at := must.Get(writers[random.IntN(len(writers))].Add(&p))(t)
		s.Add(at)
		all[i] = p
	}
	for _, w := range writers {
		must.Do(t, w.Flush())
	}
	forward, backward := make([]int, len(all)), make([]int, len(all))
	for i := range all {
		forward[i], backward[i] = i, len(all)-1-i
	}
	for name, order := range map[string][]int{"forward": forward, "backward": backward, "random": random.Perm(len(all))} {
		r := s.Reader()
		for _, i := range order {
			want, n := &all[i], int32(i)
			check := func(what string, read func(int32) ([]byte, error), want []byte) {
				t.Helper()
				if got, err := read(n); err != nil || !bytes.Equal(got, want) {
					t.Fatalf("%s: %s of %d is not as it was: %v", name, what, i, err)
				}
			}
			check("the record", r.Record, want.Record)
			check("the entry", r.Entry, want.Entry)
			check("the record, to another reader", s.Reader().Record, want.Record)
			for e, variant := range want.Variants {
				check("a variant", func(n int32) ([]byte, error) { return r.Variant(n, e) }, variant)
			}
			if s.Has(n) != (len(want.Record) > 0) {
				t.Fatalf("%s: Has(%d) is %v", name, i, s.Has(n))
			}
		}
	}
}
