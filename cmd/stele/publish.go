package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"stele/client"
	"stele/internal/author/judging/report"
	"stele/internal/author/reading/input"
	"stele/internal/author/reading/settings"
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/internal/compile/compiler"
	"stele/internal/deliver/bucket"
	"stele/internal/deliver/fetch"
	"stele/internal/deliver/push"
	"stele/internal/disk/store"
	"stele/internal/trust/signing"
	"stele/record"
	"stele/release"
)

type publishFlags struct {
	buildFlags
	yes, dryRun      bool
	allowUnsigned    bool
	allowForget      bool
	newKey           string // file of a key that replaces the current key
	rotation         rotation
	prepare, confirm bool
	wait             time.Duration
	command          string // command that purges caches
	host             string // host of the bucket, which may receive credentials

	to     settings.Publishing
	public string // URL of the service
	plans  []settings.Plan
	agreed func() error           // asks the user; nil means at the terminal
	found  func([]schema.Problem) // receives the problems; nil prints them
	shrunk bool                   // whether a kind with far fewer records stopped the build
	push.Service
}

func publishCommand() *cobra.Command { return new(publishFlags).newCommand() }

func (f *publishFlags) newCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "publish [folder]",
		Short: "Build on the live release, show the changes, ask, and publish",
		Long: `Publish builds on the live release, shows the changes, asks, signs, and publishes to the destination
named by publish in stele.yaml: a folder, a bucket, or both.

In stele.yaml:

  publish:
    folder: ../public                  a folder on this machine
    bucket: s3://measles/live          a bucket; site: true also writes files to public URLs
    address: https://data.example.org  URL for readers
    purge: $STELE_PURGE                a variable with a command, as for stele push --purge
    key: ../data.example.org.key       the signing key, or $NAME of a variable with it. Also witnesses: policy.txt

Then it reads the address until it shows the new release. You can interrupt publish at any time and
run it again. Without a terminal and without --yes, the exit code is 3 if there are changes. For hosts
that upload a folder, run their upload between --prepare and --confirm.`,
		Example: `  stele publish
  stele publish measles --yes --strict`,
		Args: countArguments(0, 1),
		RunE: withInterrupt(f.run),
	}
	c.Flags().BoolVarP(&f.yes, "yes", "y", false, "publish without asking")
	c.Flags().BoolVarP(&f.dryRun, "dry-run", "n", false, "dry run: show the changes and publish nothing")
	c.Flags().BoolVar(&f.at.First, "first", false, "start a history")
	c.Flags().BoolVar(&f.prepare, "prepare", false, "stop after the release is in its folder")
	c.Flags().BoolVar(&f.confirm, "confirm", false, "only read the address until it shows the release")
	c.Flags().DurationVar(&f.wait, "wait", 10*time.Minute, "how long to wait for the address to show the new release")
	c.Flags().StringVar(&f.command, "purge", "", "command that purges changed URLs from caches")
	c.Flags().StringVar(&f.host, "host", "", "host of publish.bucket, if this machine has not published there before")
	f.addOptions(c, choice{"unsigned", &f.allowUnsigned, "an unsigned release after a signed one"},
		choice{"forget", &f.allowForget, "the release that this machine published last is gone"})
	return c
}

func (f *publishFlags) run(c *cobra.Command, args []string) (err error) {
	files, prefix, err := openFolder(args)
	if err != nil {
		return err
	}
	if err := f.applySettings(files, prefix); err != nil {
		return err
	}
	ctx := c.Context()
	if err := f.openService(ctx, c, prefix); err != nil {
		return err
	}
	if f.Bucket != nil {
		defer f.Bucket.Close() // writes were confirmed by the store
	}
	if f.confirm {
		return f.runConfirmOnly(ctx, c)
	}
	if files, err = f.prepareRotation(files, prefix); err != nil {
		return err
	}
	clean, err := f.setTargetFolder()
	if err != nil {
		return err
	}
	defer clean()
	if err := errors.Join(f.findSecret(c), f.checkAndComplete(files, prefix)); err != nil {
		return err
	}
	opt := report.Options{Files: files, Prefix: prefix, Color: useColor(c.OutOrStdout())}
	outcome, late, err := f.buildAndDeliver(ctx, c, files, opt)
	return f.finishRun(ctx, c, outcome, late, err)
}

