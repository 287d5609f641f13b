package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"stele/internal/author/input"
	"stele/internal/author/report"
	"stele/internal/author/settings"
	"stele/internal/build/publish"
	"stele/internal/deliver/bucket"
	"stele/internal/deliver/fetch"
	"stele/internal/deliver/push"
	"stele/internal/disk/store"
	"stele/release"
)

// publishFlags are the options of the command.
type publishFlags struct {
	buildFlags
	yes, dryRun      bool
	prepare, confirm bool
	wait             time.Duration
	command          string // which tells caches what changed

	to      settings.Publishing
	records string // the folder of records
	public  string // the address of the service
	places  []*known
}

func publishCommand() *cobra.Command {
	var f publishFlags
	c := &cobra.Command{
		Use:   "publish [folder]",
		Short: "Build on what is live, show what would change, ask, and publish it",
		Long: `Publish brings the records of a folder to where the setting publish in stele.yaml names: a folder, a bucket, or both.

  publish:
    folder: ../public                  a folder on this machine
    bucket: s3://measles/live          a bucket; site: true brings the files to their public addresses, too
    address: https://data.example.org  where readers get it
    purge: $STELE_PURGE                an environment variable with a command that tells a cache what changed, as that of stele push --purge
    key: ../data.example.org.key       what signs it, or $NAME for an environment variable; witnesses: policy.txt

It builds on the live release, which it reads past caches, shows what would change and asks. Then it verifies, signs and publishes,
and reads the address until that shows the new release. Two lines of releases are refused. Interrupted at any time, it can be run again.

Without a terminal and --yes it ends with 3 where something would change. For hosts that take a folder, their own step comes between
--prepare and --confirm.`,
		Example: `  stele publish
  stele publish measles --yes --strict`,
		Args: arguments(0, 1),
		RunE: f.run,
	}
	c.Flags().BoolVarP(&f.yes, "yes", "y", false, "publish without asking")
	c.Flags().BoolVarP(&f.dryRun, "dry-run", "n", false, "show what would change, and publish nothing")
	c.Flags().BoolVar(&f.first, "first", false, "begin a history, where nothing is published yet")
	c.Flags().BoolVar(&f.prepare, "prepare", false, "stop when the release is in its folder")
	c.Flags().BoolVar(&f.confirm, "confirm", false, "only read the address until it shows the release that is in the folder or the bucket")
	c.Flags().DurationVar(&f.wait, "wait", 10*time.Minute, "how long the address may show the release before")
	c.Flags().StringVar(&f.command, "purge", "", "command that tells caches which addresses changed, as that of stele push")
	f.addOptions(c)
	return c
}

// known is a place where a release of the service may lie.
type known struct {
	name  string
	r     *release.Release // nil if none does
	dir   string           // the folder that it lies in, or ""
	close func() error
	half  bool // whether not all of its files are at their public addresses
}

func (f *publishFlags) run(c *cobra.Command, args []string) (err error) {
	files, prefix, err := openFolder(args)
	if err != nil {
		return err
	}
	if err := f.configure(files, prefix); err != nil {
		return err
	}
	ctx, stop := interruptible(c)
	defer stop()
	if f.confirm {
		return f.confirmOnly(ctx, c)
	}
	clean, err := f.target()
	if err != nil {
		return err
	}
	defer clean()
	if err := f.settle(files, prefix); err != nil {
		return err
	}
	progress, finish := stepBar(c.ErrOrStderr(), f.quiet)
	f.Progress = progress
	opt := report.Options{Files: files, Prefix: prefix, Color: colorful(c.OutOrStdout())}
	outcome, err := writeRelease(f.output, func(w store.Writer) (*publish.Outcome, error) {
		return f.make(ctx, c, files, w, finish, opt)
	}, f.strict)
	if err == nil && !stopped(outcome, f.strict) && f.to.Bucket != "" && !f.prepare {
		err = f.push(ctx, c)
	}
	placed := err == nil && !stopped(outcome, f.strict)
	err = errors.Join(err, f.sign.end(placed))
	switch {
	case errors.Is(err, errNothing):
		return f.purge(ctx, c)
	case errors.Is(err, context.Canceled):
		return errors.New("interrupted; run it again to go on")
	case err != nil:
		return err
	case !placed:
		explainStop(c.ErrOrStderr(), outcome, f.live())
		return errFound
	}
	if err := f.purge(ctx, c); err != nil {
		return err
	}
	return f.readBack(ctx, c, outcome.Manifest)
}

