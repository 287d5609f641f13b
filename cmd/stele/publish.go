package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

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
	newKey           string // the file of a key that takes the place of the one that signs
	rotation         rotation
	prepare, confirm bool
	wait             time.Duration
	command          string // which tells caches what changed
	host             string // of the bucket, which may get credentials

	to     settings.Publishing
	public string // the address of the service
	plans  []settings.Plan
	agreed func() error           // in place of asking at a terminal; nil for that
	found  func([]schema.Problem) // gets the findings, which are printed otherwise
	shrunk bool                   // whether a kind that has far fewer records stopped it
	push.Service
}

func publishCommand() *cobra.Command { return new(publishFlags).define() }

func (f *publishFlags) define() *cobra.Command {
	c := &cobra.Command{
		Use:   "publish [folder]",
		Short: "Build on what is live, show what would change, ask, and publish it",
		Long: `Publish builds on the live release, shows what would change, asks, signs, and publishes to where the
setting publish in stele.yaml names: a folder, a bucket, or both.

In stele.yaml:

  publish:
    folder: ../public                  a folder on this machine
    bucket: s3://measles/live          a bucket; site: true also brings files to public addresses
    address: https://data.example.org  where readers get it
    purge: $STELE_PURGE                an environment variable with a command, as of stele push --purge
    key: ../data.example.org.key       what signs it, or $NAME of a variable; witnesses: policy.txt

Then it reads the address until that shows the new release. Interrupted at any time, it can be run
again. Without a terminal and --yes it ends with 3 where something would change. For hosts that take
a folder, their own step comes between --prepare and --confirm.`,
		Example: `  stele publish
  stele publish measles --yes --strict`,
		Args: arguments(0, 1),
		RunE: interruptible(f.run),
	}
	c.Flags().BoolVarP(&f.yes, "yes", "y", false, "publish without asking")
	c.Flags().BoolVarP(&f.dryRun, "dry-run", "n", false, "show what would change, and publish nothing")
	c.Flags().BoolVar(&f.at.First, "first", false, "begin a history")
	c.Flags().BoolVar(&f.prepare, "prepare", false, "stop when the release is in its folder")
	c.Flags().BoolVar(&f.confirm, "confirm", false, "only read the address until it shows the release")
	c.Flags().DurationVar(&f.wait, "wait", 10*time.Minute, "how long the address may show the old release")
	c.Flags().StringVar(&f.command, "purge", "", "command that tells caches what changed")
	c.Flags().StringVar(&f.host, "host", "", "host of publish.bucket, if this machine has not published there before")
	f.addOptions(c, choice{"unsigned", &f.allowUnsigned, "no signature after a signed release"})
	return c
}

func (f *publishFlags) run(c *cobra.Command, args []string) (err error) {
	files, prefix, err := openFolder(args)
	if err != nil {
		return err
	}
	if err := f.configure(files, prefix); err != nil {
		return err
	}
	ctx := c.Context()
	if err := f.openService(ctx, c, prefix); err != nil {
		return err
	}
	if f.Bucket != nil {
		defer f.Bucket.Close() // what was written to it was asked for
	}
	if f.confirm {
		return f.confirmOnly(ctx, c)
	}
	if files, err = f.rotate(files, prefix); err != nil {
		return err
	}
	clean, err := f.target()
	if err != nil {
		return err
	}
	defer clean()
	if err := errors.Join(f.findSecret(c), f.settle(files, prefix)); err != nil {
		return err
	}
	opt := report.Options{Files: files, Prefix: prefix, Color: colorful(c.OutOrStdout())}
	outcome, late, err := f.bring(ctx, c, files, opt)
	return f.end(ctx, c, outcome, late, err)
}

// end ends the signature and the change of keys, tells caches, and reads the address.
func (f *publishFlags) end(ctx context.Context, c *cobra.Command, outcome *compiler.Outcome, late, err error) error {
	placed := err == nil && !outcome.Stopped(f.strict)
	err = errors.Join(err, f.sign.end(placed))
	if placed && err == nil {
		err = f.rotation.end()
	}
	switch {
	case errors.Is(err, errNothing):
		return f.tellCaches(ctx, c)
	case errors.Is(err, context.Canceled):
		return errors.New("interrupted; run it again to go on")
	case err != nil:
		return err
	case !placed:
		explainStop(c.ErrOrStderr(), outcome, f.Names())
		f.shrunk = len(outcome.Shrunk) > 0
		return errFound
	}
	tellLate(c, late)
	if err := f.tellCaches(ctx, c); err != nil {
		return err
	}
	return f.readBack(ctx, c, outcome.Manifest)
}

