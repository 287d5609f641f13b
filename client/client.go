// Package client reads records that were published with Stele, from the URL of a service, a folder
// or a zip.
//
// [Open] opens a release. [All] reads all records of a kind into their Go type, [Get] one of them,
// and [Changes] those that were added, changed or removed since an earlier release. [Client.Update]
// switches to a newer release if there is one.
//
// The package returns verified data only: it reads a whole collection and checks it against the
// digest in the manifest before it returns the first record. Downloads are stored in unnamed
// temporary files, so memory is needed for one record at a time. With a key, the manifest's
// signature is checked too.
//
// Requests that fail for a temporary reason are repeated. A client of a service requests files by
// their digests if the host has them, so that it sees one consistent release even while the host is
// being updated. No stability is promised, of the package or of any schema.
package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"stele/internal/base/fileinfo"
	"stele/internal/base/layout"
	"stele/internal/base/parallel"
	"stele/internal/deliver/fetch"
	"stele/internal/disk/scratch"
	"stele/internal/disk/store"
	"stele/internal/trust/signing"
	"stele/release"
)

// Options configure a client. Zero values are the defaults.
type Options struct {
	Time      time.Duration // limit on the time that a call waits for a service; default one hour
	Bytes     int64         // limit on the bytes that a service may send for a call; default 4 GiB
	Redirects bool          // whether a service may redirect to another host
	Fresh     bool          // whether to bypass caches that keep a release for too long
	// Transport sends the requests, even for locations that are not URLs; nil for the network. Use
	// it to set a proxy, certificates or header lines.
	Transport http.RoundTripper
	// Key is the public key of the publisher, or a policy with witnesses. Releases that are not
	// signed with it are refused.
	Key string
	// Alone allows the entries of the log to be missing: with the manifest, its proof, the
	// checkpoint and the listing of a kind, Release.EntryOf can prove a record. The client then
	// does not follow changes of keys, and stores nothing.
	Alone bool
	// Seen is a folder in which the client stores the logs of signed releases, so that it notices
	// when a log is rolled back or rewritten. If it is "", only the signature is checked.
	Seen string
}

// Client is an open release. It is safe for concurrent use, except for Update and Close.
type Client struct {
	where   string
	opt     Options
	limits  fetch.Limits
	source  *fetch.Source // nil for a folder or a zip
	read    *fetch.Manifest
	release *release.Release // without files for a service
	close   func() error

	turns     sync.Map // of channels, which are full while a file is downloaded, by path
	mu        sync.Mutex
	files     map[string]*sharedFile // verified, by path
	earlier   *Client                // client of another release, which may have the same files
	indexes   map[string]*index      // by path
	standings map[string]*release.Standing
}

// Open opens the release at location, which is a URL, a folder or a zip. It reads only the
// manifest.
func Open(ctx context.Context, location string, opt Options) (*Client, error) {
	c := newClient(location, opt)
	if err := c.open(ctx); err != nil {
		return nil, err
	}
	return c, nil
}

func newClient(location string, opt Options) *Client {
	limits := fetch.Limits{
		Time: opt.Time, Bytes: opt.Bytes, Redirects: opt.Redirects, Fresh: opt.Fresh, Transport: opt.Transport,
	}
	return &Client{
		where: location, opt: opt, limits: limits, files: map[string]*sharedFile{}, indexes: map[string]*index{},
	}
}