// finishRun finishes the signature and the change of keys, purges caches, and waits for the address
// to show the release.
func (f *publishFlags) finishRun(
	ctx context.Context, c *cobra.Command, outcome *compiler.Outcome, late, err error,
) error {
	placed := err == nil && !outcome.Stopped(f.strict)
	err = errors.Join(err, f.sign.finishSignature(placed))
	if placed && err == nil {
		err = f.rotation.writeSettings()
	}
	switch {
	case errors.Is(err, errNothing):
		return f.tellCaches(ctx, c)
	case errors.Is(err, context.Canceled):
		return errors.New("interrupted; run the command again to continue")
	case err != nil:
		return err
	case !placed:
		explainStop(c.ErrOrStderr(), outcome, f.Names())
		f.shrunk = len(outcome.Shrunk) > 0
		return errFound
	}
	printLateError(c, late)
	if err := f.tellCaches(ctx, c); err != nil {
		return err
	}
	return f.readBack(ctx, c, outcome.Manifest)
}

// buildAndDeliver builds the release and writes it to its destinations, or changes nothing.
func (f *publishFlags) buildAndDeliver(
	ctx context.Context, c *cobra.Command, files fs.FS, opt report.Options,
) (outcome *compiler.Outcome, late, err error) {
	defer f.Close()
	w, err := store.NewWriter(f.at.Path)
	if err != nil {
		return nil, nil, err
	}
	progress, finish := newProgressBar(c.ErrOrStderr(), f.quiet)
	defer finish()
	f.Progress = progress
	outcome, now, err := f.buildRelease(ctx, c, files, w, finish, opt)
	if err != nil || outcome.Stopped(f.strict) {
		return outcome, nil, errors.Join(err, w.Abort())
	}
	late, err = f.Place(ctx, w, now, f.Previous, f.prepare, push.Options{Progress: progress, Own: stateDir("push")})
	return outcome, late, err
}

// isKnownDestination reports whether this machine published this records folder to its destination
// before, or the user agreed to. It sends nothing. If it returns false, nothing may be requested
// from the destination, because someone else may have written the settings.
func (f *publishFlags) isKnownDestination(prefix string) (_ bool, err error) {
	f.Service = push.Service{Records: prefix, State: stateDir("")}
	if f.to.Bucket == "" {
		return true, nil
	}
	if f.To, err = bucket.FindDestination(f.to.Bucket); err != nil {
		return false, err
	}
	return f.IsKnown()
}

// askPermission asks before the first request to a host to which this machine has not published.
// With --yes or without a terminal, --host or --first must allow a host that the settings name.
func (f *publishFlags) askPermission(c *cobra.Command, prefix string) error {
	known, err := f.isKnownDestination(prefix)
	if known || err != nil {
		return err
	}
	if f.host != "" && f.host != f.To.Host {
		return fmt.Errorf("--host is %s, but the host of publish.bucket is %s", f.host, f.To.Host)
	}
	question := fmt.Sprintf("%s is at %s. This machine has not published there before, and will send your credentials to it.", f.To.Name, f.To.Host)
	switch {
	case f.host != "":
	case f.agreed != nil:
		fmt.Fprintln(c.OutOrStdout(), question)
		if err := f.agreed(); err != nil {
			return err
		}
	case !f.yes && isInteractive(c):
		fmt.Fprintln(c.OutOrStdout(), question)
		if !askYesNo(c, "Go on?") {
			return errors.New("nothing was sent")
		}
	case f.yes && f.at.First || !f.To.Named:
		return nil
	default:
		return fmt.Errorf("%s Nothing was sent. Run this command once at a terminal, where it asks, or add --host %s", question, f.To.Host)
	}
	return f.Agree()
}

func (f *publishFlags) openService(ctx context.Context, c *cobra.Command, prefix string) (err error) {
	if err := f.askPermission(c, prefix); err != nil {
		return err
	}
	f.Service = push.Service{
		Folder: f.to.Folder, Site: f.to.Site, Address: string(f.to.Address),
		Records: f.Records, State: f.State, To: f.To, Purge: f.to.Purge != "", GaveUp: f.allowForget,
		Read: func(ctx context.Context, address string) (*release.Release, func() error, error) {
			return openEarlier(ctx, address, true)
		},
		ReadBucket: func(ctx context.Context, t *bucket.Transport) (*release.Release, func() error, error) {
			return openTransport(ctx, t, client.Options{Bytes: math.MaxInt64, Time: math.MaxInt64})
		},
	}
	if f.to.Bucket != "" {
		f.Bucket, err = bucket.Open(ctx, f.to.Bucket, bucket.Options{})
	}
	return err
}