// setPurge finds the command that tells caches what changed. Nothing in a folder of records is run,
// so that the settings only name a variable that has it.
func (f *publishFlags) setPurge() error {
	if f.command != "" || f.to.Purge == "" {
		f.to.Purge = f.command
		return nil
	}
	name, ok := strings.CutPrefix(f.to.Purge, "$")
	if !ok {
		return fmt.Errorf("publish.purge names an environment variable that has the command, such as $STELE_PURGE: what is in a folder of records is not run")
	}
	if f.to.Purge = os.Getenv(name); f.to.Purge == "" && !f.dryRun {
		return fmt.Errorf("publish.purge is $%s, which is not set: set it to the command that tells caches what changed, or give --purge", name)
	}
	return nil
}

// purge lets the command tell caches what changed, and what they were not told yet.
func (f *publishFlags) purge(ctx context.Context, c *cobra.Command) error {
	if f.to.Purge == "" || f.prepare || f.dryRun {
		return nil
	}
	b, err := f.notes(ctx)
	if err != nil {
		return err
	}
	defer b.Close()
	return purge(ctx, c, b, f.to.Purge, f.records, f.public, f.quiet)
}

// notes is where the addresses are that caches are not told of yet.
func (f *publishFlags) notes(ctx context.Context) (*bucket.Bucket, error) {
	if f.to.Bucket != "" {
		return bucket.Open(ctx, f.to.Bucket, bucket.Options{})
	}
	return purgeNotes(ctx, f.to.Folder)
}

// noteChanges notes what changes in a folder, before it does. For a bucket that is done when the
// release is pushed.
func (f *publishFlags) noteChanges(ctx context.Context, now *release.Release) error {
	if f.to.Purge == "" || f.to.Bucket != "" {
		return nil
	}
	b, err := f.notes(ctx)
	if err != nil {
		return err
	}
	defer b.Close()
	if f.Previous == nil {
		return push.Note(ctx, b, now)
	}
	return push.Note(ctx, b, now, f.Previous)
}

// errNothing ends a build that need not be put anywhere.
var errNothing = errors.New("nothing to publish")

// configure reads where releases are brought to.
func (f *publishFlags) configure(files fs.FS, prefix string) error {
	s, _, err := input.ReadSettings(files)
	if err != nil {
		return err
	}
	if s.Publish == nil || s.Publish.Folder == "" && s.Publish.Bucket == "" {
		return fmt.Errorf("%s does not name a place to publish to. Write, for instance:\n\npublish:\n  folder: ../public\n  address: %s", input.SettingsFile, s.BaseURL)
	}
	f.to, f.records = *s.Publish, prefix
	f.public = string(cmp.Or(f.to.Address, s.BaseURL))
	from := func(path string) string {
		if path == "" || filepath.IsAbs(path) || strings.HasPrefix(path, "$") {
			return path
		}
		return filepath.Join(prefix, filepath.FromSlash(path))
	}
	f.to.Folder, f.to.Key, f.to.Witnesses = from(f.to.Folder), from(f.to.Key), from(f.to.Witnesses)
	switch {
	case f.to.Bucket != "" && !bucket.IsAddress(f.to.Bucket):
		return fmt.Errorf("publish.bucket %s is no address of a bucket: write s3://BUCKET/PREFIX, gs://BUCKET/PREFIX, azblob://CONTAINER/PREFIX or file:///FOLDER", f.to.Bucket)
	case store.IsZip(f.to.Folder):
		return errors.New("publish.folder is a folder, and no zip: stele build writes those")
	case f.prepare && f.to.Folder == "":
		return errors.New("--prepare stops when the release is in its folder, and publish.folder names none")
	}
	if err := f.setPurge(); err != nil {
		return err
	}
	if f.to.Key != "" {
		f.sign.keys, f.sign.witness = []string{f.to.Key}, f.to.Witnesses
		f.sign.noState = strings.HasPrefix(f.to.Key, "$") // the log that is live has to do
	}
	f.fetch.fresh = true
	return nil
}

// target is where the release is built: in its folder, or for a bucket alone in one that clean
// removes.
func (f *publishFlags) target() (clean func(), err error) {
	if f.to.Folder != "" {
		f.output = f.to.Folder
		return func() {}, nil
	}
	dir, err := os.MkdirTemp("", "stele-publish-")
	if err != nil {
		return nil, err
	}
	f.output = filepath.Join(dir, "release")
	return func() { os.RemoveAll(dir) }, nil
}