// bring makes the release and brings it to its places, or leaves everything as it was.
func (f *publishFlags) bring(
	ctx context.Context, c *cobra.Command, files fs.FS, opt report.Options,
) (outcome *compiler.Outcome, late, err error) {
	defer f.Close()
	w, err := store.NewWriter(f.at.Path)
	if err != nil {
		return nil, nil, err
	}
	progress, finish := stepBar(c.ErrOrStderr(), f.quiet)
	defer finish()
	f.Progress = progress
	outcome, now, err := f.make(ctx, c, files, w, finish, opt)
	if err != nil || outcome.Stopped(f.strict) {
		return outcome, nil, errors.Join(err, w.Abort())
	}
	late, err = f.Place(ctx, w, now, f.Previous, f.prepare, push.Options{Progress: progress, Own: stateDir("push")})
	return outcome, late, err
}

// isKnownDestination reports whether this machine published a folder of records to the place that
// its settings name before, or its user agreed to. It sends nothing. Until then nothing may be
// asked of that place, because the settings may be somebody else's.
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

// permit asks before the first request to a host to which this machine has not published. With
// --yes, and where nobody can be asked, --host or --first must say so if the settings name the
// host.
func (f *publishFlags) permit(c *cobra.Command, prefix string) error {
	known, err := f.isKnownDestination(prefix)
	if known || err != nil {
		return err
	}
	if f.host != "" && f.host != f.To.Host {
		return fmt.Errorf("--host is %s, and publish.bucket leads to %s", f.host, f.To.Host)
	}
	question := fmt.Sprintf("%s is at %s, where this machine has not published before. It gets your credentials.", f.To.Name, f.To.Host)
	switch {
	case f.host != "":
	case f.agreed != nil:
		fmt.Fprintln(c.OutOrStdout(), question)
		if err := f.agreed(); err != nil {
			return err
		}
	case !f.yes && isAnswered(c):
		fmt.Fprintln(c.OutOrStdout(), question)
		if !answered(c, "Go on?") {
			return errors.New("nothing was sent")
		}
	case f.yes && f.at.First || !f.To.Named:
		return nil
	default:
		return fmt.Errorf("%s Nothing was sent. Run this once at a terminal, where it asks, or add --host %s", question, f.To.Host)
	}
	return f.Agree()
}

