package push

import (
	"bytes"
	"context"
	"crypto/md5" // digests that stores report
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"stele/internal/base/layout"
	"stele/internal/deliver/bucket"
	"stele/internal/disk/lists"
	"stele/internal/disk/scratch"
	"stele/internal/trust/signing"
	"stele/release"
)

// SiteResult is the result of writing public files, or the plan of a dry run.
type SiteResult struct {
	Written, Removed int64 // numbers of files
	Repaired         bool  // whether all public files were checked
}

// BusyError says that another machine is writing public files.
type BusyError struct {
	Release string
	Wait    time.Duration // until the other writer is considered stopped
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("another machine is writing release %s to the bucket's public URLs, or was stopped while doing so. Run this again in %s",
		e.Release, e.Wait.Round(time.Second))
}

// siteFiles writes the public files of a release. Meanwhile, readers use the files of the earlier
// release. New files are therefore written first, then changed files, then files that refer to
// them, and the manifest last. Files that the release does not have are deleted after that.
type siteFiles struct {
	*job
	found   []release.Digest        // digests of the manifests whose files may be there
	log     []signing.File          // files of the log to send
	unsign  bool                    // whether the previous signature must be deleted
	earlier []earlier               // releases whose files may be there: normally only the last one
	objects map[layout.Short]stored // existing objects, if they must be checked; else nil
	resend  bool                    // whether unchanged files are sent with other metadata
	total   int64                   // number of files to send
	journal *journal

	pointer *pointer // as this push wrote it
	mu      sync.Mutex
	result  *SiteResult // counts of finished files
	done    int64
}

// earlier is a release whose public files may be in the bucket.
type earlier struct {
	*release.Release
	files *remote
	has   inventory
}

type stored struct {
	size int64
	md5  layout.Short // zero if the store does not report it
}

// wantsSite reports whether the release has public files. If the bucket already has public files,
// they are updated too, because they would otherwise be outdated.
func (j *job) wantsSite() bool { return j.opt.Site || j.previousSite() != nil }

// previousSite returns the pointer's data about public files, or nil.
func (j *job) previousSite() *bucket.Site {
	if j.before.Pointer == nil {
		return nil
	}
	return j.before.Site
}

// isSiteComplete reports whether all public files are written, according to the pointer.
func (j *job) isSiteComplete() bool {
	has := j.previousSite()
	if !j.wantsSite() {
		return true
	}
	return has != nil && !j.opt.Repair && has.Writing == "" && has.Sending == j.metadataName() &&
		slices.Equal(has.Manifests, []release.Digest{j.pack.Manifest})
}

func cacheMaxAge(asked time.Duration, there *bucket.Pointer) time.Duration {
	switch {
	case asked != 0:
		return max(asked, 0).Truncate(time.Second)
	case there != nil && there.Site != nil:
		return time.Duration(there.Site.MaxAge) * time.Second
	}
	return 5 * time.Minute
}

// metadataName returns a name for the metadata of public files. If the name changes, all files are
// sent again.
func (j *job) metadataName() string {
	return layout.Fingerprint(j.opt.MaxAge, j.r.Manifest.Language)
}

func (j *job) objectHead(path string) (h bucket.Head) {
	for _, line := range layout.SendingOf(path).Headers(layout.Freshness{MaxAge: j.opt.MaxAge}, j.r.Manifest.Language) {
		switch line.Name {
		case "Content-Type":
			h.Type = line.Value
		case "Cache-Control":
			h.Caching = line.Value
		case "Content-Language":
			h.Language = line.Value
		}
	}
	return h
}

// siteWhileWriting returns the data about public files while they are being written, including
// found, the releases whose files may be in the bucket.
func (j *job) siteWhileWriting(found []release.Digest) *bucket.Site {
	m := j.siteInBucket()
	m.Writing, m.Writer = j.pack.Release, j.own.text
	found = slices.DeleteFunc(slices.Clone(found), func(d release.Digest) bool { return d == j.pack.Manifest })
	m.Manifests = append(found, j.pack.Manifest)
	return m
}

func (j *job) siteInBucket() *bucket.Site {
	return &bucket.Site{
		Manifests: []release.Digest{j.pack.Manifest}, Sending: j.metadataName(), MaxAge: int64(j.opt.MaxAge.Seconds()),
	}
}

// checkBusy returns an error if another machine is still writing. Both times are those of the
// store's clock.
func (j *job) checkBusy(now time.Time) error {
	has, wait := j.previousSite(), j.opt.Lease-now.Sub(j.before.Modified)
	writer := ""
	if has != nil {
		writer = has.Writer
	}
	mine := j.own.isOwn(writer) && !j.own.busy // own holds the lock, so that push has ended
	if has != nil && has.Writing != "" && !has.Stopped && wait > 0 && !mine {
		return &BusyError{has.Writing, wait}
	}
	j.own.store(writer)
	return nil
}

