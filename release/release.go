// Package release reads and verifies releases, the files that Stele publishes.
//
// A release is an immutable tree of files with a manifest. It may be in a folder, in a zip, in
// memory, or behind any other [io/fs.FS]. [Open] reads its manifest. [Release.Verify] reads all of
// it and returns every difference from the manifest and the listings; [Diff] compares two releases.
// [Release.Records] reads records as JSON, which the types of package record decode.
//
// Data is verified while it is read: if the size or digest of a collection or listing differs from
// the manifest, reading ends with a [*DamagedError]. Data that was read to the end is therefore
// authentic if the manifest is. Signatures show who published the manifest.
//
// A collection or listing has one record per line, between a first line that ends in "[" and a last
// line "]}", so it can be read record by record, whatever its size.
//
// The package handles files, digests and JSON. It uses only these kinds by name: the graph, whose
// edges must end at nodes, and change events, which contain the ID of their release. No stability
// is promised.
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

	ctx     context.Context // ends reading; may be nil
	trusted bool            // whether lines are read without checking digests
}

// Open opens a release in a folder, a zip, memory or elsewhere. It reads only the manifest. After
// the context ends, reading the release fails.
func Open(ctx context.Context, files fs.FS) (*Release, error) {
	r := &Release{Files: files, ctx: ctx}
	data, err := r.ReadFile(layout.ManifestPath, layout.MaxManifest)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("no release found: %s is missing: %w", layout.ManifestPath, err)
		}
		return nil, err
	}
	if err := r.Use(data); err != nil {
		return nil, err
	}
	return r, nil
}

// Within returns the same release with another context, after which reading fails.
func (r *Release) Within(ctx context.Context) *Release {
	return &Release{r.Manifest, r.Files, ctx, r.trusted}
}

// Trusted returns the same release, which then reads listings and collections without checking
// their digests. Use it if the digests were just checked, or if the result is checked.
func (r *Release) Trusted() *Release {
	return &Release{r.Manifest, r.Files, r.ctx, true}
}

// lister is a file system with a list of its files.
type lister interface {
	Names() iter.Seq2[string, error]
}

// Local reports whether reading many small files is as cheap as reading a large one. It is false
// for services, whose files cannot be listed and need a request each.
func (r *Release) Local() bool {
	_, listed := r.Files.(lister)
	_, walked := r.Files.(fs.ReadDirFS)
	return listed || walked
}

// Single reads the file of one record and checks that it has the given digest.
func (r *Release) Single(kind, id string, digest Digest) ([]byte, error) {
	k := r.Manifest.Kind(kind)
	if k == nil || k.Single == "" {
		return nil, fmt.Errorf("records of kind %s have no files of their own: %w", kind, fs.ErrNotExist)
	}
	path := k.SinglePath(id)
	data, err := r.ReadFile(path, layout.MaxLine)
	if err == nil && sha256.Sum256(data) != digest {
		err = damagedError(path, "%s does not match its listing", path)
	}
	return data, err
}

// Records yields the JSON of each record in the collection of a kind, valid until the next
// iteration. If the collection does not match the manifest, the last value is an error.
func (r *Release) Records(kind string) iter.Seq2[[]byte, error] {
	k := r.Manifest.Kind(kind)
	if k == nil {
		return noValues[[]byte]
	}
	return func(yield func([]byte, error) bool) {
		for line, err := range r.Lines(k.Collection) {
			if !yield(line.Text, err) || err != nil {
				return
			}
		}
	}
}

// Line is a line of a collection or listing, without its comma.
type Line struct {
	Offset int64 // of its beginning in the file
	Text   []byte
}

// Lines yields those lines of a collection or listing that contain records. It checks the size and
// digest of the file unless the release is trusted.
func (r *Release) Lines(path string) iter.Seq2[Line, error] { return r.linesAfter(path, nil) }

// decodeLines yields the decoded lines of a listing. It adds the path to errors.
func decodeLines[T any](r *Release, path string, decode func(Line) (T, error)) iter.Seq2[T, error] {
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

// noValues yields nothing.
func noValues[T any](func(T, error) bool) {}

// linesAfter yields the lines after the first one. If head is not nil, it is called with the first
// line.
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
		defer f.Close() // f was only read
		// one more byte than expected shows that the file is too long
		sum := &hashReader{r: io.LimitReader(f, want.Size+1)}
		if !r.trusted {
			sum.hash = sha256.New()
		}
		lines := newLines(sum, want.Size+1)
		if !lines.Scan() || !bytes.HasSuffix(lines.Bytes(), []byte(`:[`)) {
			yield(Line{}, errors.Join(damagedError(path, "%s: malformed beginning of a list of records", path), lines.Err()))
			return
		}
		if head != nil {
			if err := head(lines.Bytes()); err != nil {
				yield(Line{}, damagedError(path, "%s: %v", path, err))
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

// newLines returns a scanner for lines up to the maximum length of a record, which reads up to
// maxBytes bytes.
func newLines(in io.Reader, maxBytes int64) *bufio.Scanner {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 0, min(256<<10, maxBytes)), int(min(maxBytes, layout.MaxLine)))
	lines.Split(wholeLines)
	return lines
}

// wholeLines splits complete lines. It drops a last line that was cut off.
func wholeLines(data []byte, atEOF bool) (advance int, line []byte, err error) {
	if advance, line, err = bufio.ScanLines(data, false); advance == 0 && atEOF {
		advance = len(data)
	}
	return advance, line, err
}

// hashReader counts and hashes the bytes that are read through it.
type hashReader struct {
	r    io.Reader
	hash hash.Hash // nil for a trusted release
	n    int64
}

func (s *hashReader) Read(b []byte) (int, error) {
	n, err := s.r.Read(b)
	if s.hash != nil {
		s.hash.Write(b[:n])
	}
	s.n += int64(n)
	return n, err
}

// check reads to the end and compares size and digest.
func (s *hashReader) check(path string, size int64, want Digest, whole bool) error {
	if _, err := io.Copy(io.Discard, s); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	switch {
	case s.n != size:
		return damagedError(path, "%s: wrong size (the manifest says %d bytes)", path, size)
	case s.hash != nil && Digest(s.hash.Sum(nil)) != want:
		return damagedError(path, "%s does not match the manifest", path)
	case !whole:
		return damagedError(path, "%s: malformed end of a list of records", path)
	}
	return nil
}