func (c *Client) open(ctx context.Context) (err error) {
	if fetch.IsURL(c.where) || c.opt.Transport != nil {
		// the source lasts as long as the client, not only as long as ctx
		if c.source, err = fetch.Open(context.WithoutCancel(ctx), c.where, c.limits); err != nil {
			return err
		}
		c.close = c.source.Close
		if err := c.readManifest(ctx); err != nil {
			return errors.Join(fmt.Errorf("%s: %w", fetch.Public(c.where), err), c.source.Close())
		}
		return nil
	}
	if scheme, _, ok := strings.Cut(c.where, "://"); ok {
		return fmt.Errorf("%s:// URLs are not supported: give the https:// URL at which the release is "+
			"served, or make a copy with `stele mirror` and give its folder", scheme)
	}
	if c.release, c.close, err = store.Open(c.where); err != nil {
		return err
	}
	if c.opt.Key != "" {
		data, err := c.release.ReadFile(layout.ManifestPath, layout.MaxManifest)
		if err == nil {
			err = c.verify(ctx, signing.FS(c.release.Files), data)
		}
		if err == nil {
			err = c.release.Use(data)
		}
		if err != nil {
			return errors.Join(err, c.close())
		}
	}
	return nil
}

// readManifest reads the manifest of a service, if it has changed.
func (c *Client) readManifest(ctx context.Context) error {
	read, err := c.source.Manifest(ctx, c.read)
	if err != nil || read == nil {
		return err
	}
	if err := c.verify(ctx, signing.FS(c.source), read.Data); err != nil {
		return err
	}
	m := new(release.Manifest)
	if err := m.Decode(read.Data); err != nil {
		return err
	}
	c.dropDownloads()
	c.read, c.release = read, &release.Release{Manifest: m} // each reader has its own files
	return nil
}

// verify checks the signature of a manifest, if a key is given.
func (c *Client) verify(ctx context.Context, files signing.Files, manifest []byte) error {
	if c.opt.Key == "" {
		return nil
	}
	policy, err := signing.ParsePolicy(c.opt.Key)
	if err != nil {
		return err
	}
	opt := signing.VerifyOptions{Policy: policy, WithoutLog: c.opt.Alone}
	_, err = signing.Seen{Dir: c.opt.Seen}.Verify(ctx, files, manifest, opt)
	return err
}

// Close closes the release and deletes the downloads.
func (c *Client) Close() error {
	c.dropDownloads()
	return c.close()
}

func (c *Client) dropDownloads() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for path, f := range c.files {
		f.release() // its last user's close deletes it, because it has no name
		delete(c.files, path)
	}
	clear(c.indexes)
	c.standings = nil
}

// forgetChanged drops the data derived from files that differ in the next release. Downloads stay,
// because they are found by digest.
func (c *Client) forgetChanged(next *release.Manifest) {
	c.mu.Lock()
	defer c.mu.Unlock()
	changed := func(path string) bool {
		was, is := c.release.Manifest.File(path), next.File(path)
		return (was == nil) != (is == nil) || was != nil && was.SHA256 != is.SHA256
	}
	maps.DeleteFunc(c.indexes, func(path string, _ *index) bool { return changed(path) })
	if changed(layout.StandingPath) {
		c.standings = nil
	}
}

// Release returns the release in the form of package release. Each file of a service is downloaded
// whole and verified before any of it is read, and stored until the client is updated or closed.
// After the context ends, reading fails.
func (c *Client) Release(ctx context.Context) *release.Release {
	r := c.release
	if c.source != nil {
		c.source.Renew()
		r = &release.Release{Manifest: r.Manifest, Files: files{c, ctx}}
	}
	return r.Within(ctx)
}

func (c *Client) Manifest() *release.Manifest { return c.release.Manifest }

// Update switches to the latest release, and reports whether the release changed. After an error,
// the client keeps its release.
func (c *Client) Update(ctx context.Context) (bool, error) {
	before := c.release.Manifest.Release
	if c.source != nil {
		c.source.Renew()
		err := c.readManifest(ctx)
		return c.release.Manifest.Release != before, err
	}
	next := newClient(c.where, c.opt)
	if err := next.open(ctx); err != nil {
		return false, err
	}
	err := c.close()
	c.forgetChanged(next.release.Manifest)
	c.release, c.close = next.release, next.close
	return c.release.Manifest.Release != before, err
}