// writeSite writes the public files, and deletes the files under /by-hash/ of releases that are no
// longer kept. The pointer is already marked.
func (s *siteFiles) writeSite(ctx context.Context, p *pointer, result *Result) error {
	var old error
	err := p.withMark(ctx, s.job.siteInBucket(), func(ctx context.Context) error {
		s.pointer, s.result = p, result.Site
		err := s.writeFiles(ctx)
		s.journal.close(err == nil)
		if err != nil {
			return fmt.Errorf("the release is published for servers, but some of its public files are missing; run this again to continue: %w", err)
		}
		if old = s.collectFiles(ctx, p, result); old != nil && ctx.Err() != nil {
			return old
		}
		return nil
	})
	if err == nil {
		result.setLateError(old)
	}
	return err
}

// planSite plans the public files from the data in the pointer.
func (j *job) planSite(ctx context.Context, result *Result) (_ *siteFiles, err error) {
	s := &siteFiles{job: j}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	if err := s.planLog(ctx); err != nil {
		return nil, err
	}
	repair := j.opt.Repair
	if has := j.previousSite(); has != nil {
		repair = repair || has.Writing != ""
		s.resend = has.Sending != j.metadataName()
		for _, digest := range has.Manifests {
			if err := s.addEarlier(ctx, digest); err != nil {
				return nil, err
			}
		}
		repair = repair || len(s.earlier) == 0 // unknown files may be there
	}
	if repair {
		if err := s.readEarlier(ctx); err != nil {
			return nil, err
		}
	}
	result.Site = &SiteResult{Repaired: repair}
	return s, s.countUploads(result)
}

// addEarlier adds a release whose public files may be in the bucket. A release without its manifest
// wrote nothing else, because the manifest is written by digest first. If other files are missing,
// the release was being deleted, and its public files were deleted before.
func (s *siteFiles) addEarlier(ctx context.Context, digest release.Digest) error {
	var has inventory
	r, files, err := s.r, (*remote)(nil), error(nil)
	if digest != s.pack.Manifest {
		r, files, err = openByManifest(ctx, s.bucket, digest)
	}
	if err == nil {
		has, err = newInventory(publicFiles(r))
	}
	if errors.Is(err, fs.ErrNotExist) {
		files.Close()
		return nil
	}
	if err != nil {
		files.Close()
		return err
	}
	s.earlier, s.found = append(s.earlier, earlier{r, files, has}), append(s.found, digest)
	return nil
}

func (s *siteFiles) close() {
	for _, e := range s.earlier {
		e.files.Close()
	}
}

func (s *siteFiles) readEarlier(ctx context.Context) error {
	s.objects = map[layout.Short]stored{}
	for o, err := range s.bucket.List(ctx, "") {
		if err != nil {
			return err
		}
		if !strings.HasPrefix(o.Key, bucket.StateFolder) {
			has := stored{size: o.Size}
			copy(has.md5[:], o.MD5)
			s.objects[layout.Shorten(o.Key)] = has
		}
	}
	return nil
}

type verdict int

const (
	same verdict = iota
	fresh
	changed // or perhaps: send finds out
)

func (s *siteFiles) compareFile(f publicFile) verdict {
	if s.objects != nil {
		if _, ok := s.objects[layout.Shorten(f.path)]; ok {
			return changed
		}
		return fresh
	}
	if len(s.earlier) == 0 {
		return fresh
	}
	has := s.earlier[len(s.earlier)-1].has.findItem(f.path)
	switch {
	case has == nil:
		return fresh
	case s.resend || has.content != layout.Short(f.sum[:]):
		return changed
	}
	return same
}

// upload is an object to write, and the file of the release to write to it.
type upload struct{ key, path string }

// chooseFiles yields the public files that choose selects.
func (s *siteFiles) chooseFiles(choose func(publicFile, verdict) bool) iter.Seq2[upload, error] {
	return func(yield func(upload, error) bool) {
		for f, err := range publicFiles(s.r) {
			if err == nil && strings.HasPrefix(f.path, bucket.StateFolder) {
				err = fmt.Errorf("a release in a bucket cannot contain a file %s", f.path)
			}
			if err != nil {
				yield(upload{}, err)
				return
			}
			if v := s.compareFile(f); v != same && choose(f, v) && !yield(upload{f.path, f.path}, nil) {
				return
			}
		}
	}
}

