package main

import (
	"fmt"
	"os"
	"path"
	"strings"

	"github.com/spf13/cobra"

	"stele/internal/author/check"
)

func allowRemovedFlag(c *cobra.Command, list *[]string) {
	c.Flags().StringArrayVar(list, "allow-removed", nil, "ID or pattern of records that may be gone, with a reason ('sig-a: Withdrawn.'); or @ and a file of them")
}

// expandLists puts what the lines of a file say in the place of @ and the file's name. Empty lines
// and those that begin with # are left out.
func expandLists(words []string) ([]string, error) {
	var list []string
	for _, word := range words {
		name, isFile := strings.CutPrefix(word, "@")
		if !isFile {
			list = append(list, word)
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(data)) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
				list = append(list, line)
			}
		}
	}
	for _, word := range list {
		id, _ := check.CutReason(word)
		if _, err := path.Match(id, ""); err != nil {
			return nil, fmt.Errorf("%q is not a pattern: * stands for any letters, ? for one, [ab] for one of several", word)
		}
	}
	return list, nil
}
