// Package client reads what is published with Stele, from the address of a service, a folder or a
// zip, for programs that use the records.
//
// [Open] opens a release. [All] reads the records of a kind with their types, [Get] one of them,
// [Changes] those that came, changed or went since an earlier release. [Client.Update] goes on to a
// newer release when there is one.
//
// Nothing is handed out that was not verified: a collection is read to its end and held to the
// digest in the manifest before the first record of it is given away. What comes over the network
// waits in an unnamed file meanwhile, so memory is needed for one record at a time. With a key, the
// manifest is held to the publisher's signature.
//
// Requests that fail for a reason that may pass are repeated. A client that is at an address asks
// for files by their digests where the host has them, so that it sees one release even while the
// host is being updated. No stability is promised, of the package or of any schema.
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

// Options of a client. Zero values stand for the defaults.
type Options struct {
	Time      time.Duration // that one call waits for an address in all; default one hour
	Bytes     int64         // that an address may send for one call; default 4 GiB
	Redirects bool          // whether an address may lead to another host
	Fresh     bool          // whether to ask past caches that show a release for longer than they may
	// Transport answers requests in the place of the network, also for places that are no URL; nil
	// for the network. One of the caller's own can have a proxy, certificates or header lines.
	Transport http.RoundTripper
	// Key is the public key of the publisher, or a policy with witnesses. What is not signed by it
	// is refused.
	Key string
	// Alone allows that the entries of the log are missing: with the manifest, its proof, the
	// checkpoint and the listing of a kind, Release.EntryOf proves a record. It then follows no
	// changes of keys, and remembers nothing.
	Alone bool
	// Seen is a folder in which the logs of signed releases are remembered, so that one that goes
	// back or is rewritten is noticed. Without it only the signature is checked.
	Seen string
}

// Client is an open release. Several goroutines may read from it, but not while it is updated.
type Client struct {
	where   string
	opt     Options
	limits  fetch.Limits
	source  *fetch.Source // nil for a folder or a zip
	read    *fetch.Manifest
	release *release.Release // without files if it is at an address
	close   func() error

	mu        sync.Mutex
	files     map[string]*sharedFile // what was fetched and verified, by path
	earlier   *Client                // another release, whose files may be the same
	indexes   map[string]*index      // by path
	standings map[string]*release.Standing
}

// Open opens the release at an address, in a folder or in a zip. It reads the manifest.
func Open(ctx context.Context, where string, opt Options) (*Client, error) {
	c := newClient(where, opt)
	if err := c.open(ctx); err != nil {
		return nil, err
	}
	return c, nil
}

func newClient(where string, opt Options) *Client {
	limits := fetch.Limits{
		Time: opt.Time, Bytes: opt.Bytes, Redirects: opt.Redirects, Fresh: opt.Fresh, Transport: opt.Transport,
	}
	return &Client{
		where: where, opt: opt, limits: limits, files: map[string]*sharedFile{}, indexes: map[string]*index{},
	}
}

func (c *Client) open(ctx context.Context) (err error) {
	if fetch.IsURL(c.where) || c.opt.Transport != nil {
		// what is opened lives as long as the client, and not as long as opening it may take
		if c.source, err = fetch.Open(context.WithoutCancel(ctx), c.where, c.limits); err != nil {
			return err
		}
		c.close = c.source.Close
		if err := c.ask(ctx); err != nil {
			return errors.Join(fmt.Errorf("%s: %w", fetch.Public(c.where), err), c.source.Close())
		}
		return nil
	}
	if scheme, _, ok := strings.Cut(c.where, "://"); ok {
		return fmt.Errorf("%s:// is not read by package client: give the https:// address at which the release is "+
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

// ask reads the manifest of a service, unless it is the one that was read before.
func (c *Client) ask(ctx context.Context) error {
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
	c.forget()
	c.read, c.release = read, &release.Release{Manifest: m} // files are those of whoever reads
	return nil
}

// verify holds a manifest to its signature, if a key is given.
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

// Close lets everything go.
func (c *Client) Close() error {
	c.forget()
	return c.close()
}

func (c *Client) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for path, f := range c.files {
		f.release() // it has no name any more, and goes with its last user
		delete(c.files, path)
	}
	clear(c.indexes)
	c.standings = nil
}

// forgetChanged forgets what was made of files that are others in the next release. What is read by
// an index is held to its digests, wherever it lies.
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

// Release returns the release as package release reads it. Of one at an address, each file that the
// manifest lists is fetched whole and verified before any of it is read, and kept on disk until the
// client is updated or closed. Nothing is read once the context has ended.
func (c *Client) Release(ctx context.Context) *release.Release {
	r := c.release
	if c.source != nil {
		c.source.Renew()
		r = &release.Release{Manifest: r.Manifest, Files: files{c, ctx}}
	}
	return r.Within(ctx)
}

// Manifest describes the release.
func (c *Client) Manifest() *release.Manifest { return c.release.Manifest }

// Update goes on to the newest release, and reports whether it is another one than before. Where it
// fails, the client stays with the one that it has.
func (c *Client) Update(ctx context.Context) (bool, error) {
	before := c.release.Manifest.Release
	if c.source != nil {
		c.source.Renew()
		err := c.ask(ctx)
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

// Next opens the latest release as another client, or returns nil if c is at the latest release.
// Meanwhile and afterwards, others may read from c, until it is closed. Files that the two releases
// share are fetched once, as long as c is open when the next client needs them.
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

// Fetch fetches the files of the manifest whose paths are chosen, so that reading them later asks
// nobody. Those of a folder or a zip are not fetched.
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
		_, err := c.kept(ctx, f)
		return err
	})
	c.earlier = nil
	return err
}

// sharedFile is a file of several clients, which the last of them closes.
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

// share returns the file with the digest of f, for another client; nil if c does not have it.
func (c *Client) share(f *release.File) *sharedFile {
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

// fetch fetches a file that the manifest lists, and verifies it. It has no name, and is gone when
// it is closed.
func (c *Client) fetch(ctx context.Context, f *release.File) (*os.File, error) {
	to, err := scratch.New("", "stele-client-*")
	if err != nil {
		return nil, err
	}
	if err := c.source.Fetch(ctx, f, to); err != nil {
		return nil, errors.Join(err, to.Close())
	}
	return to, nil
}

// kept fetches a file that the manifest lists, unless that was done before.
func (c *Client) kept(ctx context.Context, f *release.File) (*os.File, error) {
	c.mu.Lock()
	have := c.files[f.Path]
	c.mu.Unlock()
	if have != nil {
		return have.File, nil
	}
	file := c.earlier.share(f)
	if file == nil {
		fetched, err := c.fetch(ctx, f)
		if err != nil {
			return nil, err
		}
		file = &sharedFile{File: fetched, digest: f.SHA256}
		file.users.Store(1)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if have = c.files[f.Path]; have != nil { // somebody else was faster
		file.release()
		return have.File, nil
	}
	c.files[f.Path] = file
	return file.File, nil
}

// files are those of a service, read until a context ends. Each that the manifest lists is read
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
	if listed == nil { // a single record, whose digest its listing has
		return f.c.source.OpenContext(f.ctx, name)
	}
	file, err := f.c.kept(f.ctx, listed)
	if err != nil {
		return nil, err
	}
	return fileinfo.New(name, file, listed.Size), nil
}
