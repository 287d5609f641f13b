package bucket

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"

	"stele/internal/base/layout"
	"stele/internal/disk/scratch"
	"stele/internal/disk/store"
	"stele/release"
)

// Transport answers requests for the files of the current release as a service would, from what a
// bucket has: so whoever reads from a service reads from a bucket too, and is held to the same
// limits. Where the files are at public addresses they are taken by their digests and names, else
// from the pack, of which only the directory and what is asked for is fetched. The release is the
// one that was current when manifest.json was asked for last.
type Transport struct {
	bucket *Bucket

	mu     sync.Mutex
	pack   *Pack
	direct bool               // whether files are at public addresses
	parts  map[string]stretch // of the pack, once its directory was read
}

// stretch is where an entry of a pack lies, with what stands before it.
type stretch struct {
	at, length, size int64
	crc              uint32
}

// Transport makes one.
func (b *Bucket) Transport() *Transport { return &Transport{bucket: b} }

// RoundTrip answers a request.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	answer, err := t.answer(r, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return respond(r, http.StatusNotFound, nil, 0), nil
	case err != nil:
		return nil, err
	}
	return answer, nil
}

func respond(r *http.Request, status int, body io.Reader, size int64) *http.Response {
	if body == nil {
		body = bytes.NewReader(nil)
	}
	return &http.Response{
		StatusCode: status, Status: fmt.Sprintf("%d %s", status, http.StatusText(status)), Request: r,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: io.NopCloser(body), ContentLength: size,
	}
}

func (t *Transport) answer(r *http.Request, name string) (*http.Response, error) {
	if name == layout.ManifestPath {
		return t.manifest(r)
	}
	t.mu.Lock()
	pack, direct := t.pack, t.direct
	t.mu.Unlock()
	if pack == nil {
		if _, err := t.manifest(r); err != nil {
			return nil, err
		}
		return t.answer(r, name)
	}
	if direct {
		body := &reading{ctx: r.Context(), bucket: t.bucket, key: name, size: -1}
		if err := body.fill(); err != nil {
			return nil, err
		}
		return respond(r, http.StatusOK, body, body.size), nil
	}
	body, size, err := t.entry(r.Context(), pack, name)
	if err != nil {
		return nil, err
	}
	return respond(r, http.StatusOK, body, size), nil
}

// manifest reads the pointer, and then the manifest that it names.
func (t *Transport) manifest(r *http.Request) (*http.Response, error) {
	s, p, err := t.bucket.Find(r.Context(), "")
	if err != nil {
		return nil, err
	}
	tag := `"` + p.SHA256.String() + `"`
	direct := s.Site != nil && s.Site.Writing == "" && slices.Equal(s.Site.Manifests, []release.Digest{p.Manifest})
	t.mu.Lock()
	if t.pack == nil || t.pack.Path != p.Path || t.direct != direct {
		t.pack, t.direct, t.parts = p, direct, nil
	}
	t.mu.Unlock()
	if r.Header.Get("If-None-Match") == tag {
		return respond(r, http.StatusNotModified, nil, 0), nil
	}
	var data []byte
	if direct {
		data, _, err = t.bucket.Read(r.Context(), layout.ByHashPath(p.Manifest.String()), layout.MaxManifest)
	} else {
		var in io.Reader
		if in, _, err = t.entry(r.Context(), p, layout.ManifestPath); err == nil {
			data, err = io.ReadAll(io.LimitReader(in, layout.MaxManifest+1))
		}
	}
	if err != nil {
		return nil, err
	}
	if sha256.Sum256(data) != p.Manifest {
		return nil, fmt.Errorf("%s: %s: %w", t.bucket.name, layout.ManifestPath, errOther)
	}
	answer := respond(r, http.StatusOK, bytes.NewReader(data), int64(len(data)))
	answer.Header.Set("ETag", tag)
	return answer, nil
}

// entry reads a file of a pack.
func (t *Transport) entry(ctx context.Context, p *Pack, name string) (io.Reader, int64, error) {
	e, err := t.find(ctx, p, name)
	if err != nil {
		return nil, 0, err
	}
	const fixed = 30
	body := &reading{ctx: ctx, bucket: t.bucket, key: p.Path, at: e.at, size: e.at + e.length}
	head := make([]byte, fixed)
	if _, err := io.ReadFull(body, head); err != nil {
		return nil, 0, err
	}
	rest := int64(binary.LittleEndian.Uint16(head[26:])) + int64(binary.LittleEndian.Uint16(head[28:]))
	if string(head[:4]) != "PK\x03\x04" || binary.LittleEndian.Uint16(head[8:]) != 0 || fixed+rest+e.size > e.length {
		return nil, 0, fmt.Errorf("%s: %s: %w", p.Path, name, errOther)
	}
	if _, err := io.CopyN(io.Discard, body, rest); err != nil {
		return nil, 0, err
	}
	return &summed{in: io.LimitReader(body, e.size), left: e.size, want: e.crc}, e.size, nil
}