// uploadsByDigest yields the files to write by digest.
func (s *siteFiles) uploadsByDigest() iter.Seq2[upload, error] {
	return func(yield func(upload, error) bool) {
		known := map[release.Digest]bool{}
		if s.objects == nil && len(s.earlier) > 0 {
			for f := range filesByDigest(s.earlier[len(s.earlier)-1].Manifest) {
				known[f.SHA256] = true
			}
		}
		for f := range filesByDigest(s.r.Manifest) {
			if known[f.SHA256] {
				continue
			}
			known[f.SHA256] = true
			if !yield(upload{layout.ByHashPath(f.SHA256.String()), f.Path}, nil) {
				return
			}
		}
	}
}

// uploadSteps returns the uploads in steps. Each step must end before the next begins.
func (s *siteFiles) uploadSteps() []iter.Seq2[upload, error] {
	one := func(key, path string) iter.Seq2[upload, error] {
		return func(yield func(upload, error) bool) { yield(upload{key, path}, nil) }
	}
	return []iter.Seq2[upload, error]{
		s.uploadsByDigest(),
		one(layout.ByHashPath(s.pack.Manifest.String()), layout.ManifestPath), // names all later files
		s.chooseFiles(func(f publicFile, _ verdict) bool { return layout.IsImmutable(f.path) }),
		s.chooseFiles(func(f publicFile, v verdict) bool { return !layout.IsImmutable(f.path) && v == fresh }),
		s.chooseFiles(func(f publicFile, v verdict) bool {
			return !layout.IsImmutable(f.path) && v == changed && !f.listed
		}),
		s.chooseFiles(func(f publicFile, v verdict) bool {
			return !layout.IsImmutable(f.path) && v == changed && f.listed
		}),
	}
}

func (s *siteFiles) countUploads(result *Result) error {
	for _, step := range s.uploadSteps() {
		for u, err := range step {
			if err != nil {
				return err
			}
			info, err := fs.Stat(s.r.Files, u.path)
			if err != nil {
				return err
			}
			s.total++
			result.Bytes += info.Size()
		}
	}
	for _, err := range s.remainingFiles(s.earlier, s.r) {
		if err != nil {
			return err
		}
		result.Site.Removed++
	}
	if s.unsign {
		result.Site.Removed++
	}
	s.total += int64(len(s.log)) + 1
	result.Site.Written = s.total
	return nil
}

func (s *siteFiles) writeFiles(ctx context.Context) error {
	s.result.Written, s.result.Removed = 0, 0
	has := s.previousSite()
	goOn := has != nil && has.Writing == s.pack.Release && s.own.isOwn(has.Writer) && !s.opt.Repair
	s.journal = s.own.openJournal(s.pack.Manifest.String()+" "+s.metadataName(), goOn)
	if err := s.deleteRemains(ctx); err != nil {
		return err
	}
	for _, step := range s.uploadSteps() {
		if err := doConcurrently(ctx, step, s.send); err != nil {
			return err
		}
	}
	for _, f := range s.log {
		if err := s.put(ctx, f.Path, bytes.NewReader(f.Data), int64(len(f.Data))); err != nil {
			return err
		}
	}
	if err := s.send(ctx, upload{layout.ManifestPath, layout.ManifestPath}); err != nil {
		return err
	}
	if err := doConcurrently(ctx, s.remainingFiles(s.earlier, s.r), s.remove); err != nil {
		return err
	}
	if s.unsign {
		return s.remove(ctx, layout.ProofPath)
	}
	return nil
}

// remainingFiles yields the public files of the earlier releases in list that no release in after
// contains.
func (s *siteFiles) remainingFiles(list []earlier, after ...*release.Release) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		yielded := map[layout.Short]bool{} // the files that were already yielded
		for _, e := range list {
			for i := range e.has {
				e.has[i].seen = false
			}
			for _, r := range after {
				for f, err := range publicFiles(r) {
					if err != nil {
						yield("", err)
						return
					}
					if has := e.has.findItem(f.path); has != nil {
						has.seen = true
					}
				}
			}
			for f, err := range publicFiles(e.Release) {
				if err != nil {
					yield("", err)
					return
				}
				if e.has.findItem(f.path).seen || !s.mayExist(f.path) || yielded[layout.Shorten(f.path)] {
					continue
				}
				if len(list) > 1 {
					yielded[layout.Shorten(f.path)] = true
				}
				if !yield(f.path, nil) {
					return
				}
			}
		}
	}
}

// maxEarlier is the maximum number of releases with public files in the bucket before another
// release is written.
const maxEarlier = 8