// live names the places that readers see, for messages.
func (f *publishFlags) live() string {
	var names []string
	for _, name := range []string{f.to.Folder, f.to.Bucket, string(f.to.Address)} {
		if name != "" {
			names = append(names, fetch.Public(name))
		}
	}
	return strings.Join(names, " and ")
}

// make builds on what is live, shows what would change, asks, verifies and signs.
func (f *publishFlags) make(
	ctx context.Context, c *cobra.Command, files fs.FS, w store.Writer, finish func(), opt report.Options,
) (*publish.Outcome, error) {
	defer finish()
	newest, closeAll, err := f.findNewest(ctx)
	defer closeAll()
	if err != nil {
		return nil, err
	}
	if newest != nil {
		f.Previous, f.PreviousDir = newest.r, newest.dir
	}
	outcome, err := publish.Build(ctx, files, w, f.Options)
	if err != nil {
		return nil, err
	}
	finish()
	if len(outcome.Check.Problems) > 0 {
		if err := report.Write(c.OutOrStdout(), "text", outcome.Check, opt); err != nil {
			return nil, err
		}
	}
	if stopped(outcome, f.strict) {
		return outcome, nil
	}
	now := &release.Release{Manifest: outcome.Manifest, Files: w.(store.Shower).Files()}
	if err := f.agree(ctx, c, outcome, now); err != nil {
		return nil, err
	}
	if err := f.sign.carry(ctx, f.Previous, outcome.Manifest, w.Put); err != nil {
		return nil, err
	}
	found, err := now.Verify(ctx, nil)
	if err == nil && len(found.Faults) > 0 {
		err = fmt.Errorf("the release that was built is not whole, so it is not published: %s", found.Faults[0])
	}
	if err == nil {
		err = f.noteChanges(ctx, now)
	}
	return outcome, err
}

// agree shows what would change, and asks. What is everywhere already need not be published.
func (f *publishFlags) agree(ctx context.Context, c *cobra.Command, o *publish.Outcome, now *release.Release) error {
	out, m := c.OutOrStdout(), o.Manifest
	if o.Unchanged {
		behind := f.behind(m.Release)
		if len(behind) == 0 && (!f.sign.given() || isSigned(f.Previous)) {
			if !f.quiet {
				fmt.Fprintf(out, "Nothing changed since release %s of %s.\n", m.Release, m.Date)
			}
			return errNothing
		}
		fmt.Fprintf(out, "Nothing changed since release %s of %s, which is not everywhere yet: %s\n", m.Release, m.Date, strings.Join(behind, ", "))
	} else {
		about := "Nothing is published yet: this begins a history."
		if f.Previous != nil {
			about = fmt.Sprintf("Since release %s of %s: %s.", f.Previous.Manifest.Release, f.Previous.Manifest.Date, report.Changes(o.Changes))
		}
		fmt.Fprintln(out, about)
		const lines = 200
		if err := report.Words(ctx, out, f.Previous, now, lines, colorful(out)); err != nil {
			return err
		}
		if f.Previous != nil && isSigned(f.Previous) && !f.sign.given() {
			fmt.Fprintln(c.ErrOrStderr(), "stele: it would not be signed, and the live release is: whoever verifies with a key stays with that one. publish.key names the key")
		}
	}
	switch {
	case f.dryRun:
		fmt.Fprintf(out, "Nothing was published: release %s would go to %s.\n", m.Release, f.live())
		return errNothing
	case f.yes:
		return nil
	}
	return askPublisher(c, m.Release, f.live())
}

// askPublisher asks whoever sits at the terminal.
func askPublisher(c *cobra.Command, id, where string) error {
	in, ok := c.InOrStdin().(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) {
		fmt.Fprintf(c.ErrOrStderr(), "stele: release %s would go to %s. Nobody is there to ask: --yes publishes it\n", id, where)
		return errAsked
	}
	fmt.Fprintf(c.OutOrStdout(), "Publish to %s? [y/N] ", where)
	answer, _ := bufio.NewReader(in).ReadString('\n') // what was not said is no
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	fmt.Fprintln(c.OutOrStdout(), "Nothing was published.")
	return errNothing
}

// behind names the places that do not have a release yet.
func (f *publishFlags) behind(id string) (names []string) {
	for _, p := range f.places {
		if p.r == nil || p.r.Manifest.Release != id || p.half {
			names = append(names, p.name)
		}
	}
	return names
}