// setPurgeCommand sets the command that purges caches. The settings can only name an environment
// variable with the command, because nothing in a records folder may be executed.
func (f *publishFlags) setPurgeCommand() error {
	if f.command != "" || f.to.Purge == "" {
		f.to.Purge = f.command
		return nil
	}
	name, ok := strings.CutPrefix(f.to.Purge, "$")
	if !ok {
		return fmt.Errorf("publish.purge must name an environment variable that contains the command, such as $STELE_PURGE: commands in a records folder are never run")
	}
	if f.to.Purge = os.Getenv(name); f.to.Purge == "" && !f.dryRun {
		return fmt.Errorf("publish.purge is $%s, which is not set: set it to the command that purges caches, or use --purge", name)
	}
	return nil
}

// tellCaches runs the command that purges changed URLs, including those that an earlier run did not
// purge.
func (f *publishFlags) tellCaches(ctx context.Context, c *cobra.Command) error {
	if f.to.Purge == "" || f.prepare || f.dryRun {
		return nil
	}
	return purgeCaches(ctx, c, f.NotifyCaches, f.to.Purge, f.Records, f.public, f.quiet)
}

// errNothing ends a publication without changes.
var errNothing = errors.New("nothing to publish")

func (f *publishFlags) applySettings(files fs.FS, prefix string) error {
	s, problems, err := input.ReadSettings(files)
	if err != nil {
		return err
	}
	for _, p := range problems {
		if p.Severity() == codes.Error {
			return fmt.Errorf("%s\n`stele check` lists all problems", p.String())
		}
	}
	if err := settings.RefuseExample(s.BaseURL); err != nil {
		return err
	}
	if s.Publish == nil || s.Publish.Folder == "" && s.Publish.Bucket == "" {
		return fmt.Errorf("%s: publish is missing. Write, for example:\n\npublish:\n  folder: ../public\n  address: %s", input.SettingsFile, cmp.Or(s.BaseURL, "https://ADDRESS"))
	}
	f.to, f.plans = *s.Publish, s.Calendar
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
		return fmt.Errorf("publish.bucket %s is not a valid bucket address: write s3://BUCKET/PREFIX, gs://BUCKET/PREFIX, azblob://CONTAINER/PREFIX or file:///FOLDER", f.to.Bucket)
	case store.IsZip(f.to.Folder):
		return errors.New("publish.folder must be a folder, not a zip: use stele build to write a zip")
	case f.prepare && f.to.Folder == "":
		return errors.New("--prepare requires publish.folder in stele.yaml")
	}
	if err := f.setPurgeCommand(); err != nil {
		return err
	}
	if f.to.Key != "" {
		f.sign.keys, f.sign.witness = []string{f.to.Key}, f.to.Witnesses
		f.sign.noState = strings.HasPrefix(f.to.Key, "$") // only the live log is available
	}
	return nil
}

