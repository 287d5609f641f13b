package release

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"regexp"
	"slices"
	"strings"

	"stele/internal/base/compress"
	"stele/internal/base/layout"
	"stele/internal/base/parallel"
)

// Report is the result of Verify.
type Report struct {
	Faults  []Fault
	Left    []string // temporary files that a killed process left behind
	Files   int
	Records int
}

// Verify reads a whole release again and checks every size and digest, every variant, missing and
// additional files, single records against their collections, counts, the ends of edges, the
// superseded versions that events name, and the release's ID. progress may be nil. It ends early
// when the context does.
func (r *Release) Verify(ctx context.Context, progress func(done, total int64)) (*Report, error) {
	v := &verifier{
		Release: r.Within(ctx), local: r.Local(),
		report: &Report{}, known: map[string]bool{layout.ManifestPath: true},
	}
	v.verifyManifestFiles(progress)
	v.verifyListedFiles()
	for _, k := range r.Manifest.Kinds {
		v.verifyKind(k)
		v.verifyDeltas(&k)
	}
	v.verifyGraph()
	v.verifyArchives()
	v.verifyHistories()
	v.verifyID()
	var err error
	if v.local {
		err = v.checkExtraFiles()
	} else { // the files of a service cannot be listed
		v.report.Files = len(v.known) - v.unread
	}
	if ctx.Err() != nil { // faults found after that concern the context, not the release
		return nil, context.Cause(ctx)
	}
	return v.report, err
}

type verifier struct {
	*Release
	local  bool // whether the files are not those of a service
	report *Report
	known  map[string]bool // files of the release
	unread int             // how many of them were not requested
}

// Codes of stele explain.
const (
	otherSingle = "OUT01"
	wrongCount  = "OUT02"
	wrongDate   = "OUT03"
	wrongEvents = "OUT04"
)

// maxFaults is the maximum number of faults listed.
const maxFaults = 1000

// addFault adds a fault of a file.
func (v *verifier) addFault(path, format string, args ...any) {
	v.addFaultWithCode("", path, format, args...)
}

// addFaultWithCode adds a fault with a code of stele explain.
func (v *verifier) addFaultWithCode(code, path, format string, args ...any) {
	switch n := len(v.report.Faults); {
	case n < maxFaults:
		v.report.Faults = append(v.report.Faults, Fault{code, path, fmt.Sprintf(format, args...)})
	case n == maxFaults:
		v.report.Faults = append(v.report.Faults, Fault{Message: "more faults, which are not listed"})
	}
}

// addError adds an error as a fault.
func (v *verifier) addError(path string, err error) {
	if d := new(DamagedError); errors.As(err, &d) {
		if path = d.Path; d.Code != "" {
			v.addFaultWithCode(d.Code, path, "%s", d.Message)
			return
		}
	}
	v.addFault(path, "%v", err)
}

// addKnown records that a file belongs to the release, and reports duplicates.
func (v *verifier) addKnown(path string) {
	if v.known[path] {
		v.addFault(path, "duplicate %s", path)
	}
	v.known[path] = true
}

// found is the result of a part of the verification.
type found struct {
	faults []Fault
	paths  []string
	unread int    // number of files not requested
	after  func() // runs after all earlier parts; may be nil
}

func (f *found) addFault(path, format string, args ...any) {
	f.addFaultWithCode("", path, format, args...)
}

func (f *found) addFaultWithCode(code, path, format string, args ...any) {
	if len(f.faults) > maxFaults {
		return
	}
	f.faults = append(f.faults, Fault{code, path, fmt.Sprintf(format, args...)})
}

// verifyParts calls do for all parts concurrently, and adds the results in order.
func verifyParts[T any](v *verifier, parts iter.Seq[T], do func(T, *found)) {
	worker := func(part T) iter.Seq[found] {
		return func(yield func(found) bool) {
			var f found
			do(part, &f)
			yield(f)
		}
	}
	for f := range parallel.Ordered(parts, slices.Repeat([]func(T) iter.Seq[found]{worker}, parallel.Workers(0))) {
		for _, path := range f.paths {
			v.addKnown(path)
		}
		v.unread += f.unread
		for _, fault := range f.faults {
			v.addFaultWithCode(fault.Code, fault.Path, "%s", fault.Message)
		}
		if f.after != nil {
			f.after()
		}
	}
}

