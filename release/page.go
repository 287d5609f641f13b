package release

import (
	"encoding/json"
	"fmt"
	"iter"
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
				f, err = ParseFile(line.Text)
			}
			if err != nil {
				yield(f, fmt.Errorf("%s: %w", r.Manifest.Pages, err))
				return
			}
			if !yield(f, nil) {
				return
			}
		}
	}
}

// ParseFile reads a line of the listing of pages.
func ParseFile(line []byte) (f File, err error) {
	f, ok := scanFile(line)
	if !ok {
		f = File{}
		if err := json.Unmarshal(line, &f); err != nil {
			return f, err
		}
	}
	return f, f.check()
}

// scanFile reads a line as scanEntry does.
func scanFile(line []byte) (f File, ok bool) {
	s := lineScanner{rest: line}
	f.Path = string(s.text(`{"path":`))
	f.Size = s.number(`,"size":`)
	s.digest(`,"sha256":`, &f.SHA256)
	if s.sees(`,"variants":[{`) {
		s.skip(`,"variants":[`)
		for more := true; more && !s.failed; {
			var v Variant
			v.Encoding = string(s.text(`{"encoding":`))
			v.Path = string(s.text(`,"path":`))
			v.Size = s.number(`,"size":`)
			s.digest(`,"sha256":`, &v.SHA256)
			s.skip("}")
			f.Variants = append(f.Variants, v)
			if more = s.sees(","); more {
				s.skip(",")
			}
		}
		s.skip("]")
	}
	s.skip("}")
	return f, s.ended()
}
