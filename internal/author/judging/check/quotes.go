package check

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"sync"

	"stele/internal/author/reading/input"
	"stele/internal/author/reading/settings"
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/internal/base/sheet/areas"
	"stele/internal/trust/quotes"
	"stele/record"
)

// Texts contains the data that workers compare records with: the redactions of the folder, its
// schemes of areas, and the texts of sources. A source's text is read when the first quote needs
// it.
type Texts struct {
	*input.Texts
	Redactions []settings.Redaction
	redactions map[string][]settings.Redaction // by ID
	Areas      []*areas.Scheme                 // of the settings

	mu   sync.Mutex
	read map[string]*sourceText
	size int
}

// sourceText is the text of a source, or the problem of reading it.
type sourceText struct {
	once    sync.Once
	text    *quotes.Text // nil if it cannot be read
	sum     record.SHA256
	problem *schema.Problem
}

// mostRead is the maximum number of bytes of texts in memory.
const mostRead = 128 << 20

// ReadTexts reads the redactions of a folder and lists its texts of sources.
func ReadTexts(fsys fs.FS) (*Texts, []schema.Problem) {
	list, problems := input.ReadTexts(fsys)
	t := &Texts{Texts: list, read: map[string]*sourceText{}}
	redactions, wrong := input.ReadRedactions(fsys)
	t.addRedactions(redactions)
	return t, append(problems, wrong...)
}

// textFor returns the text of the source with the ID, or nil if there is none.
func (t *Texts) textFor(id string) *sourceText {
	if t == nil || len(t.IDs) == 0 || !t.Has(id) {
		return nil
	}
	t.mu.Lock()
	s := t.read[id]
	if s == nil {
		if t.size > mostRead { // a text that is needed again is read again
			clear(t.read)
			t.size = 0
		}
		s = &sourceText{}
		t.read[strings.Clone(id)] = s
	}
	t.mu.Unlock()
	s.once.Do(func() {
		var text string
		if text, s.sum, s.problem = t.Read(id, quotes.MaxText); s.problem != nil {
			return
		}
		s.text = quotes.New(text)
		t.mu.Lock()
		t.size += s.text.Size()
		t.mu.Unlock()
	})
	return s
}

// mostMisquoted is the maximum number of false quotes to report for one record.
const mostMisquoted = 100

// checkQuotes compares the quotes of a record with the texts of its sources.
func (t *Texts) checkQuotes(e *record.Envelope, tree *schema.Tree) (problems []schema.Problem) {
	for i := range e.SourceLinks {
		l := &e.SourceLinks[i]
		if l.Quote == nil || l.Quote.Text == "" {
			continue
		}
		if len(problems) >= mostMisquoted {
			break
		}
		s := t.textFor(string(l.SourceID))
		switch {
		case s == nil:
		case s.problem != nil:
			problems = append(problems, *s.problem)
		case !s.text.Contains(l.Quote.Text):
			message, fix := misquoteMessage(s.text, l.Quote.Text, t.Path(string(l.SourceID)))
			pointer := fmt.Sprintf("/source_links/%d/quote/text", i)
			problems = append(problems, problemAt(tree, codes.MisquotedSource, pointer, message, fix))
		}
	}
	return problems
}

// misquoteMessage returns how quote differs from text, as a message and a remedy.
func misquoteMessage(text *quotes.Text, quote, at string) (message, fix string) {
	message = "these words do not appear in " + at
	near, ok := text.FindMismatch(quote)
	switch {
	case !ok:
		return message, "copy the words from the source, and use [...] for omitted words; or name the source that contains them"
	case near.Quote == "":
		return message + ": hyphens or the end of a word differ", "write them as the source does"
	case near.Text == "":
		return message + ": the source's text ends before " + strconv.Quote(near.Quote), "quote only words of the source"
	}
	return message + ": after " + strconv.Itoa(near.Words) + " words, the source continues with " + strconv.Quote(near.Text) +
			", not " + strconv.Quote(near.Quote),
		"quote the source's exact words; use [...] for omitted words"
}

// checkDigest compares the text of a source with the digest in its record.
func (t *Texts) checkDigest(r *record.SourceObject, tree *schema.Tree) []schema.Problem {
	s := t.textFor(string(r.ID))
	switch {
	case s == nil:
		return nil
	case s.problem != nil:
		return []schema.Problem{*s.problem}
	case r.TextSHA256 == s.sum:
		return nil
	}
	at := t.Path(string(r.ID))
	fix := "write text_sha256: " + string(s.sum)
	if r.TextSHA256 == "" {
		return []schema.Problem{problemAt(tree, codes.DifferentText, "", "file "+at+" exists, but the record has no text_sha256", fix)}
	}
	return []schema.Problem{problemAt(tree, codes.DifferentText, "/text_sha256", "the SHA-256 of "+at+" is "+string(s.sum),
		"restore the text that the quotes were taken from; or compare the quotes again, and "+fix)}
}

// problemAt returns a problem at the member of a record that pointer names.
func problemAt(t *schema.Tree, code codes.Code, pointer, message, fix string) schema.Problem {
	n := &t.Nodes[0]
	at := idPosition(t)
	if i, ok := t.At(pointer); ok && i > 0 {
		n = &t.Nodes[i]
		at = n.At
	}
	return schema.Problem{
		Code: code, File: t.Files[n.File], Line: int(at.Line), Column: int(at.Column),
		Record: strings.Clone(t.Text("id")), Pointer: pointer, Message: message, Fix: fix,
	}
}

// checkTexts reports texts without a source.
func (x *index) checkTexts(report func(...schema.Problem)) {
	if x.texts == nil {
		return
	}
	suggest := x.newSuggester()
	for _, id := range x.texts.IDs {
		name := x.names.numberOf(id)
		if name >= 0 && x.definerOf(name) >= 0 && x.kindOf(x.definerOf(name)).Name == record.KindSourceObject {
			continue
		}
		report(schema.Problem{
			Code: codes.UnknownReference, File: x.texts.Path(id),
			Message: "no source object is called " + quoteText(id),
			Fix:     suggest(id, func(n int32) bool { return x.kindOf(n).Name == record.KindSourceObject }),
		})
	}
}
