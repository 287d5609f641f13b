package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"stele/internal/author/amend"
	"stele/internal/author/input"
	"stele/internal/author/settings"
	"stele/internal/base/jsonline"
	"stele/internal/base/schema"
	"stele/internal/disk/durable"
	"stele/record"
)

// redactFlags are the options of the command.
type redactFlags struct {
	members                []string
	versions, reason, date string
	keepDigest             bool
}

func redactCommand() *cobra.Command {
	var f redactFlags
	c := &cobra.Command{
		Use:   "redact id",
		Short: "Take out what should never have been published, also of the history",
		Long: `Redact is for what should never have been published: a name, a token. It writes a redaction into redactions.yaml and takes the member out of the
record, whose version rises; without --member and --versions, the whole record. The next build leaves the content out of every file, also of the history. A
public change event says which versions were redacted, when and why: name the sort of thing, never the thing. Errors are for correct.`,
		Example: `  stele redact sig-outbreak --member /x_patient --reason "A person was named."
  stele redact sig-outbreak --versions 1-3 --reason "A person was named in the summary."
  stele redact evd-photo --reason "A photograph of a patient."`,
		Args: arguments(1, 1),
		RunE: f.run,
	}
	c.Flags().StringArrayVar(&f.members, "member", nil, "take this member out of the record, as a JSON Pointer such as /x_patient")
	c.Flags().StringVar(&f.versions, "versions", "", "the versions that are left out, such as 2 or 1-3 (default all so far)")
	c.Flags().StringVar(&f.reason, "reason", "", "why, in a sentence that everybody may read")
	c.Flags().StringVar(&f.date, "date", "", "the day of the redaction (default SOURCE_DATE_EPOCH, else today)")
	c.Flags().BoolVar(&f.keepDigest, "keep-digest", false, "let the digests of these versions stay, where nobody can guess the content")
	return c
}

// standing is a record where it stands in the folder.
type standingRecord struct {
	file    string
	version int64
	others  bool     // whether its file has others
	members []string // those of the members that are to be taken out which it has
}

func (f *redactFlags) run(c *cobra.Command, args []string) error {
	id := args[0]
	if message, fix := record.ID(id).Problem(); message != "" {
		return fmt.Errorf("%s: %s", message, fix)
	}
	if strings.TrimSpace(f.reason) == "" {
		return errors.New("say why in a sentence that everybody may read, without what was wrong: --reason \"A person was named.\"")
	}
	day, err := releaseDate(f.date)
	if err != nil {
		return err
	}
	files, dir, err := openRecords(".")
	if err != nil {
		return err
	}
	for i, m := range f.members {
		f.members[i] = "/" + strings.TrimPrefix(m, "/")
	}
	is, err := findRecord(files, id, f.members)
	if err != nil {
		return err
	}
	r := settings.Redaction{
		ID: record.ID(id), Versions: f.versions, Members: f.members, Date: day, Reason: strings.TrimSpace(f.reason),
		KeepDigest: f.keepDigest,
	}
	if r.Versions == "" {
		if is == nil {
			return fmt.Errorf("there is no record %q here: if it was removed, say which versions: --versions 1-3", id)
		}
		last := is.version
		if len(f.members) > 0 && len(is.members) == 0 { // it was taken out already
			last--
		}
		if last == 0 {
			return fmt.Errorf("%s has no member %s, and never had another version", id, strings.Join(f.members, ", "))
		}
		r.Versions = "1-" + strconv.FormatInt(last, 10)
	}
	if _, _, ok := r.Span(); !ok {
		return fmt.Errorf("--versions %s: write a version, or the first and the last: 2 or 1-3", f.versions)
	}
	return f.write(c.OutOrStdout(), dir, files, is, &r)
}

