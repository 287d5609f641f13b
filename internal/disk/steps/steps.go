// Package steps packs the files by which a release differs from the one before into one file, for
// whoever has a copy of that one. They are compressed against what the copy has: records against
// what they said before, change events against digests that can be computed, feeds and descriptions
// against their earlier selves. It takes a fraction of what the files take one by one.
//
// A step is a shortcut. Whatever comes out of it is to be held to its digest in the manifest.
package steps

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"stele/internal/base/compress"
	"stele/internal/base/layout"
	"stele/release"
)

// Most is how many bytes a step may hold, and how many it may be compressed against.
const Most = 32 << 20

// File is a file that a step has.
type File struct {
	Path string
	// Rest says that it is what was added to a file of frames, not yet compressed.
	Rest bool
	Text []byte
}

// head is what a step begins with.
type head struct {
	Deltas []part   `json:"deltas"` // of records
	Files  []part   `json:"files"`  // all others
	Old    []string `json:"old"`    // the files of the release before that these are compressed against
}

// part is a file in a step.
type part struct {
	Path string `json:"path"`
	Size int    `json:"size"`           // without the first line
	Head string `json:"head,omitempty"` // the first line of a delta, which says what it replaces
	Rest bool   `json:"rest,omitempty"`
}

// ErrTooLarge says that a step would be larger than one may be.
var ErrTooLarge = errors.New("the step is too large")

// Make makes the step from a release. deltas are those of collections; what the others are
// compressed against begins with the files of the old release at paths.
func Make(old *release.Release, deltas, files []File, paths []string) ([]byte, error) {
	h := head{Deltas: []part{}, Files: []part{}, Old: append([]string{}, paths...)}
	var records, rest []byte
	for _, f := range deltas {
		first, text, ok := bytes.Cut(f.Text, []byte{'\n'})
		if !ok {
			return nil, fmt.Errorf("%s is no delta", f.Path)
		}
		h.Deltas = append(h.Deltas, part{Path: f.Path, Size: len(text), Head: string(first)})
		records = append(records, text...)
	}
	for _, f := range files {
		h.Files = append(h.Files, part{Path: f.Path, Size: len(f.Text), Rest: f.Rest})
		rest = append(rest, f.Text...)
	}
	if len(records)+len(rest) > Most {
		return nil, ErrTooLarge
	}
	lines, err := h.replaced(old)
	if err != nil {
		return nil, err
	}
	base, err := h.base(old, lines, records)
	if err != nil {
		return nil, err
	}
	begin, err := json.Marshal(&h)
	if err != nil {
		return nil, err
	}
	var b []byte
	for _, piece := range []struct{ base, data []byte }{{nil, begin}, {lines, records}, {base, rest}} {
		data, err := compress.Against(piece.base, piece.data)
		if err != nil {
			return nil, err
		}
		b = binary.AppendUvarint(b, uint64(len(data)))
		b = append(b, data...)
	}
	return b, nil
}

var errDamaged = errors.New("the step is damaged, or not for this release")

// Read reads a step, with the release that it leads from.
func Read(data []byte, old *release.Release) ([]File, error) {
	var pieces [3][]byte
	for i := range pieces {
		n, size := binary.Uvarint(data)
		if size <= 0 || n > uint64(len(data)-size) {
			return nil, errDamaged
		}
		pieces[i], data = data[size:size+int(n)], data[size+int(n):]
	}
	begin, err := compress.Restore(nil, pieces[0], Most)
	var h head
	if err == nil {
		err = json.Unmarshal(begin, &h)
	}
	if err != nil {
		return nil, errors.Join(errDamaged, err)
	}
	lines, err := h.replaced(old)
	if err != nil {
		return nil, err
	}
	records, err := compress.Restore(lines, pieces[1], Most)
	if err != nil {
		return nil, errors.Join(errDamaged, err)
	}
	base, err := h.base(old, lines, records)
	if err != nil {
		return nil, err
	}
	rest, err := compress.Restore(base, pieces[2], Most)
	if err != nil {
		return nil, errors.Join(errDamaged, err)
	}
	return h.cut(records, rest)
}

// cut cuts what was restored into files.
func (h *head) cut(records, rest []byte) (files []File, err error) {
	take := func(from *[]byte, p part) {
		if p.Size < 0 || p.Size > len(*from) {
			err = errDamaged
			return
		}
		f := File{Path: p.Path, Rest: p.Rest, Text: (*from)[:p.Size:p.Size]}
		if p.Head != "" {
			f.Text = append([]byte(p.Head+"\n"), f.Text...)
		}
		files, *from = append(files, f), (*from)[p.Size:]
	}
	for _, p := range h.Deltas {
		take(&records, p)
	}
	for _, p := range h.Files {
		take(&rest, p)
	}
	return files, err
}

// replaced are the lines of the old release that deltas leave out.
func (h *head) replaced(old *release.Release) (lines []byte, err error) {
	for _, d := range h.Deltas {
		var delta layout.DeltaHead
		if err := json.Unmarshal([]byte(d.Head+"]}"), &delta); err != nil {
			return nil, errors.Join(errDamaged, err)
		}
		left, at := delta.LeftOut, int64(0)
		if len(left) == 0 {
			continue
		}
		for line, err := range old.Trusted().Records(delta.Kind) {
			if err != nil {
				return nil, err
			}
			if at++; left[0] != at-1 {
				continue
			}
			lines = append(append(lines, line...), '\n')
			if left = left[1:]; len(left) == 0 {
				break
			}
			if len(lines) > Most {
				return nil, ErrTooLarge
			}
		}
	}
	return lines, nil
}

// base is what all other files are compressed against: those of the old release, the lines that
// were replaced and that replace them, and the digests of both, which change events have.
func (h *head) base(old *release.Release, lines, records []byte) (base []byte, err error) {
	for _, path := range h.Old {
		f := old.Manifest.File(path)
		if f == nil || f.Size > Most-int64(len(base)) {
			return nil, ErrTooLarge
		}
		data, err := old.ReadFile(path, f.Size)
		if err != nil {
			return nil, err
		}
		base = append(base, data...)
	}
	base = append(append(base, lines...), records...)
	for _, text := range [][]byte{lines, records} {
		for line := range bytes.Lines(text) {
			sum := sha256.Sum256(bytes.TrimSuffix(bytes.TrimSuffix(line, []byte{'\n'}), []byte{','}))
			base = append(hex.AppendEncode(base, sum[:]), '\n')
		}
	}
	if len(base) > 3*Most {
		return nil, ErrTooLarge
	}
	return base, nil
}
