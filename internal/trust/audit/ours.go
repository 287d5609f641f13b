package audit

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"stele/internal/base/layout"
	"stele/internal/trust/signing"
	"stele/record"
	"stele/release"
)

// readFile is a file of a release that was asked for, to be held to the manifest.
type readFile struct {
	file   release.File
	answer *answer
	sum    release.Digest
	size   int64
}

// tryRelease holds a service that publishes a release of Stele to its manifest.
func (a *audit) tryRelease(ctx context.Context) {
	if a.manifest == nil {
		return
	}
	before := len(a.book.results[hasDigests].Findings) + len(a.book.results[hasDeltas].Findings)
	a.holdCollections()
	a.holdFiles(ctx)
	a.holdListings(ctx)
	a.holdDeltas(ctx)
	a.holdLog(ctx)
	if len(a.book.results[hasDigests].Findings)+len(a.book.results[hasDeltas].Findings) > before {
		a.reconsider(ctx)
	}
}

// reconsider takes back what was found wrong if another release is there by now.
func (a *audit) reconsider(ctx context.Context) {
	data, got := a.client.get(ctx, "/"+layout.ManifestPath, layout.MaxManifest)
	if got.status == http.StatusOK && bytes.Equal(data, a.encoded) {
		return
	}
	for _, id := range []string{hasDigests, hasDeltas, hasLog} {
		r := a.book.results[id]
		r.Findings, r.Verdict = nil, Pass
		a.book.found(id, NotTested, "another release was published meanwhile: audit it again", got)
	}
}

// holdCollections holds the collections that were read.
func (a *audit) holdCollections() {
	for _, c := range a.kinds {
		if f := a.manifest.File(strings.TrimPrefix(c.kind.Collection.Path, "/")); f != nil && c.there {
			a.hold(hasDigests, readFile{*f, c.answer, c.sum, c.size})
		}
	}
}

func (a *audit) hold(id string, r readFile) {
	if !a.answered(id, r.answer) {
		return
	}
	switch {
	case r.answer.status != http.StatusOK:
		a.book.found(id, Fail, "the manifest lists it, and "+r.answer.missing(), r.answer)
	case r.sum != r.file.SHA256 || r.size != r.file.Size:
		a.book.found(id, Fail, "it is not the file that the manifest lists", r.answer)
	}
}

// read reads a file of the release.
func (a *audit) read(ctx context.Context, f release.File) readFile {
	r := readFile{file: f}
	r.answer = a.client.ask(ctx, plain(layout.Address(f.Path)), func(in io.Reader) (err error) {
		sum := sha256.New()
		r.size, err = io.Copy(sum, io.LimitReader(in, f.Size+1))
		r.sum = release.Digest(sum.Sum(nil))
		return err
	})
	return r
}

// readAll holds some files to the manifest.
func (a *audit) readAll(ctx context.Context, id, step string, files []release.File) {
	done := a.steps(step, len(files))
	for r := range inOrder(files, func(f release.File) readFile { return a.read(ctx, f) }) {
		a.hold(id, r)
		done()
	}
}

// holdFiles tries files that are neither collections, listings nor deltas, chosen by the digests of
// their paths.
func (a *audit) holdFiles(ctx context.Context) {
	apart := func(f release.File) bool {
		isList := func(k release.Kind) bool { return f.Path == k.Collection || f.Path == k.Listing }
		return strings.HasPrefix(f.Path, layout.DeltaFolder) || slices.ContainsFunc(a.manifest.Kinds, isList)
	}
	files := slices.DeleteFunc(slices.Clone(a.manifest.Files), apart)
	if a.opt.All {
		a.readAll(ctx, hasDigests, "files", files)
		return
	}
	slices.SortFunc(files, func(x, y release.File) int {
		return layout.Shorten(x.Path).Compare(layout.Shorten(y.Path))
	})
	if left := len(files) - sampled; left > 0 {
		a.book.found(hasDigests, NotTested, fmt.Sprintf("%d of %d other files were not tried (--all)", left, len(files)), nil)
		files = files[:sampled]
	}
	a.readAll(ctx, hasDigests, "files", files)
}