// Next opens the latest release as another client, or returns nil if c already has it. c can still
// be used until it is closed. Files of both releases are downloaded once, if c is still open when
// the next client needs them.
func (c *Client) Next(ctx context.Context) (*Client, error) {
	if c.source != nil {
		c.source.Renew()
		read, err := c.source.Manifest(ctx, c.read)
		if err != nil || read == nil || bytes.Equal(read.Data, c.read.Data) {
			return nil, err
		}
	}
	next := newClient(c.where, c.opt)
	if err := next.open(ctx); err != nil {
		return nil, err
	}
	if next.release.Manifest.Release == c.release.Manifest.Release {
		return nil, next.Close()
	}
	next.earlier = c
	return next, nil
}

// Fetch downloads the files of the manifest that choose selects. Reading these files later sends no
// requests. Fetch does nothing for a folder or a zip.
func (c *Client) Fetch(ctx context.Context, choose func(path string) bool) error {
	if c.source == nil {
		return nil
	}
	c.source.Renew()
	chosen := func(yield func(*release.File, error) bool) {
		for i := range c.release.Manifest.Files {
			if f := &c.release.Manifest.Files[i]; choose(f.Path) && !yield(f, nil) {
				return
			}
		}
	}
	const atOnce = 8
	err := parallel.Each(ctx, atOnce, chosen, func(ctx context.Context, f *release.File) error {
		_, err := c.openDownload(ctx, f)
		return err
	})
	c.earlier = nil
	return err
}

// sharedFile is a file that several clients share. The last client closes it.
type sharedFile struct {
	*os.File
	digest release.Digest
	users  atomic.Int32
}

func (f *sharedFile) release() {
	if f.users.Add(-1) == 0 {
		f.Close() // it was only read
	}
}

// shareFile returns the download with the digest of f, for another client, or nil.
func (c *Client) shareFile(f *release.File) *sharedFile {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	have := c.files[f.Path]
	if have == nil || have.digest != f.SHA256 {
		return nil
	}
	have.users.Add(1)
	return have
}

// download downloads a file of the manifest into an unnamed temporary file, and verifies it.
func (c *Client) download(ctx context.Context, f *release.File) (*os.File, error) {
	to, err := scratch.New("", "stele-client-*")
	if err != nil {
		return nil, err
	}
	r := &release.Release{Manifest: c.release.Manifest, Files: files{c, ctx}}
	if fetch.DeriveListing(r, f.Path, c.isDownloaded, to) {
		return to, nil
	}
	if err = fetch.Empty(to); err == nil {
		err = c.source.Fetch(ctx, f, to)
	}
	if err != nil {
		return nil, errors.Join(err, to.Close())
	}
	return to, nil
}

// openDownload returns a file of the manifest. It downloads or derives the file first if necessary,
// while other callers wait for it.
func (c *Client) openDownload(ctx context.Context, f *release.File) (*os.File, error) {
	is, _ := c.turns.LoadOrStore(f.Path, make(chan struct{}, 1))
	turn := is.(chan struct{})
	select {
	case turn <- struct{}{}:
		defer func() { <-turn }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	c.mu.Lock()
	have := c.files[f.Path]
	c.mu.Unlock()
	if have != nil {
		return have.File, nil
	}
	file := c.earlier.shareFile(f)
	if file == nil {
		fetched, err := c.download(ctx, f)
		if err != nil {
			return nil, err
		}
		file = &sharedFile{File: fetched, digest: f.SHA256}
		file.users.Store(1)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.files[f.Path] = file
	return file.File, nil
}

// files reads the files of a service until a context ends. A file of the manifest is downloaded
// whole before any of it is used.
type files struct {
	c   *Client
	ctx context.Context
}

func (f files) Open(name string) (fs.File, error) {
	if name == layout.ManifestPath {
		return fileinfo.FromBytes(name, f.c.read.Data), nil
	}
	listed := f.c.release.Manifest.File(name)
	if listed == nil { // a single record, whose digest is in its listing
		return f.c.source.OpenContext(f.ctx, name)
	}
	file, err := f.c.openDownload(f.ctx, listed)
	if err != nil {
		return nil, err
	}
	return fileinfo.New(name, file, listed.Size), nil
}
