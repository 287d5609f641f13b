// Package release reads what Stele publishes, and makes sure that it is whole.
//
// A release is an immutable tree of files with a manifest. It may lie in a folder, in a zip, in
// memory, or behind any other [io/fs.FS]. [Open] reads its manifest. [Release.Verify] reads all of
// it and finds whatever is not as the manifest and the listings say; [Diff] compares two. Records
// are read with [Release.Records], as JSON that the types of package record decode.
//
// Whatever a release says of itself is checked while it is read: a collection or listing whose size
// or digest is not the one in the manifest ends with a [*DamagedError]. So what was read to its end
// is what the publisher made, as far as the manifest is. Who published that is for signatures to
// say.
//
// A collection and a listing have a record on each line, between a first line that ends in "[" and
// a last line "]}". So both can be read record by record, whatever their size.
//
// The package knows files, digests and JSON. Of kinds it knows by name only the graph, whose edges
// must end at nodes, and the change events, which carry the ID of their release. No stability is
// promised.
package release

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"iter"

	"stele/internal/base/layout"
)

// Release is an open release.
type Release struct {
	Manifest *Manifest
	Files    fs.FS

	ctx     context.Context // ends reading; nil where nothing does
	trusted bool            // whether lines are read without digesting them
}

// Open opens a release that lies in a folder, a zip, memory or anywhere else. It reads the manifest
// only. Nothing is read from the release once the context has ended.
func Open(ctx context.Context, files fs.FS) (*Release, error) {
	r := &Release{Files: files, ctx: ctx}
	data, err := r.ReadFile(layout.ManifestPath, layout.MaxManifest)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("there is no release here: %s is missing: %w", layout.ManifestPath, err)
		}
		return nil, err
	}
	if err := r.Use(data); err != nil {
		return nil, err
	}
	return r, nil
}

// Within returns the same release, of which nothing is read once another context has ended.
func (r *Release) Within(ctx context.Context) *Release {
	return &Release{r.Manifest, r.Files, ctx, r.trusted}
}

// Trusted returns the same release, whose lists of records are not held to their digests. It is for
// who has just done so, or holds to a digest what becomes of them.
func (r *Release) Trusted() *Release {
	return &Release{r.Manifest, r.Files, r.ctx, true}
}

// lister is a file system that has a list of its files.
type lister interface {
	Names() iter.Seq2[string, error]
}

// Local reports whether reading a file costs little, so that many small ones may be read in place
// of a large one. Where files cannot be listed, they are those of a service, and each is a request.
func (r *Release) Local() bool {
	_, listed := r.Files.(lister)
	_, walked := r.Files.(fs.ReadDirFS)
	return listed || walked
}

// Single reads the file of one record, whose digest must be the one that its listing says.
func (r *Release) Single(kind, id string, digest Digest) ([]byte, error) {
	k := r.Manifest.Kind(kind)
	if k == nil || k.Single == "" {
		return nil, fmt.Errorf("records of kind %s have no files of their own: %w", kind, fs.ErrNotExist)
	}
	path := k.SinglePath(id)
	data, err := r.ReadFile(path, layout.MaxLine)
	if err == nil && sha256.Sum256(data) != digest {
		err = damaged(path, "%s is not the record that its listing describes", path)
	}
	return data, err
}

// Records reads the collection of a kind: each record's JSON, which is valid until the next one. A
// collection that is not what the manifest says ends with an error.
func (r *Release) Records(kind string) iter.Seq2[[]byte, error] {
	k := r.Manifest.Kind(kind)
	if k == nil {
		return none[[]byte]
	}
	return func(yield func([]byte, error) bool) {
		for line, err := range r.Lines(k.Collection) {
			if !yield(line.Text, err) || err != nil {
				return
			}
		}
	}
}

// Line is a line of a collection or listing, without the comma after it.
type Line struct {
	Offset int64 // where it begins in the file
	Text   []byte
}

// Lines reads the lines of a collection or listing that hold a record, and makes sure that size and
// digest of the whole are those in the manifest, unless the release is trusted.
func (r *Release) Lines(path string) iter.Seq2[Line, error] { return r.linesAfter(path, nil) }

// decoded yields what the lines of a list say. Its last error names the list.
func decoded[T any](r *Release, path string, decode func(Line) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for line, err := range r.Lines(path) {
			var v T
			if err == nil {
				v, err = decode(line)
			}
			if err != nil {
				err = fmt.Errorf("%s: %w", path, err)
			}
			if !yield(v, err) || err != nil {
				return
			}
		}
	}
}

// none yields nothing.
func none[T any](func(T, error) bool) {}

// linesAfter reads the lines after the first one, which is given to head if that is not nil.
func (r *Release) linesAfter(path string, head func([]byte) error) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		want := r.Manifest.File(path)
		if want == nil {
			yield(Line{}, fmt.Errorf("%s is not in the manifest", path))
			return
		}
		f, err := r.open(path)
		if err != nil {
			yield(Line{}, err)
			return
		}
		defer f.Close() // it was only read
		// a byte more than it should have is enough to see that it is another
		sum := &summer{r: io.LimitReader(f, want.Size+1)}
		if !r.trusted {
			sum.hash = sha256.New()
		}
		lines := newLines(sum, want.Size+1)
		if !lines.Scan() || !bytes.HasSuffix(lines.Bytes(), []byte(`:[`)) {
			yield(Line{}, errors.Join(damaged(path, "%s does not begin as a list of records does", path), lines.Err()))
			return
		}
		if head != nil {
			if err := head(lines.Bytes()); err != nil {
				yield(Line{}, damaged(path, "%s: %v", path, err))
				return
			}
		}
		closed, at := false, int64(len(lines.Bytes())+1)
		for ; lines.Scan(); at += int64(len(lines.Bytes()) + 1) {
			line := lines.Bytes()
			if closed = bytes.Equal(line, []byte("]}")); closed {
				break
			}
			if !yield(Line{at, bytes.TrimSuffix(line, []byte{','})}, nil) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield(Line{}, fmt.Errorf("%s: %w", path, err))
			return
		}
		if err := sum.check(path, want.Size, want.SHA256, closed); err != nil {
			yield(Line{}, err)
		}
	}
}

// newLines reads lines of any length that a record can have, and of so many bytes at most.
func newLines(in io.Reader, most int64) *bufio.Scanner {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 0, min(256<<10, most)), int(min(most, layout.MaxLine)))
	lines.Split(wholeLines)
	return lines
}

// wholeLines are the lines that end. One that does not was cut off, and is no record.
func wholeLines(data []byte, atEOF bool) (advance int, line []byte, err error) {
	if advance, line, err = bufio.ScanLines(data, false); advance == 0 && atEOF {
		advance = len(data)
	}
	return advance, line, err
}

// summer counts and digests what is read through it.
type summer struct {
	r    io.Reader
	hash hash.Hash // nil where it is trusted
	n    int64
}

func (s *summer) Read(b []byte) (int, error) {
	n, err := s.r.Read(b)
	if s.hash != nil {
		s.hash.Write(b[:n])
	}
	s.n += int64(n)
	return n, err
}

// check reads to the end and compares.
func (s *summer) check(path string, size int64, want Digest, whole bool) error {
	if _, err := io.Copy(io.Discard, s); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	switch {
	case s.n != size:
		return damaged(path, "%s does not have the %d bytes that the manifest says", path, size)
	case s.hash != nil && Digest(s.hash.Sum(nil)) != want:
		return damaged(path, "%s is not the file that the manifest describes", path)
	case !whole:
		return damaged(path, "%s does not end as a list of records does", path)
	}
	return nil
}