// holdListings holds the listings of single records, and the records that were tried to them.
func (a *audit) holdListings(ctx context.Context) {
	for i := range a.manifest.Kinds {
		k := &a.manifest.Kinds[i]
		f := a.manifest.File(k.Listing)
		if f == nil {
			continue
		}
		pinned := a.holdListing(ctx, k, f)
		for _, path := range slices.Sorted(maps.Keys(pinned)) {
			a.book.tried(hasDigests)
			if a.raw[path] != pinned[path] {
				a.book.found(hasDigests, Fail, "it is not the file that the listing "+layout.Address(f.Path)+" pins",
					a.client.ask(ctx, plain(path), nil))
			}
		}
	}
}

// holdListing holds a listing to the manifest, and returns the digests that it has of those single
// records that were tried.
func (a *audit) holdListing(ctx context.Context, k *release.Kind, f *release.File) map[string]release.Digest {
	pinned := map[string]release.Digest{}
	pin := func(_ *list, id string, value []byte) {
		path := "/" + k.SinglePath(id)
		if a.raw[path] == (release.Digest{}) {
			return
		}
		var entry release.Entry
		if json.Unmarshal(value, &entry) == nil { // else no digest is right
			pinned[path] = entry.SHA256
		}
	}
	into := new(collection)
	got := a.client.ask(ctx, plain(layout.Address(f.Path)), func(in io.Reader) error {
		r := &reader{names: newNames(record.KindNamed(record.KindEntity)), total: new(atomic.Int64), each: pin}
		return r.read(in, into)
	})
	a.hold(hasDigests, readFile{*f, got, into.sum, into.size})
	return pinned
}

// holdDeltas holds the deltas to the manifest.
func (a *audit) holdDeltas(ctx context.Context) {
	var files []release.File
	for i := range a.manifest.Kinds {
		k := &a.manifest.Kinds[i]
		if k.Since == "" {
			continue
		}
		a.book.tried(hasDeltas)
		if _, ok := a.manifest.ChainSince(k.Kind, k.Since); !ok {
			a.book.found(hasDeltas, Fail, "the deltas of "+k.Kind+" do not lead to its collection", nil)
		}
	}
	for _, f := range a.manifest.Files {
		if strings.HasPrefix(f.Path, layout.DeltaFolder) {
			files = append(files, f)
		}
	}
	if len(files) == 0 {
		a.book.found(hasDeltas, Info, "there are no deltas", nil)
	}
	a.readAll(ctx, hasDeltas, "deltas", files)
}

// logFiles lets a log be read from the service.
type logFiles struct{ *client }

func (l logFiles) ReadFile(ctx context.Context, path string, most int64) ([]byte, error) {
	data, got := l.get(ctx, layout.Address(path), most)
	switch {
	case got.silent() != "":
		return nil, silence{errors.New(got.silent())}
	case got.status != http.StatusOK || got.hasMarkup():
		return nil, fs.ErrNotExist
	case int64(len(data)) > most:
		return nil, errTooMuch
	}
	return data, nil
}

// silence is an error of a service that does not answer.
type silence struct{ error }

// holdLog holds the release to its log, by the keys that lie beside it.
func (a *audit) holdLog(ctx context.Context) {
	files := logFiles{a.client}
	a.book.tried(hasLog)
	_, err := files.ReadFile(ctx, layout.CheckpointPath, 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		a.book.found(hasLog, Info, "the release is not signed", nil)
		return
	}
	var policy []byte
	if err == nil {
		policy, err = files.ReadFile(ctx, layout.PolicyPath, 1<<20)
	}
	if errors.Is(err, fs.ErrNotExist) {
		a.book.found(hasLog, NotTested, "the log is there without its keys: stele verify --key tests it", nil)
		return
	}
	var keys *signing.Policy
	if err == nil {
		keys, err = signing.ParsePolicy(string(policy))
	}
	if err == nil {
		_, err = signing.Verify(ctx, files, a.encoded, signing.VerifyOptions{Policy: keys, Today: a.opt.Today})
	}
	switch unanswered := (silence{}); {
	case err == nil:
	case errors.As(err, &unanswered):
		a.book.found(hasLog, NotTested, unanswered.Error(), nil)
	default:
		a.book.found(hasLog, Fail, cut(err.Error()), nil)
	}
}
