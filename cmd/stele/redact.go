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
		Short: "Remove content that should never have been published, also from the history",
		Long: `Redact removes content that should never have been published: a name, a token. It writes
redactions.yaml and removes the member from the record, or the whole record. --set replaces the text.
The next build removes the content from every file, also from the history.

Redact refuses if the reason, a correction or another record repeats names or numbers from the removed
content. A public event contains the reason: write what sort of content it was, never the content. See
docs/releases.md.`,
		Example: `  stele redact sig-outbreak --member /x_patient --reason "A person was named."
  stele redact sig-outbreak --set "/title=A case in the north" --reason "A person was named."
  stele redact evd-photo --reason "A photograph of a patient."`,
		Args: countArguments(1, 2),
		RunE: runInFolder(1, func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return noFolderError(args[1])
			}
			return redactRecord(c, args[0], r, words, date)
		}),
	}
	c.Flags().StringArrayVar(&r.Members, "member", nil, "the member to remove, as a JSON Pointer")
	c.Flags().StringArrayVar(&words, "set", nil, "replacement text for a member: /title=TEXT")
	c.Flags().StringArrayVar(&r.Ordinary, "ordinary", nil, "a removed word that other texts may contain")
	c.Flags().StringVar(&r.Versions, "versions", "", "versions to redact: 2, 1-3 (default all so far)")
	c.Flags().StringVar(&r.Reason, "reason", "", "the reason, in a sentence that may be public")
	c.Flags().StringVar(&date, "date", "", "the day of the redaction (default today)")
	return c
}

func redactRecord(c *cobra.Command, id string, r settings.Redaction, words []string, date string) (err error) {
	if message, fix := record.ID(id).Problem(); message != "" {
		return fmt.Errorf("%s: %s", message, fix)
	}
	if r.ID, r.Reason = record.ID(id), strings.TrimSpace(r.Reason); r.Reason == "" {
		return errors.New("--reason is required: a sentence that may be public, without the removed content: --reason \"A person was named.\"")
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
			return fmt.Errorf("--set %s is malformed: write the member and its new text: --set /title=\"A case\"", w)
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
		fmt.Fprintf(w, "%q also appears in %s. Check these texts.\n", f.Word, strings.Join(f.Where, ", "))
	}
	if len(plan.Naming) > 0 {
		fmt.Fprintf(w, "These records still contain its ID; remove it there too: %s.\n", strings.Join(plan.Naming, ", "))
	}
	fmt.Fprintf(w, "Version %s of %s is redacted: the next release will not contain it. Build and push that release now.\n%s", plan.Versions, id, stillThere)
	return nil
}

const stillThere = `You must also remove the content from places that Stele cannot reach:
  version control   its history contains the content: use git filter-repo, and tell people who have clones
  caches and CDN    purge them
  the object store  remove its own earlier versions and backups, if there are any
  other copies      mirrors remove it with the next release; tell the owners of other copies
  the signed log    contains only digests of manifests, and stays
  IDs of releases   IDs made without a secret (stele publish, build --secret) can confirm a guess, and so can
                    the signed entries of these releases: this cannot be changed
`