// summed makes sure that what is read to its end has the checksum that the pack says.
type summed struct {
	in        io.Reader
	left      int64
	sum, want uint32
}

func (s *summed) Read(b []byte) (int, error) {
	n, err := s.in.Read(b)
	s.sum = crc32.Update(s.sum, crc32.IEEETable, b[:n])
	s.left -= int64(n)
	if err == io.EOF && (s.left != 0 || s.sum != s.want) {
		err = errOther
	}
	return n, err
}

// find tells where a file lies in a pack, whose directory is fetched first.
func (t *Transport) find(ctx context.Context, p *Pack, name string) (stretch, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.pack.Path != p.Path { // another one is current since
		return stretch{}, errOther
	}
	if t.parts == nil {
		parts, err := t.bucket.directory(ctx, p)
		if err != nil {
			return stretch{}, err
		}
		t.parts = parts
	}
	e, ok := t.parts[name]
	if !ok {
		return stretch{}, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return e, nil
}

// directory reads the directory of a pack.
func (b *Bucket) directory(ctx context.Context, p *Pack) (parts map[string]stretch, err error) {
	on, err := scratch.New("", "stele-bucket-*") // of which only the end has anything in it
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, on.Close()) }()
	start, err := b.fetchDirectory(ctx, p, on)
	if err != nil {
		return nil, err
	}
	parts = map[string]stretch{}
	var order []string
	for part, err := range store.Parts(on) {
		if err != nil {
			return nil, err
		}
		name := string(part.Name)
		order = append(order, name)
		parts[name] = stretch{at: part.Header, size: part.Size, crc: part.CRC}
	}
	slices.SortFunc(order, func(x, y string) int { return int(min(max(parts[y].at-parts[x].at, -1), 1)) })
	for _, name := range order {
		e := parts[name]
		e.length = start - e.at
		start = e.at
		parts[name] = e
	}
	return parts, nil
}

// fetchDirectory brings the directory of a pack to where it lies in a file, and tells where it
// begins.
func (b *Bucket) fetchDirectory(ctx context.Context, p *Pack, to *os.File) (start int64, err error) {
	if err := to.Truncate(p.Size); err != nil {
		return 0, err
	}
	from := max(0, p.Size-tail)
	if _, err := b.ReadRange(ctx, p.Path, from, p.Size-from, to); err != nil {
		return 0, err
	}
	if start, err = store.Directory(to); err != nil {
		return 0, err
	}
	if start < from {
		_, err = b.ReadRange(ctx, p.Path, start, from-start, to)
	}
	return start, err
}

// reading reads an object piece by piece, each of which is asked for again where that may help.
type reading struct {
	ctx    context.Context
	bucket *Bucket
	key    string
	at     int64
	size   int64 // where it ends; -1 if that is not known yet
	piece  []byte
}

// atATime is how much is read with a request.
const atATime = 4 << 20

// fill reads the next piece.
func (r *reading) fill() error {
	length := int64(atATime)
	if r.size >= 0 {
		length = min(length, r.size-r.at)
	}
	if length <= 0 {
		return io.EOF
	}
	data, size, err := r.bucket.readPiece(r.ctx, r.key, r.at, length)
	if err != nil {
		return err
	}
	if r.size < 0 {
		r.size = size
	}
	if int64(len(data)) < min(length, r.size-r.at) {
		return io.ErrUnexpectedEOF
	}
	r.piece = data
	r.at += int64(len(data))
	return nil
}

func (r *reading) Read(b []byte) (int, error) {
	if len(r.piece) == 0 {
		if err := r.fill(); err != nil {
			return 0, err
		}
	}
	n := copy(b, r.piece)
	r.piece = r.piece[n:]
	return n, nil
}

// readPiece reads a part of an object, as far as it reaches, and tells the size of the whole.
func (b *Bucket) readPiece(ctx context.Context, key string, offset, length int64) (data []byte, size int64, err error) {
	err = b.try(ctx, "get", key, func(ctx context.Context) error {
		b.counts.Reads.Add(1)
		in, o, err := b.objects.get(ctx, b.prefix+key, offset, length)
		var known statusError
		if errors.As(err, &known) && known.status == http.StatusRequestedRangeNotSatisfiable && offset == 0 {
			data, size = nil, 0 // it is empty
			return nil
		}
		if err != nil {
			return err
		}
		defer in.Close() // it was only read
		size = o.Size
		data, err = io.ReadAll(io.LimitReader(&counted{in, &b.counts.Received}, length))
		return err
	})
	return data, size, err
}