// inBatches groups values, because passing on each value separately takes longer than checking it.
func inBatches[T any](values iter.Seq[T]) iter.Seq[[]T] {
	const most = 64
	return func(yield func([]T) bool) {
		var batch []T
		for value := range values {
			if batch = append(batch, value); len(batch) == most {
				if !yield(batch) {
					return
				}
				batch = nil
			}
		}
		if len(batch) > 0 {
			yield(batch)
		}
	}
}

// fileCheck is a file or a variant to verify.
type fileCheck struct {
	*File
	variant *Variant // nil for the file itself
}

// verifyManifestFiles verifies the files of the manifest, each as a part of its own, because they
// may be large.
func (v *verifier) verifyManifestFiles(progress func(done, total int64)) {
	var total, done int64
	for _, f := range v.Manifest.Files {
		total += f.Size
	}
	verifyParts(v, func(yield func(fileCheck) bool) {
		for i := range v.Manifest.Files {
			for _, c := range fileChecks(&v.Manifest.Files[i]) {
				if !yield(c) {
					return
				}
			}
		}
	}, func(c fileCheck, f *found) {
		v.verifyFile(c, f)
		if c.variant == nil && progress != nil {
			f.after = func() {
				done += c.Size
				progress(done, total)
			}
		}
	})
}

// fileChecks returns the checks of a file and its variants.
func fileChecks(f *File) []fileCheck {
	list := []fileCheck{{File: f}}
	for i := range f.Variants {
		list = append(list, fileCheck{f, &f.Variants[i]})
	}
	return list
}

// verifyFile verifies a file or a variant.
func (v *verifier) verifyFile(c fileCheck, f *found) {
	if c.variant == nil {
		f.paths = append(f.paths, c.Path)
		v.verifySum(f, c.Path, c.Path, c.Size, c.SHA256, nil)
		return
	}
	if !v.local { // a service sends variants at the URL of the file
		return
	}
	path := c.variant.Path
	f.paths = append(f.paths, path)
	v.verifySum(f, path, path, c.variant.Size, c.variant.SHA256, nil)
	e, ok := compress.Named(c.variant.Encoding)
	if !ok {
		f.addFault(path, "%s: unknown encoding %q", path, c.variant.Encoding)
		return
	}
	v.verifySum(f, path, path+" (decoded)", c.Size, c.SHA256, &e)
}

// verifyListedFiles verifies the files of the listings of files. It checks that each file is in the
// right listing.
func (v *verifier) verifyListedFiles() {
	for _, listing := range v.Manifest.FileListings() {
		var failed error
		verifyParts(v, inBatches(func(yield func(File) bool) {
			for f, err := range v.Release.ListedFiles(listing) {
				if failed = err; err != nil || !yield(f.File) {
					return
				}
			}
		}), func(batch []File, f *found) {
			for i := range batch {
				path := batch[i].Path
				if v.Manifest.Histories != "" && isHistory(path) != (listing == v.Manifest.Histories) {
					f.addFault(path, "%s does not belong in %s", path, listing)
				}
				if !v.local && v.isDerived(path) { // checked against the file that it is derived from
					f.paths = append(f.paths, path)
					f.unread++
					continue
				}
				for _, c := range fileChecks(&batch[i]) {
					v.verifyFile(c, f)
				}
			}
		})
		if failed != nil {
			v.addError(listing, failed)
		}
	}
}

// verifySum checks the size and digest of a file, after decoding the file if e is not nil.
func (v *verifier) verifySum(found *found, path, name string, size int64, want Digest, e *compress.Encoding) {
	f, err := v.open(path)
	if err != nil {
		found.addFault(path, "cannot read %s: %v", path, err)
		return
	}
	defer f.Close() // f was only read
	var in io.Reader = f
	if e != nil {
		if in, err = e.Reader(f); err != nil {
			found.addFault(path, "cannot decode %s: %v", path, err)
			return
		}
	}
	h := sha256.New()
	n, err := io.Copy(h, io.LimitReader(in, size+1))
	switch {
	case err != nil:
		found.addFault(path, "cannot read %s: %v", name, err)
	case n != size:
		found.addFault(path, "%s: wrong size (the manifest says %d bytes)", name, size)
	case Digest(h.Sum(nil)) != want:
		found.addFault(path, "%s: wrong digest", name)
	}
}

