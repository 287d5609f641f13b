package records

import (
	"strings"

	"stele/internal/base/jsonline/jsondiff"
	"stele/internal/base/schema"
	"stele/internal/show/site/frame"
	"stele/internal/show/site/markup"
)

// The forms of the changes to a record.
var (
	changedForm = markup.Parse(`<dt>{member}</dt><dd>{words}</dd>`)
	goneForm    = markup.Parse(`<del{lang}>{text}</del> `)
	cameForm    = markup.Parse(`<ins{lang}>{text}</ins> `)
)

// writeDifference writes the differences between two versions, except in version, dates and
// correction notes, which the page shows next to them. It reports whether there are any
// differences.
func (p *page) writeDifference(was, is []byte) bool {
	all, err := jsondiff.Compare(was, is)
	p.Fail(err)
	written := 0
	for _, d := range all {
		switch schema.TopMember(d.Pointer) {
		case "version", "updated_date", "verification_date", "verified_by", "corrections", "source_updates":
			continue
		}
		if written++; written > frame.Shown {
			break
		}
		if written == 1 {
			p.HTML(`<dl class="difference">`)
		}
		p.Fill(changedForm, markup.By("member", func() { p.WriteCode(strings.TrimPrefix(d.Pointer, "/")) }),
			markup.By("words", func() { p.writeWords(d.Old, d.New) }))
	}
	if written > 0 {
		p.HTML("</dl>")
	}
	return written > 0
}

// longest is the maximum number of words of a text that are compared one by one.
const longest = 400

// writeWords writes the difference between two values: word by word for texts, otherwise both.
func (p *page) writeWords(old, now any) {
	before, isText := old.(string)
	after, areTexts := now.(string)
	a, b := strings.Fields(before), strings.Fields(after)
	if !isText || !areTexts || len(a) > longest || len(b) > longest {
		p.writeEditedText(goneForm, valueText(old))
		p.writeEditedText(cameForm, valueText(now))
		return
	}
	for _, part := range diffWords(a, b) {
		text := strings.Join(part.words, " ")
		switch part.where {
		case inBoth:
			p.WritePublisherText(text)
		case inOld:
			p.writeEditedText(goneForm, text)
		default:
			p.writeEditedText(cameForm, text)
		}
		p.HTML(" ")
	}
}

// writeEditedText writes text, which was removed or added, with form.
func (p *page) writeEditedText(form *markup.Form, text string) {
	if text != "" {
		p.Fill(form, markup.With("text", text))
	}
}

// valueText returns v as text, or "" if v is nil.
func valueText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	return string(markup.Encode(v))
}

// which texts contain a part
type where uint8

const (
	inBoth where = iota
	inOld
	inNew
)

type part struct {
	where where
	words []string
}

// diffWords splits the words a and b of two texts into common parts and parts of only one text, by
// their longest common subsequence.
func diffWords(a, b []string) (parts []part) {
	// common[i][j] is the length of that subsequence of a[i:] and b[j:]
	common := make([][]uint16, len(a)+1)
	for i := range common {
		common[i] = make([]uint16, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	add := func(where where, word string) {
		if n := len(parts); n > 0 && parts[n-1].where == where {
			parts[n-1].words = append(parts[n-1].words, word)
			return
		}
		parts = append(parts, part{where, []string{word}})
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			add(inBoth, a[i])
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			add(inOld, a[i])
			i++
		default:
			add(inNew, b[j])
			j++
		}
	}
	return parts
}