// write writes the redaction first: if anything fails after it, the build says what is left to do.
func (f *redactFlags) write(w io.Writer, dir string, files fs.FS, is *standingRecord, r *settings.Redaction) error {
	var change []amend.File
	whole := len(f.members) == 0 && f.versions == ""
	if is != nil && len(is.members) > 0 {
		var unset []amend.Setting
		for _, m := range is.members {
			path := strings.ReplaceAll(strings.TrimPrefix(m, "/"), "/", ".")
			unset = append(unset, amend.Setting{Path: path, Unset: true})
		}
		var err error
		change, err = amend.Plan(files, []string{string(r.ID)}, amend.Change{Date: r.Date, Set: unset})
		if err != nil {
			return err
		}
	}
	if whole && is.others {
		return fmt.Errorf("%s has other records too: take %s out of it, and run this again with --versions %s", is.file, r.ID, r.Versions)
	}
	at := filepath.Join(dir, input.RedactionsFile)
	text, err := os.ReadFile(at)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	all := []durable.File{{Path: at, Data: appendRedaction(text, r), Mode: 0o644}}
	for _, x := range change {
		if !bytes.Equal(x.Old, x.New) {
			path := filepath.Join(dir, filepath.FromSlash(x.Path))
			all = append(all, durable.File{Path: path, Data: x.New, Mode: 0o644})
		}
	}
	if _, err := durable.WriteAll(all); err != nil {
		return err
	}
	for _, x := range all {
		fmt.Fprintln(w, "Wrote "+x.Path+".")
	}
	if whole {
		if err := os.Remove(filepath.Join(dir, filepath.FromSlash(is.file))); err != nil {
			return err
		}
		fmt.Fprintln(w, "Removed "+filepath.Join(dir, filepath.FromSlash(is.file))+".")
	}
	fmt.Fprintf(w, "Version %s of %s: the next release has nothing of it. Build and push it now.\n%s", r.Versions, r.ID, stillThere)
	return nil
}

// stillThere is what no redaction reaches.
const stillThere = `What has to be done besides, because Stele cannot:
  version control   its history has the content: git filter-repo, and tell those who have clones
  caches and CDN    purge them
  the object store  remove its own earlier versions and backups, if it keeps any
  other copies      mirrors that follow drop it with the next release; tell the others
  the signed log    has digests of manifests only, and stays
`

// appendRedaction adds a redaction to the text of their file. A text in JSON is one in YAML.
func appendRedaction(text []byte, r *settings.Redaction) []byte {
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("# What releases leave out for good; stele redact writes it. It never holds the content.\nredactions:\n")
	} else if !bytes.HasSuffix(text, []byte("\n")) {
		text = append(text, '\n')
	}
	quoted := func(s string) string { return string(jsonline.AppendText(nil, s)) }
	text = fmt.Appendf(text, "  - id: %s\n    versions: %s\n", r.ID, quoted(r.Versions))
	if len(r.Members) > 0 {
		text = append(text, "    members:\n"...)
		for _, m := range r.Members {
			text = fmt.Appendf(text, "      - %s\n", quoted(m))
		}
	}
	text = fmt.Appendf(text, "    date: %s\n    reason: %s\n", r.Date, quoted(r.Reason))
	if r.KeepDigest {
		text = append(text, "    keep_digest: true\n"...)
	}
	return text
}

// findRecord finds where a record stands, and which of some members it has; nil if it is not there.
func findRecord(files fs.FS, id string, members []string) (is *standingRecord, err error) {
	type seen struct {
		id, file, version string
		members           []string
	}
	count := map[string]int{}
	for s := range input.Read(input.Batches(files, nil), 0, func() func(input.Item) seen {
		return func(i input.Item) (s seen) {
			if i.Tree == nil || i.Tree.Nodes[0].Type != schema.Object {
				return s
			}
			s.file = strings.Clone(i.Tree.Files[0])
			for name, to := range map[string]*string{"id": &s.id, "version": &s.version} {
				if n := i.Tree.Find(0, name); n >= 0 {
					*to = strings.Clone(i.Tree.Nodes[n].Text)
				}
			}
			for _, m := range members {
				if _, whole := i.Tree.At(m); whole {
					s.members = append(s.members, m)
				}
			}
			return s
		}
	}) {
		if count[s.file]++; s.id != id {
			continue
		}
		is = &standingRecord{file: s.file, members: s.members}
		if is.version, err = strconv.ParseInt(s.version, 10, 64); err != nil {
			return nil, fmt.Errorf("the version of %s is %q, which is no number", id, s.version)
		}
	}
	if is != nil {
		is.others = count[is.file] > 1
	}
	return is, nil
}