// verifyKind checks a collection against its listing and its single records.
func (v *verifier) verifyKind(k Kind) {
	next, stop := iter.Pull2(v.Entries(k.Kind))
	defer stop()
	count, lines, newest := 0, 0, ""
	var failed error
	verifyParts(v, inBatches(func(yield func(listed) bool) {
		for line, err := range v.Release.Records(k.Kind) {
			e, errEntry, ok := next()
			if failed = errors.Join(err, errEntry); failed != nil {
				return // the counts would be wrong too
			}
			if ok {
				lines++
			}
			if count++; ok && !yield(listed{e, bytes.Clone(line)}) {
				return
			}
		}
	}), func(batch []listed, f *found) {
		date := ""
		for _, r := range batch {
			date = max(date, v.verifyRecord(f, k, r.Entry, r.JSON))
		}
		f.after = func() { newest = max(newest, date) }
	})
	if failed != nil {
		v.addError(k.Collection, failed)
	}
	if _, err, more := next(); more || err != nil {
		v.addFaultWithCode(wrongCount, k.Listing, "%s lists more records than %s contains", k.Listing, k.Collection)
	}
	v.report.Records += count
	if count != k.Count {
		v.addFaultWithCode(wrongCount, k.Collection, "%s contains %d records, but the manifest says %d", k.Collection, count, k.Count)
	}
	if authored := k.Count - k.Derived; lines != authored && lines != k.Count {
		v.addFaultWithCode(wrongCount, k.Listing, "%s lists %d records, but the publisher wrote %d", k.Listing, lines, authored)
	}
	v.verifyHeader(k, count, newest)
}

// verifyHeader checks the count and the date in the first line of a collection.
func (v *verifier) verifyHeader(k Kind, count int, latest string) {
	var head struct {
		Kind  string `json:"kind"`
		Count int    `json:"count"`
		AsOf  string `json:"as_of"`
	}
	if err := json.Unmarshal([]byte(v.firstLine(k.Collection)+"]}"), &head); err != nil || head.Kind != k.Kind ||
		head.Count != count {
		v.addFaultWithCode(wrongCount, k.Collection, "%s says that it contains %d of %q, but it contains %d of %q",
			k.Collection, head.Count, head.Kind, count, k.Kind)
	}
	// Nodes have the dates of their records.
	if head.AsOf != latest && k.Kind != graphNodes {
		v.addFaultWithCode(wrongDate, k.Collection, "%s says as of %q, but its latest date is %q",
			k.Collection, head.AsOf, latest)
	}
}

// firstLine returns the first line of a collection, or "" if it is too long or unreadable.
func (v *verifier) firstLine(path string) string {
	f, err := v.open(path)
	if err != nil {
		return "" // reported already
	}
	defer f.Close() // f was only read
	line, err := bufio.NewReaderSize(f, layout.MaxHead).ReadSlice('\n')
	if err != nil {
		return ""
	}
	return string(line[:len(line)-1])
}

// verifyRecord checks a record of a collection against its entry in the listing and its own file.
// It returns the record's date.
func (v *verifier) verifyRecord(f *found, k Kind, e Entry, line []byte) (date string) {
	var r struct {
		ID        string `json:"id"`
		Version   int64  `json:"version"`
		Title     string `json:"title"`
		Published string `json:"published_date"`
		Updated   string `json:"updated_date"`
	}
	if err := json.Unmarshal(line, &r); err != nil || r.ID != e.ID || r.Version != e.Version ||
		e.Title != "" && e.Title != r.Title || e.Updated != "" && e.Updated != r.Updated ||
		sha256.Sum256(line) != e.SHA256 {
		f.addFault(k.Collection, "%s of %s does not match %s", e.ID, k.Collection, k.Listing)
		return ""
	}
	date = max(r.Published, r.Updated)
	if k.Single == "" {
		return date
	}
	path := k.SinglePath(e.ID)
	f.paths = append(f.paths, path)
	data, err := v.Release.ReadFile(path, int64(len(line)))
	var d *DamagedError
	switch {
	case err != nil && !errors.As(err, &d):
		f.addFault(path, "cannot read %s: %v", path, err)
	case err != nil || !bytes.Equal(data, line):
		f.addFaultWithCode(otherSingle, path, "%s differs from the record in %s", path, k.Collection)
	}
	if !v.local {
		return date
	}
	for _, encoding := range compress.Encodings {
		if _, err := fs.Stat(v.Files, path+encoding.Suffix); err == nil {
			f.paths = append(f.paths, path+encoding.Suffix)
			v.verifySum(f, path+encoding.Suffix, path+encoding.Suffix+" (decoded)", int64(len(line)), e.SHA256, &encoding)
		}
	}
	return date
}

