package report

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"stele/record"
	"stele/release"
)

// Limits of a comment. GitHub accepts 65,536 characters; here bytes are counted.
const (
	mostMarkdown = 60_000
	mostOfType   = 500 // maximum number of changes of each type
)

// MarkdownMark is the first line of a comment, which identifies it later.
const MarkdownMark = "<!-- stele diff -->"

// writeDiffMarkdown writes a comment for a pull request: one line per record, lost records first,
// and then the records that rest on them. All texts from records are in an indented code block, so
// that hosts make no links, mentions or markup of them.
func writeDiffMarkdown(ctx context.Context, w io.Writer, old, now *release.Release) (differ bool, err error) {
	counts, lines := map[record.ChangeType]int{}, map[record.ChangeType][]string{}
	for c, err := range readChanges(ctx, old, now) {
		if err != nil {
			return false, err
		}
		if counts[c.Change]++; counts[c.Change] <= mostOfType {
			lines[c.Change] = append(lines[c.Change], summaryLine(false, string(c.Change), c.ID, changeSummary(&c)))
		}
	}
	lost, err := newlyLost(old, now)
	if err != nil {
		return false, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n**%s**\n```\nsince release %s\n", MarkdownMark, ChangesText(counts), releaseName(old.Manifest))
	left := len(lost)
	add := func(line string) {
		if b.Len()+len(line) < mostMarkdown {
			b.WriteString("  " + line)
			left--
		}
	}
	gravest := func(a, b record.ChangeType) int { return a.Gravity() - b.Gravity() }
	for _, t := range slices.SortedFunc(maps.Keys(lines), gravest) {
		left += counts[t]
		for _, line := range lines[t] {
			add(line)
		}
	}
	for _, s := range lost {
		add(lostLine(false, &s))
	}
	if left > 0 {
		fmt.Fprintf(&b, "and %s more; stele diff lists all\n", withThousands(left))
	}
	_, err = io.WriteString(w, b.String()+"```\n")
	return len(counts) > 0, err
}