// isHalf reports whether a push was interrupted while it brought files to their public addresses.
func (f *publishFlags) isHalf(ctx context.Context) (bool, error) {
	b, err := bucket.Open(ctx, f.to.Bucket, bucket.Options{})
	if err != nil {
		return false, err
	}
	defer b.Close()
	state, err := b.Pointer(ctx)
	if err != nil || state.Pointer == nil {
		return false, err
	}
	return state.Site == nil && f.to.Site || state.Site != nil && state.Site.Writing != "", nil
}

// push brings the release to the bucket. It was verified.
func (f *publishFlags) push(ctx context.Context, c *cobra.Command) error {
	b, err := bucket.Open(ctx, f.to.Bucket, bucket.Options{})
	if err != nil {
		return err
	}
	defer b.Close()
	if f.to.Purge != "" {
		if _, err := push.NoteChanges(ctx, b, f.output); err != nil {
			return err
		}
	}
	progress, finish := stepBar(c.ErrOrStderr(), f.quiet)
	const keep = 3
	opt := push.Options{Keep: keep, Site: f.to.Site, Verified: true, Progress: progress, Own: stateDir("push")}
	_, err = push.Push(ctx, b, f.output, opt)
	finish()
	return err
}

// findNewest opens the release of each place and returns the newest one, or nil. All must be of one
// line.
func (f *publishFlags) findNewest(ctx context.Context) (newest *known, closeAll func(), err error) {
	closeAll = func() {
		for _, p := range f.places {
			if p.r != nil {
				p.close() // it was only read
			}
		}
	}
	if err := f.look(ctx); err != nil {
		return nil, closeAll, err
	}
	for _, p := range f.places {
		if p.r == nil || newest != nil && newest.r.Manifest.Release == p.r.Manifest.Release {
			continue
		}
		if newest == nil {
			newest = p
			continue
		}
		ahead, _, err := p.r.Follows(newest.r.Manifest.Release)
		if err != nil {
			return nil, closeAll, err
		}
		behind, _, err := newest.r.Follows(p.r.Manifest.Release)
		switch {
		case err != nil:
			return nil, closeAll, err
		case ahead:
			newest = p
		case !behind:
			return nil, closeAll, forked(newest, p)
		}
	}
	switch {
	case newest != nil && f.first:
		return nil, closeAll, fmt.Errorf("--first begins a history, and %s has release %s of %s: leave --first out",
			newest.name, newest.r.Manifest.Release, newest.r.Manifest.Date)
	case newest == nil && f.yes && !f.first:
		return nil, closeAll, fmt.Errorf("nothing is published at %s yet: add --first to begin a history", f.live())
	}
	return newest, closeAll, nil
}

// forked says that two places have releases of two lines.
func forked(a, b *known) error {
	x, y := a.r.Manifest, b.r.Manifest
	return fmt.Errorf(`%s has release %s of %s, and %s has release %s of %s: neither was built on the other, so publishing would lose what one of them brought.
  To go on with %[2]s, bring it to %[4]s yourself: stele push with --fork, or stele build -o with --previous and --fork.
  To go on with %[5]s, bring it to %[1]s likewise`, a.name, x.Release, x.Date, b.name, y.Release, y.Date)
}

// look opens the release of each place.
func (f *publishFlags) look(ctx context.Context) error {
	add := func(name, dir string, r *release.Release, closeRelease func() error, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			r, err = nil, nil
		}
		if err != nil {
			return fmt.Errorf("what is live cannot be read: %w", err)
		}
		f.places = append(f.places, &known{name: fetch.Public(name), r: r, dir: dir, close: closeRelease})
		return nil
	}
	if f.to.Folder != "" {
		r, closeRelease, err := store.OpenTarget(f.to.Folder)
		if err := add(f.to.Folder, f.to.Folder, r, closeRelease, err); err != nil {
			return err
		}
	}
	if f.to.Bucket != "" {
		r, closeRelease, err := bucket.OpenRelease(ctx, f.to.Bucket, math.MaxInt64, bucket.Options{})
		if err := add(f.to.Bucket, "", r, closeRelease, err); err != nil {
			return err
		}
		if f.places[len(f.places)-1].half, err = f.isHalf(ctx); err != nil {
			return err
		}
	}
	if f.to.Address != "" {
		r, _, closeRelease, err := f.fetch.open(ctx, string(f.to.Address))
		return add(string(f.to.Address), "", r, closeRelease, err)
	}
	return nil
}