func (f *publishFlags) openService(ctx context.Context, c *cobra.Command, prefix string) (err error) {
	if err := f.permit(c, prefix); err != nil {
		return err
	}
	f.Service = push.Service{
		Folder: f.to.Folder, Site: f.to.Site, Address: string(f.to.Address),
		Records: f.Records, State: f.State, To: f.To, Purge: f.to.Purge != "",
		Read: func(ctx context.Context, address string) (*release.Release, func() error, error) {
			return openPast(ctx, address, true)
		},
	}
	if f.to.Bucket != "" {
		f.Bucket, err = bucket.Open(ctx, f.to.Bucket, bucket.Options{})
	}
	return err
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

// tellCaches lets the command tell caches what changed, and what they were not told yet.
func (f *publishFlags) tellCaches(ctx context.Context, c *cobra.Command) error {
	if f.to.Purge == "" || f.prepare || f.dryRun {
		return nil
	}
	return purge(ctx, c, f.Tell, f.to.Purge, f.Records, f.public, f.quiet)
}

// errNothing ends a build that need not be put anywhere.
var errNothing = errors.New("nothing to publish")

func (f *publishFlags) configure(files fs.FS, prefix string) error {
	s, problems, err := input.ReadSettings(files)
	if err != nil {
		return err
	}
	for _, p := range problems {
		if p.Severity() == codes.Error {
			return fmt.Errorf("%s\nstele check shows all that is wrong", p.String())
		}
	}
	if err := settings.RefuseExample(s.BaseURL); err != nil {
		return err
	}
	if s.Publish == nil || s.Publish.Folder == "" && s.Publish.Bucket == "" {
		return fmt.Errorf("%s does not name a place to publish to. Write, for instance:\n\npublish:\n  folder: ../public\n  address: %s", input.SettingsFile, cmp.Or(s.BaseURL, "https://ADDRESS"))
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
		return fmt.Errorf("publish.bucket %s is not the address of a bucket: write s3://BUCKET/PREFIX, gs://BUCKET/PREFIX, azblob://CONTAINER/PREFIX or file:///FOLDER", f.to.Bucket)
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
	return nil
}

// findSecret makes sure that there is a secret, which this machine creates the first time.
func (f *publishFlags) findSecret(c *cobra.Command) error {
	if f.secret != "" {
		return nil
	}
	if f.secret = stateDir("secret"); f.secret == "" {
		fmt.Fprintln(c.ErrOrStderr(), "stele: without a home folder there is no secret to salt digests with. Name one: --secret FILE")
		return nil
	}
	err := newSecret(f.secret)
	if err == nil && !f.quiet {
		fmt.Fprintf(c.ErrOrStderr(), "Created the secret %s. It keeps anyone from computing what you redact from the release's digests. Keep it secret.\n", f.secret)
	}
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// target is where the release is built: in its folder, or for a bucket alone in one that clean
// removes.
func (f *publishFlags) target() (clean func(), err error) {
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

// make builds on what is live, shows what would change, asks, verifies and signs.
func (f *publishFlags) make(
	ctx context.Context, c *cobra.Command, files fs.FS, w store.Writer, finish func(), opt report.Options,
) (outcome *compiler.Outcome, now *release.Release, err error) {
	if f.Previous, f.PreviousDir, err = f.Live(ctx, f.at.First); err != nil {
		return nil, nil, err
	}
	if f.Found != "" {
		fmt.Fprintln(c.ErrOrStderr(), "stele: "+f.Found)
	}
	f.at.First = f.at.First && f.Previous == nil
	if f.Previous == nil && f.yes && !f.at.First {
		return nil, nil, fmt.Errorf("nothing is published at %s yet: add --first to begin a history", f.Names())
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
	f.warnEarly(c, outcome)
	now = &release.Release{Manifest: outcome.Manifest, Files: w.(store.Shower).Files()}
	if err := f.agree(ctx, c, outcome, now); err != nil {
		return nil, nil, err
	}
	if err := f.sign.carry(ctx, f.Previous, outcome.Manifest, w.Put); err != nil {
		return nil, nil, err
	}
	found, err := now.Verify(ctx, nil)
	if err == nil && len(found.Faults) > 0 {
		err = fmt.Errorf("the release that was built is not whole, so it is not published: %s", found.Faults[0])
	}
	return outcome, now, err
}

// warnEarly warns of plans that come before their hour.
func (f *publishFlags) warnEarly(c *cobra.Command, o *compiler.Outcome) {
	for _, p := range f.plans {
		day := record.Date(o.Manifest.Date)
		today := p.Status(day) == settings.PlanPlanned && p.Planned.Day() == day
		if (today || p.Published == day) && p.Planned.Time().After(f.Options.At) {
			fmt.Fprintf(c.ErrOrStderr(), "stele: %q is planned for %s, and it is %s\n", p.What, p.Planned, f.Options.At.UTC().Format("2006-01-02T15:04Z"))
		}
	}
}

// agree shows what would change, and asks. What is everywhere already need not be published.
func (f *publishFlags) agree(ctx context.Context, c *cobra.Command, o *compiler.Outcome, now *release.Release) error {
	out, m := c.OutOrStdout(), o.Manifest
	if f.quiet && f.yes {
		out = io.Discard
	}
	if o.Unchanged {
		behind := f.Behind(m.Release)
		if len(behind) == 0 && !f.changesKeys() && (!f.sign.given() || signing.IsSigned(f.Previous.Files)) {
			if !f.quiet {
				fmt.Fprintf(out, "Nothing changed since release %s of %s.\n", m.Release, m.Date)
			}
			return errNothing
		}
		what := "which is not everywhere yet: " + strings.Join(behind, ", ")
		if len(behind) == 0 {
			what = "which is signed again"
		}
		fmt.Fprintf(out, "Nothing changed since release %s of %s, %s\n", m.Release, m.Date, what)
	} else {
		about := "Nothing is published yet: this begins a history."
		if f.Previous != nil {
			about = fmt.Sprintf("Since release %s of %s: %s.", f.Previous.Manifest.Release, f.Previous.Manifest.Date, report.Changes(o.Changes))
		}
		fmt.Fprintln(out, about)
		if o.Check.LeavesOut != "" {
			fmt.Fprintln(out, o.Check.LeavesOut)
		}
		const lines = 200
		if err := report.Words(ctx, out, f.Previous, now, lines, colorful(out)); err != nil {
			return err
		}
		if err := f.refuseUnsigned(c); err != nil {
			return err
		}
	}
	if f.dryRun {
		fmt.Fprintf(out, "Nothing was published: release %s would go to %s.\n", m.Release, f.Names())
		return errNothing
	}
	moved, err := f.Moved()
	if err != nil || f.yes && moved == "" {
		return err
	}
	if f.agreed != nil {
		fmt.Fprintf(out, "Release %s goes to %s.\n", m.Release, f.place(moved))
		return f.agreed()
	}
	return f.ask(c, m.Release, moved)
}

// refuseUnsigned refuses to follow a signed release with one that is not, unless that is allowed.
func (f *publishFlags) refuseUnsigned(c *cobra.Command) error {
	if f.Previous == nil || !signing.IsSigned(f.Previous.Files) || f.sign.given() {
		return nil
	}
	const advice = "the release would not be signed, and the live one is: servers and readers with a key would stay with that one"
	if !f.allowUnsigned && !f.dryRun {
		return errors.New(advice + ". Name the key as publish.key in stele.yaml, or add --allow unsigned")
	}
	fmt.Fprintln(c.ErrOrStderr(), "stele: "+advice)
	return nil
}

// place is where the release would go, in words.
func (f *publishFlags) place(moved string) string {
	if moved == "" {
		return f.Names()
	}
	return f.Names() + ", and not to " + moved + " as before"
}

// ask asks whoever sits at the terminal. Another place than before is not written to without them:
// what is in a folder of records may be somebody else's proposal.
func (f *publishFlags) ask(c *cobra.Command, id, moved string) error {
	where := f.place(moved)
	switch is := isAnswered(c); {
	case !is && moved != "":
		return fmt.Errorf("release %s would go to %s. Nobody is there to ask, so nothing was published: run this once at a terminal, where it asks", id, where)
	case !is:
		fmt.Fprintf(c.ErrOrStderr(), "stele: release %s would go to %s. Nobody is there to ask: --yes publishes it\n", id, where)
		return errAsked
	}
	if answered(c, "Publish to "+where+"?") {
		return nil
	}
	fmt.Fprintln(c.OutOrStdout(), "Nothing was published.")
	return errNothing
}

// isAnswered reports whether the input is a terminal, where questions are answered.
func isAnswered(c *cobra.Command) bool {
	in, ok := c.InOrStdin().(*os.File)
	return ok && term.IsTerminal(int(in.Fd()))
}

// answered asks a question at the terminal, and reports whether the answer is yes.
func answered(c *cobra.Command, question string) bool {
	fmt.Fprintf(c.OutOrStdout(), "%s [y/N] ", question)
	answer, _ := bufio.NewReader(c.InOrStdin()).ReadString('\n') // what was not said is no
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes"
}

// confirmOnly reads the address until it shows what is in the folder or the bucket.
func (f *publishFlags) confirmOnly(ctx context.Context, c *cobra.Command) error {
	if f.to.Address == "" {
		return errors.New("publish.address names no address to read")
	}
	r, closeRelease, err := openPast(ctx, cmp.Or(f.to.Bucket, f.to.Folder), true)
	if err != nil {
		return err
	}
	defer closeRelease() // it was only read
	if err := f.tellCaches(ctx, c); err != nil {
		return err
	}
	return f.readBack(ctx, c, r.Manifest)
}

// readBack reads the address until it shows a release.
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