// verifyGraph checks that edges begin and end at nodes.
func (v *verifier) verifyGraph() {
	nodes, whole := map[string]bool{}, true // incomplete lists were reported already
	v.forEachBatch(graphNodes, &whole, func(batch [][]byte, f *found) {
		var list []string
		for _, line := range batch {
			var n struct {
				ID string `json:"id"`
			}
			if json.Unmarshal(line, &n) != nil {
				f.after = func() { whole = false }
				return
			}
			list = append(list, n.ID)
		}
		f.after = func() {
			for _, id := range list {
				nodes[id] = true
			}
		}
	})
	if !whole {
		return
	}
	v.forEachBatch(graphEdges, &whole, func(batch [][]byte, f *found) {
		for _, line := range batch {
			var e struct{ ID, Source, Target string }
			if json.Unmarshal(line, &e) != nil {
				return
			}
			for _, end := range []string{e.Source, e.Target} {
				if !nodes[end] {
					f.addFault("", "edge %s ends at %s, which is not a node", e.ID, end)
				}
			}
		}
	})
}

// forEachBatch calls do with batches of the records of a kind, until a record cannot be read.
func (v *verifier) forEachBatch(kind string, whole *bool, do func(batch [][]byte, f *found)) {
	failed := false
	verifyParts(v, inBatches(func(yield func([]byte) bool) {
		for line, err := range v.Release.Records(kind) {
			if failed = err != nil; failed || !yield(bytes.Clone(line)) {
				return
			}
		}
	}), do)
	*whole = *whole && !failed
}

// checkExtraFiles reports files that do not belong to the release.
func (v *verifier) checkExtraFiles() error {
	paths := map[Digest]string{}
	for f := range v.Manifest.Each() {
		paths[f.SHA256] = f.Path
	}
	for path, err := range v.Names() {
		if err == nil {
			err = v.contextError()
		}
		if err != nil {
			return err
		}
		v.report.Files++
		switch {
		case v.known[path] || isBesideRelease(path):
		case strings.HasPrefix(path, layout.ByHashFolder):
			v.verifyByHash(path, paths)
		case strings.HasPrefix(path[strings.LastIndexByte(path, '/')+1:], layout.TemporaryPrefix):
			v.report.Left = append(v.report.Left, path)
		default:
			v.addFault(path, "%s does not belong to the release", path)
		}
	}
	return nil
}

// verifyByHash checks a file that is named by its digest. The path may be another name of a
// verified file, or belong to the previous release.
func (v *verifier) verifyByHash(path string, paths map[Digest]string) {
	var want Digest
	err := want.UnmarshalText([]byte(path[len(layout.ByHashFolder):]))
	if err != nil || layout.ByHashPath(want.String()) != path {
		v.addFault(path, "%s does not belong to the release", path)
		return
	}
	is, err := fs.Stat(v.Files, path)
	if err != nil {
		v.addFault(path, "cannot read %s: %v", path, err)
		return
	}
	if other, err := fs.Stat(v.Files, paths[want]); err == nil && os.SameFile(is, other) {
		return
	}
	var f found
	v.verifySum(&f, path, path, is.Size(), want, nil)
	for _, fault := range f.faults {
		v.addFault(path, "%s: the digest differs from the name", fault.Path)
	}
}

// logFile matches the paths of a log of signed releases: those of c2sp.org/tlog-tiles, and
// additions.
var logFile = regexp.MustCompile(`^log/(checkpoint|policy|keys/\d{1,19}\.tlog-proof|` +
	`tile/(entries|\d{1,2})/(x\d{3}/)*\d{3}(\.p/\d{1,3})?)$`)

// isBesideRelease reports whether a file is next to a release but not part of it: the log of signed
// releases, which contains the manifest's digest, and the list of the parts of a copy.
func isBesideRelease(path string) bool {
	return path == layout.ProofPath || path == layout.CopyPath || logFile.MatchString(path)
}

// Names yields the paths of all files, in any order.
func (r *Release) Names() iter.Seq2[string, error] {
	if files, ok := r.Files.(lister); ok {
		return files.Names()
	}
	return func(yield func(string, error) bool) {
		err := fs.WalkDir(r.Files, ".", func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && !yield(path, nil) {
				return fs.SkipAll
			}
			return err
		})
		if err != nil {
			yield("", err)
		}
	}
}