// deleteRemains deletes the remains of many interrupted pushes, so that their list stays short. It
// keeps only the files of the first, the last and this release. It must run before the manifest is
// written by digest, because only pushes with a manifest are in the next list.
func (s *siteFiles) deleteRemains(ctx context.Context) error {
	last := len(s.earlier) - 1
	if last < maxEarlier {
		return nil
	}
	gone := s.remainingFiles(s.earlier[1:last], s.earlier[0].Release, s.earlier[last].Release, s.r)
	if err := doConcurrently(ctx, gone, s.remove); err != nil {
		return err
	}
	for _, e := range s.earlier[1:last] {
		e.files.Close()
	}
	s.earlier = slices.Delete(s.earlier, 1, last)
	s.found = slices.Delete(s.found, 1, last)
	return s.pointer.update(ctx, func(p *bucket.Pointer) { p.Site = s.siteWhileWriting(s.found) })
}

func (s *siteFiles) mayExist(key string) bool {
	if s.objects == nil {
		return true
	}
	_, ok := s.objects[layout.Shorten(key)]
	return ok
}

// planLog determines which files of the log to send. The log only grows. Nothing in its folder is
// deleted, because it may contain other objects, and readers of an older log need its tiles. A
// release's signature is replaced together with the release.
func (s *siteFiles) planLog(ctx context.Context) error {
	manifest, err := s.r.ReadFile(layout.ManifestPath, layout.MaxManifest)
	if err != nil {
		return err
	}
	log, err := signing.CopyLog(ctx, signing.FS(s.r.Files), manifest)
	if err != nil {
		return err
	}
	there := map[string]int64{}
	if len(log) > 0 {
		for o, err := range s.bucket.List(ctx, layout.LogFolder) {
			if err != nil {
				return err
			}
			there[o.Key] = o.Size
		}
	}
	for _, f := range log {
		if size, ok := there[f.Path]; !ok || size != int64(len(f.Data)) || !layout.IsImmutable(f.Path) {
			s.log = append(s.log, f)
		}
	}
	isProof := func(f signing.File) bool { return f.Path == layout.ProofPath }
	if s.previousSite() == nil || slices.ContainsFunc(log, isProof) {
		return nil
	}
	_, err = s.bucket.Stat(ctx, layout.ProofPath)
	s.unsign = err == nil
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return err
}

// send writes an object, unless it is already there.
func (s *siteFiles) send(ctx context.Context, u upload) error {
	f, err := s.r.Files.Open(u.path)
	if err != nil {
		return err
	}
	defer f.Close() // f was only read
	info, err := f.Stat()
	if err != nil {
		return err
	}
	body, ok := f.(io.ReaderAt)
	if !ok { // in a zip that another program made
		on, err := copyToTemporary(f, info.Size())
		if err != nil {
			return err
		}
		defer on.Close() // closing deletes it, because it has no name
		body = on
	}
	has, ok := s.objects[layout.Shorten(u.key)]
	if ok && has.size == info.Size() && s.journal.contains(u.key) {
		s.countProgress(nil)
		return nil
	}
	if ok && !s.resend && has.size == info.Size() && has.md5 != (layout.Short{}) {
		sum := md5.New()
		if _, err := io.Copy(sum, io.NewSectionReader(body, 0, info.Size())); err != nil {
			return err
		}
		if has.md5 == layout.Short(sum.Sum(nil)) {
			s.countProgress(nil)
			return nil
		}
	}
	return s.put(ctx, u.key, body, info.Size())
}

// copyToTemporary copies a file into a temporary file for random access.
func copyToTemporary(f io.Reader, size int64) (*os.File, error) {
	on, err := scratch.New("", "stele-push-*")
	if err != nil {
		return nil, err
	}
	if _, err := lists.Copy(on, f, size, nil); err != nil {
		return nil, errors.Join(err, on.Close())
	}
	return on, nil
}

func (s *siteFiles) put(ctx context.Context, key string, body io.ReaderAt, size int64) error {
	if err := s.bucket.Put(ctx, key, body, size, s.objectHead(key)); err != nil {
		return err
	}
	s.journal.add(key)
	s.countProgress(&s.result.Written)
	return nil
}

func (s *siteFiles) remove(ctx context.Context, key string) error {
	if err := s.pointer.remove(ctx, key); err != nil {
		return err
	}
	s.countProgress(&s.result.Removed)
	return nil
}

// countProgress reports progress and increments count, which may be nil.
func (s *siteFiles) countProgress(count *int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if count != nil {
		*count++
	}
	s.done++
	s.opt.Progress("publishing", min(s.done, s.total), s.total)
}

// atOnce is the number of concurrent requests.
const atOnce = 32
