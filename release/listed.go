package release

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"iter"
	"slices"
	"strings"

	"stele/internal/base/jsonline"
	"stele/internal/base/layout"
)

// Files that are too numerous for the manifest have listings of their own: one for histories, and
// one for pages. In releases of earlier versions of the program, the listing of pages contains
// both.

// FileListings returns the paths of the listings of files.
func (m *Manifest) FileListings() []string {
	return slices.DeleteFunc([]string{m.Histories, m.Pages}, func(path string) bool { return path == "" })
}

// listedFile is a file with its line in a listing.
type listedFile struct {
	File
	Line Line // its text is valid until the next iteration
}

// ListedFiles yields the entries of a listing of files.
func (r *Release) ListedFiles(listing string) iter.Seq2[listedFile, error] {
	all := decodeLines(r, listing, func(line Line) (listedFile, error) {
		f, err := line.File()
		return listedFile{f, line}, err
	})
	if r.Manifest.onlyHistories {
		return onlyHistories(all)
	}
	return all
}

// onlyHistories yields only the histories among files.
func onlyHistories(files iter.Seq2[listedFile, error]) iter.Seq2[listedFile, error] {
	return func(yield func(listedFile, error) bool) {
		for f, err := range files {
			if (err != nil || isHistory(f.Path)) && !yield(f, err) {
				return
			}
		}
	}
}

// Histories yields the entries of the histories of single records.
func (r *Release) Histories() iter.Seq2[listedFile, error] {
	listing := cmp.Or(r.Manifest.Histories, r.Manifest.Pages)
	if listing == "" {
		return noValues[listedFile]
	}
	return onlyHistories(r.ListedFiles(listing))
}

func isHistory(at string) bool { return strings.HasPrefix(at, layout.HistoryFolder) }

// File decodes the line of a listing of files.
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

// scanFile decodes a line as scanEntry does.
func scanFile(line []byte) (f File, ok bool) {
	s := jsonline.Scanner{Rest: line}
	f.Path = string(s.Text(`{"path":`))
	f.Size = s.Number(`,"size":`)
	s.Digest(`,"sha256":`, (*[sha256.Size]byte)(&f.SHA256))
	if s.HasNext(`,"variants":[{`) {
		s.Skip(`,"variants":[`)
		for more := true; more && !s.Failed(); {
			var v Variant
			v.Encoding = string(s.Text(`{"encoding":`))
			v.Path = string(s.Text(`,"path":`))
			v.Size = s.Number(`,"size":`)
			s.Digest(`,"sha256":`, (*[sha256.Size]byte)(&v.SHA256))
			s.Skip("}")
			f.Variants = append(f.Variants, v)
			if more = s.HasNext(","); more {
				s.Skip(",")
			}
		}
		s.Skip("]")
	}
	s.Skip("}")
	return f, s.Ended()
}
