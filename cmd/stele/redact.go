package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"stele/internal/author/editing/amend"
	"stele/internal/author/reading/input"
	"stele/internal/author/reading/settings"
	"stele/record"
)

func redactCommand() *cobra.Command {
	var r settings.Redaction
	var date string
	var words []string
	c := &cobra.Command{
		Use:   "redact id [folder]",
		Short: "Take out what should never have been published, also of the history",
		Long: `Redact takes out what should never have been published: a name, a token. It writes redactions.yaml,
and takes the member out of the record, or the whole record; --set writes other words in its place.
The next build leaves the content out of every file, also of the history.

It is refused while the reason, a correction or another record repeats names or numbers of what is
taken out.

A public event says which versions, when and why: name the sort of thing, never the thing. See
docs/releases.md.`,
		Example: `  stele redact sig-outbreak --member /x_patient --reason "A person was named."
  stele redact sig-outbreak --set "/title=A case in the north" --reason "A person was named."
  stele redact evd-photo --reason "A photograph of a patient."`,
		Args: arguments(1, 2),
		RunE: inFolder(1, func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return noFolder(args[1])
			}
			return redact(c, args[0], r, words, date)
		}),
	}
	c.Flags().StringArrayVar(&r.Members, "member", nil, "the member to take out, as a JSON Pointer")
	c.Flags().StringArrayVar(&words, "set", nil, "other words in place of a member: /title=TEXT")
	c.Flags().StringArrayVar(&r.Ordinary, "ordinary", nil, "a word of it that other texts may have")
	c.Flags().StringVar(&r.Versions, "versions", "", "versions to leave out: 2, 1-3 (default all so far)")
	c.Flags().StringVar(&r.Reason, "reason", "", "why, in a sentence that everybody may read")
	c.Flags().StringVar(&date, "date", "", "the day of the redaction (default today)")
	return c
}

func redact(c *cobra.Command, id string, r settings.Redaction, words []string, date string) (err error) {
	if message, fix := record.ID(id).Problem(); message != "" {
		return fmt.Errorf("%s: %s", message, fix)
	}
	if r.ID, r.Reason = record.ID(id), strings.TrimSpace(r.Reason); r.Reason == "" {
		return errors.New("say why in a sentence that everybody may read, without what was wrong: --reason \"A person was named.\"")
	}
	if r.Date, err = releaseDate(date); err != nil {
		return err
	}
	files, dir, err := input.Open(".")
	if err != nil {
		return err
	}
	for i, m := range r.Members {
		r.Members[i] = "/" + strings.TrimPrefix(m, "/")
	}
	replace := map[string]string{}
	for _, w := range words {
		member, text, ok := strings.Cut(w, "=")
		if text = strings.TrimSpace(text); !ok || text == "" {
			return fmt.Errorf("--set %s: write the member and its new text: --set /title=\"A case\"", w)
		}
		replace["/"+strings.TrimPrefix(member, "/")] = text
	}
	plan, err := amend.Redact(files, r, replace)
	if err != nil {
		return err
	}
	if err := amend.Write(dir, plan.Files); err != nil {
		return err
	}
	w := c.OutOrStdout()
	for _, x := range plan.Files {
		did := "Wrote "
		if x.Removed {
			did = "Removed "
		}
		fmt.Fprintln(w, did+filepath.Join(dir, filepath.FromSlash(x.Path))+".")
	}
	for _, f := range plan.Found {
		fmt.Fprintf(w, "%q is also in %s. Look at these texts.\n", f.Word, strings.Join(f.Where, ", "))
	}
	if len(plan.Naming) > 0 {
		fmt.Fprintf(w, "Take its ID out of these records too: %s.\n", strings.Join(plan.Naming, ", "))
	}
	fmt.Fprintf(w, "Version %s of %s: the next release has nothing of it. Build and push it now.\n%s", plan.Versions, id, stillThere)
	return nil
}

const stillThere = `What has to be done besides, because Stele cannot:
  version control   its history has the content: git filter-repo, and tell those who have clones
  caches and CDN    purge them
  the object store  remove its own earlier versions and backups, if it keeps any
  other copies      mirrors that follow drop it with the next release; tell the others
  the signed log    has digests of manifests only, and stays
  IDs of releases   those made without a secret (stele publish, build --secret) confirm a guess of it, and so do
                    the signed entries of these releases: nothing can change that
`