// findSecret sets the file of the secret. It creates the secret if this machine has none.
func (f *publishFlags) findSecret(c *cobra.Command) error {
	if f.secret != "" {
		return nil
	}
	if f.secret = stateDir("secret"); f.secret == "" {
		fmt.Fprintln(c.ErrOrStderr(), "stele: digests are not salted, because there is no home folder for the secret. Add --secret FILE")
		return nil
	}
	err := writeNewSecret(f.secret)
	if err == nil && !f.quiet {
		fmt.Fprintf(c.ErrOrStderr(), "Created the secret %s. It prevents others from using a release's digests to guess what you redact. Keep it secret.\n", f.secret)
	}
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// setTargetFolder sets the folder of the new release: publish.folder, or for a bucket alone a
// temporary folder, which clean removes.
func (f *publishFlags) setTargetFolder() (clean func(), err error) {
	if f.to.Folder != "" {
		f.at.Path = f.to.Folder
		return func() {}, nil
	}
	dir, err := os.MkdirTemp("", "stele-publish-")
	if err != nil {
		return nil, err
	}
	f.at.Path = filepath.Join(dir, "release")
	return func() { os.RemoveAll(dir) }, nil
}

// buildRelease builds on the live release, shows the changes, asks, verifies and signs.
func (f *publishFlags) buildRelease(
	ctx context.Context, c *cobra.Command, files fs.FS, w store.Writer, finish func(), opt report.Options,
) (outcome *compiler.Outcome, now *release.Release, err error) {
	if f.Previous, f.PreviousDir, err = f.OpenLive(ctx, f.at.First); err != nil {
		return nil, nil, err
	}
	if f.Found != "" {
		fmt.Fprintln(c.ErrOrStderr(), "stele: "+f.Found)
	}
	f.at.First = f.at.First && f.Previous == nil
	if f.Previous == nil && f.yes && !f.at.First {
		return nil, nil, fmt.Errorf("no release is published at %s: add --first to start a history", f.Names())
	}
	if outcome, err = compiler.Build(ctx, files, w, f.Options); err != nil {
		return nil, nil, err
	}
	finish()
	if f.found != nil {
		f.found(outcome.Check.Problems)
	} else if len(outcome.Check.Problems) > 0 {
		if err := report.Write(c.OutOrStdout(), "text", outcome.Check, opt); err != nil {
			return nil, nil, err
		}
	}
	if outcome.Stopped(f.strict) {
		return outcome, nil, nil
	}
	f.warnIfEarly(c, outcome)
	now = &release.Release{Manifest: outcome.Manifest, Files: w.Files()}
	if err := f.approve(ctx, c, outcome, now); err != nil {
		return nil, nil, err
	}
	if err := f.sign.copyLog(ctx, f.Previous, outcome.Manifest, w.Put); err != nil {
		return nil, nil, err
	}
	found, err := now.Verify(ctx, nil)
	if err == nil && len(found.Faults) > 0 {
		err = fmt.Errorf("verification of the new release failed, so it was not published: %s", found.Faults[0])
	}
	return outcome, now, err
}

// warnIfEarly warns if the release publishes something earlier than planned.
func (f *publishFlags) warnIfEarly(c *cobra.Command, o *compiler.Outcome) {
	for _, p := range f.plans {
		day := record.Date(o.Manifest.Date)
		today := p.Status(day) == settings.PlanPlanned && p.Planned.Day() == day
		if (today || p.Published == day) && p.Planned.Time().After(f.Options.At) {
			fmt.Fprintf(c.ErrOrStderr(), "stele: %q is planned for %s, but it is only %s\n", p.What, p.Planned, f.Options.At.UTC().Format("2006-01-02T15:04Z"))
		}
	}
}

// approve shows the changes and asks. It returns errNothing if all destinations already have the
// release.
func (f *publishFlags) approve(ctx context.Context, c *cobra.Command, o *compiler.Outcome, now *release.Release) error {
	out, m := c.OutOrStdout(), o.Manifest
	if f.quiet && f.yes {
		out = io.Discard
	}
	if o.Unchanged {
		behind := f.PlacesBehind(m.Release)
		if len(behind) == 0 && !f.changesKeys() && (!f.sign.hasKey() || signing.IsSigned(f.Previous.Files)) {
			if !f.quiet {
				fmt.Fprintf(out, "Nothing changed since release %s of %s.\n", m.Release, m.Date)
			}
			return errNothing
		}
		what := "which some destinations do not have yet: " + strings.Join(behind, ", ")
		if len(behind) == 0 {
			what = "which is signed again"
		}
		fmt.Fprintf(out, "Nothing changed since release %s of %s, %s\n", m.Release, m.Date, what)
	} else {
		about := "No release is published yet: this starts a history."
		if f.Previous != nil {
			about = fmt.Sprintf("Since release %s of %s: %s.", f.Previous.Manifest.Release, f.Previous.Manifest.Date, report.ChangesText(o.Changes))
		}
		fmt.Fprintln(out, about)
		if o.Check.LeavesOut != "" {
			fmt.Fprintln(out, o.Check.LeavesOut)
		}
		const lines = 200
		if err := report.WriteSummary(ctx, out, f.Previous, now, lines, useColor(out)); err != nil {
			return err
		}
		if err := f.refuseUnsigned(c); err != nil {
			return err
		}
	}
	if f.dryRun {
		fmt.Fprintf(out, "Dry run: release %s would be published to %s.\n", m.Release, f.Names())
		return errNothing
	}
	moved, err := f.Moved()
	if err != nil || f.yes && moved == "" {
		return err
	}
	if f.agreed != nil {
		fmt.Fprintf(out, "Publishing release %s to %s.\n", m.Release, f.destinationText(moved))
		return f.agreed()
	}
	return f.askToPublish(c, m.Release, moved)
}

// refuseUnsigned returns an error if an unsigned release would follow a signed one, unless that is
// allowed.
func (f *publishFlags) refuseUnsigned(c *cobra.Command) error {
	if f.Previous == nil || !signing.IsSigned(f.Previous.Files) || f.sign.hasKey() {
		return nil
	}
	const advice = "the release would be unsigned, but the live release is signed: servers and readers with a key would keep the live release"
	if !f.allowUnsigned && !f.dryRun {
		return errors.New(advice + ". Name the key as publish.key in stele.yaml, or add --allow unsigned")
	}
	fmt.Fprintln(c.ErrOrStderr(), "stele: "+advice)
	return nil
}

// destinationText returns the destinations of the release, and the previous one, moved, if any.
func (f *publishFlags) destinationText(moved string) string {
	if moved == "" {
		return f.Names()
	}
	return f.Names() + ", and not to " + moved + " as before"
}

// askToPublish asks the user at the terminal. A new destination always needs an answer, because
// someone else may have written the settings.
func (f *publishFlags) askToPublish(c *cobra.Command, id, moved string) error {
	where := f.destinationText(moved)
	switch is := isInteractive(c); {
	case !is && moved != "":
		return fmt.Errorf("release %s would be published to %s. Nothing was published, because this needs an answer at a terminal: run the command there once", id, where)
	case !is:
		fmt.Fprintf(c.ErrOrStderr(), "stele: release %s would be published to %s. Nothing was published: add --yes, or answer at a terminal\n", id, where)
		return errAsked
	}
	if askYesNo(c, "Publish to "+where+"?") {
		return nil
	}
	fmt.Fprintln(c.OutOrStdout(), "Nothing was published.")
	return errNothing
}

// isInteractive reports whether the input is a terminal, so that questions can be answered.
func isInteractive(c *cobra.Command) bool {
	in, ok := c.InOrStdin().(*os.File)
	return ok && term.IsTerminal(int(in.Fd()))
}

// askYesNo asks a question at the terminal, and reports whether the answer is yes.
func askYesNo(c *cobra.Command, question string) bool {
	fmt.Fprintf(c.OutOrStdout(), "%s [y/N] ", question)
	answer, _ := bufio.NewReader(c.InOrStdin()).ReadString('\n') // an unreadable answer is a no
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes"
}

// runConfirmOnly reads the address until it shows the release in the folder or the bucket.
func (f *publishFlags) runConfirmOnly(ctx context.Context, c *cobra.Command) error {
	if f.to.Address == "" {
		return errors.New("publish.address is missing: set it to the URL to read")
	}
	r, closeRelease, err := openEarlier(ctx, cmp.Or(f.to.Bucket, f.to.Folder), true)
	if err != nil {
		return err
	}
	defer closeRelease() // only read
	if err := f.tellCaches(ctx, c); err != nil {
		return err
	}
	return f.readBack(ctx, c, r.Manifest)
}

// readBack reads the address until it shows the release of m.
func (f *publishFlags) readBack(ctx context.Context, c *cobra.Command, m *release.Manifest) error {
	say := func(text string) {
		if !f.quiet {
			fmt.Fprintln(c.OutOrStdout(), text)
		}
	}
	if f.to.Address == "" || f.prepare {
		say(fmt.Sprintf("Release %s of %s is in %s.", m.Release, m.Date, f.At(f.prepare)))
		return nil
	}
	if err := f.ReadBack(ctx, m, f.wait, say); err != nil {
		return err
	}
	say(fmt.Sprintf("%s shows release %s of %s.", fetch.Public(f.Address), m.Release, m.Date))
	return nil
}
