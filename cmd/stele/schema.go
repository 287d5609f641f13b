package main

import (
	"fmt"
	"path/filepath"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"stele/internal/author/editing/starter"
	"stele/internal/author/reading/input"
	"stele/internal/base/schema"
	"stele/record"
)

func schemaCommand() *cobra.Command {
	var purpose string
	var write bool
	c := &cobra.Command{
		Use:   "schema [kind | envelope | settings]",
		Short: "Print the JSON Schema of a kind of record",
		Long: `Schema prints the JSON Schema (2020-12) of a kind of record, of the envelope that all kinds share, or
of stele.yaml. Without a kind it lists the kinds. No stability of any schema is promised.`,
		Example: `  stele schema signal
  stele schema signal --for author
  stele schema --write`,
		Args:              countArguments(0, 1),
		ValidArgsFunction: completeKind,
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case write:
				dir, err := input.CurrentRoot()
				if err != nil {
					return err
				}
				if err := starter.WriteSchemas(dir); err != nil {
					return err
				}
				fmt.Fprintln(c.OutOrStdout(), "Wrote the schemas to "+filepath.Join(dir, starter.SchemaDir)+".")
				return nil
			case len(args) == 0:
				return listKinds(c)
			}
			schema, err := editorSchema(args[0], purpose)
			if err != nil {
				return err
			}
			_, err = c.OutOrStdout().Write(schema)
			return err
		},
	}
	addWordFlag(c, &purpose, "for", "published, author (members that you may omit are optional), or defaults (of _defaults.yaml)",
		"published", "author", "defaults")
	c.Flags().BoolVar(&write, "write", false, "write all schemas for editors into .stele/")
	return c
}

func editorSchema(name, purpose string) ([]byte, error) {
	switch name {
	case "envelope":
		return record.EnvelopeSchema(), nil
	case "settings":
		return starter.Schemas()[starter.SchemaDir+"/settings.json"], nil
	}
	k, err := findKind(name)
	if err != nil {
		return nil, err
	}
	purposes := map[string]schema.Purpose{"published": schema.Published, "author": schema.Authored, "defaults": schema.Defaults}
	return k.Schema(purposes[purpose]), nil
}

func listKinds(c *cobra.Command) error {
	w := tabwriter.NewWriter(c.OutOrStdout(), 0, 0, 2, ' ', 0)
	for _, k := range record.Kinds {
		fmt.Fprintf(w, "%s\trecords/%s\t%s\n", k.Name, k.Folder(), k.Doc)
	}
	fmt.Fprintln(w, "envelope\t\tMembers of every kind.")
	fmt.Fprintln(w, "settings\tstele.yaml\tSettings of the publisher.")
	return w.Flush()
}
