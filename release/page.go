package release

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"iter"

	"stele/internal/jsonline"
)

// Pages reads the listing of the files that are too many for the manifest.
func (r *Release) Pages() iter.Seq2[File, error] {
	return func(yield func(File, error) bool) {
		if r.Manifest.Pages == "" {
			return
		}
		for line, err := range r.Lines(r.Manifest.Pages) {
			var f File
			if err == nil {
				f, err = line.File()
			}
			if err != nil {
				yield(f, fmt.Errorf("%s: %w", r.Manifest.Pages, err))
				return
			}
			if r.Manifest.HasPage(f.Path) && !yield(f, nil) {
				return
			}
		}
	}
}

// File reads the line of the listing of pages.
func (l Line) File() (f File, err error) {
	f, ok := scanFile(l.Text)
	if !ok {
		f = File{}
		if err := json.Unmarshal(l.Text, &f); err != nil {
			return f, err
		}
	}
	return f, f.check()
}

// scanFile reads a line as scanEntry does.
func scanFile(line []byte) (f File, ok bool) {
	s := jsonline.Scanner{Rest: line}
	f.Path = string(s.Text(`{"path":`))
	f.Size = s.Number(`,"size":`)
	s.Digest(`,"sha256":`, (*[sha256.Size]byte)(&f.SHA256))
	if s.Sees(`,"variants":[{`) {
		s.Skip(`,"variants":[`)
		for more := true; more && !s.Failed(); {
			var v Variant
			v.Encoding = string(s.Text(`{"encoding":`))
			v.Path = string(s.Text(`,"path":`))
			v.Size = s.Number(`,"size":`)
			s.Digest(`,"sha256":`, (*[sha256.Size]byte)(&v.SHA256))
			s.Skip("}")
			f.Variants = append(f.Variants, v)
			if more = s.Sees(","); more {
				s.Skip(",")
			}
		}
		s.Skip("]")
	}
	s.Skip("}")
	return f, s.Ended()
}
