package edit

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"stele/internal/author/editing/tables"
	"stele/internal/base/sheet"
	"stele/internal/deliver/fields"
	"stele/internal/show/site/markup"
)

var (
	uploadForm = markup.Parse(`
		<form method="post" enctype="multipart/form-data" class="record upload">
			<div class="field"><label for="i-table">{=import_file}</label><p class="help">{=import_help}</p><input type="file" id="i-table" name="table" required></div>
			<button>{=import_go}</button>
		</form>`)
	askForm  = markup.Parse(`<li>{text}</li>`)
	rowsForm = markup.Parse(`<div class="scroll"><table>{rows}</table></div>`)
	tdForm   = markup.Parse(`<td>{text}</td>`)
)

// importTable takes a table, proposes how it becomes records, and writes them.
func (p *page) importTable() {
	if p.r.Method == http.MethodGet {
		p.open(p.say("import"))
		p.line(leadForm, p.say("import_lead"))
		p.Fill(uploadForm)
		p.end(http.StatusOK)
		return
	}
	if strings.HasPrefix(p.r.Header.Get("Content-Type"), "multipart/") {
		if err := p.receive(); err != nil {
			p.fail(http.StatusBadRequest, err)
			return
		}
	}
	p.mu.Lock()
	path := p.tables[p.Get("@table")]
	p.mu.Unlock()
	if path == "" {
		p.fail(http.StatusNotFound, errors.New(p.say("import_again")))
		return
	}
	if err := p.showTable(path); err != nil {
		p.fail(http.StatusBadRequest, err)
	}
}

// receive stores a table that was sent, for as long as the program runs. It is never in memory as a
// whole.
func (p *page) receive() error {
	parts, err := p.r.MultipartReader()
	if err != nil {
		return err
	}
	for {
		part, err := parts.NextPart()
		if err != nil {
			return err
		}
		if part.FormName() == "table" {
			return p.store(part, part.FileName())
		}
	}
}

func (p *page) store(in io.Reader, name string) error {
	dir, err := os.MkdirTemp("", "stele-edit-")
	if err != nil {
		return err
	}
	path := filepath.Join(dir, filepath.Base(filepath.FromSlash(strings.ReplaceAll(name, `\`, "/"))))
	out, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	if _, err := io.Copy(out, in); err != nil {
		return errors.Join(err, out.Close(), os.RemoveAll(dir))
	}
	token := rand.Text()
	p.mu.Lock()
	if len(p.tables) >= maxTables { // those that were left
		err = p.Close()
		clear(p.tables)
	}
	p.tables[token] = path
	p.mu.Unlock()
	p.Set("@table", token)
	return errors.Join(err, out.Close())
}

// Close removes the tables that were sent.
func (e *Editor) Close() (err error) {
	for _, path := range e.tables {
		err = errors.Join(err, os.RemoveAll(filepath.Dir(path)))
	}
	return err
}

// showTable shows the map of a table as a form, with what it makes of the first rows, or proposes
// to write what it makes of all.
func (p *page) showTable(path string) error {
	open := func(o sheet.Options) (*sheet.Table, error) { return sheet.Open(p.r.Context(), path, o) }
	text := p.Get("@map")
	var questions []string
	if text == "" {
		proposal, err := tables.Propose(open, filepath.Base(path), sheet.Options{})
		if err != nil {
			return err
		}
		text, questions = proposal.Map, proposal.Texts()
	}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil || len(doc.Content) == 0 {
		return cmp.Or(err, errNoRecord)
	}
	withLayout(doc.Content[0])
	fill(doc.Content[0], "m", p.Form)
	filled, err := yaml.Marshal(&doc)
	if err != nil {
		return err
	}
	var plan *tables.Plan
	var result *tables.Result
	if p.Get("do") != "" { // reading all rows takes as long as the command does
		plan, result, err = p.planTable(p.r.Context(), path, string(filled))
	}
	if p.Get("do") == "save" && err == nil {
		p.propose(&proposal{
			files: slices.Concat(plan.New, plan.Changed), next: Root + "?saved",
			lead: p.say("import_becomes", "n", strconv.Itoa(result.Figures)), words: p.changedFigures(plan),
		})
		return nil
	}
	p.open(p.say("import") + ": " + filepath.Base(path))
	if err != nil {
		p.line(refusedForm, err.Error())
	}
	p.showMap(&doc, string(filled), questions, open, plan, result)
	if p.Get("do") != "" && err == nil {
		p.submit("save", p.say("save"))
	}
	p.HTML(`</form>`)
	p.end(http.StatusOK)
	return nil
}

// changedFigures returns the figures that an import changes, in words.
func (p *page) changedFigures(plan *tables.Plan) (edits []edit) {
	for _, u := range plan.Updates {
		for _, c := range u.Changed {
			edits = append(edits, p.edit(c.About+" › "+p.pathName(c.Member), c.Old, c.New))
		}
		if len(u.Added) > 0 {
			edits = append(edits, edit{u.Path, "", p.say("import_becomes", "n", strconv.Itoa(len(u.Added)))})
		}
	}
	return edits
}

// showMap shows what is asked, how the table begins, what it becomes, and the fields of the map.
func (p *page) showMap(
	doc *yaml.Node, filled string, questions []string,
	open func(sheet.Options) (*sheet.Table, error), plan *tables.Plan, result *tables.Result,
) {
	if len(questions) > 0 {
		p.section("import_questions", func() {
			p.HTML("<ul>")
			for _, q := range questions {
				p.line(askForm, q)
			}
			p.HTML("</ul>")
		})
	}
	heads := p.firstRows(open, doc)
	if plan != nil {
		p.read(plan, result)
	}
	p.start()
	p.hidden("@table", p.Get("@table"))
	p.hidden("@map", filled)
	p.mapFields(doc.Content[0], "m", heads)
	p.reasonFields()
	p.box("@keep", "yes", p.say("import_keep"))
	p.box("@over", "yes", p.say("import_over"))
	p.button("check", p.say("import_read"))
}

// planTable reads a table by a map, and compares it with the records that are there.
func (p *page) planTable(ctx context.Context, path, text string) (*tables.Plan, *tables.Result, error) {
	m, err := tables.ReadMap(strings.NewReader(text))
	if err != nil {
		return nil, nil, err
	}
	result, err := m.Read(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	c := tables.Change{Date: today(), KeepGone: p.Get("@keep") == "yes", Corrected: p.Get("@over") == "yes"}
	if c.Correction, c.Update, err = p.reason(c.Date); err != nil {
		return nil, nil, err
	}
	plan, err := result.Plan(p.Files, c)
	return plan, result, err
}

// withLayout gives a map fields for how numbers are written, which a proposal may leave out.
func withLayout(n *yaml.Node) {
	for i := 1; i < len(n.Content); i += 2 {
		if n.Content[i-1].Value != "table" || n.Content[i].Kind != yaml.MappingNode {
			continue
		}
		table := n.Content[i]
		for _, name := range []string{"decimal", "thousands"} {
			if !slices.ContainsFunc(table.Content, func(c *yaml.Node) bool { return c.Value == name }) {
				table.Content = append(table.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: name},
					&yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.DoubleQuotedStyle})
			}
		}
	}
}

// fill puts what was written in a form into a map.
func fill(n *yaml.Node, path string, f fields.Form) {
	switch n.Kind {
	case yaml.ScalarNode:
		if f.Has(path) && fields.UnixLines(f.Get(path)) != n.Value {
			n.Value = strings.TrimSpace(fields.UnixLines(f.Get(path)))
			n.Tag, n.Style = "!!str", yaml.DoubleQuotedStyle
			if _, err := strconv.Atoi(n.Value); err == nil {
				n.Tag, n.Style = "", 0
			}
		}
	case yaml.MappingNode:
		for i := 1; i < len(n.Content); i += 2 {
			fill(n.Content[i], path+"."+strconv.Itoa(i), f)
		}
	default:
		for i, c := range n.Content {
			fill(c, path+"."+strconv.Itoa(i), f)
		}
	}
}

// mapFields writes the values of a map, each under its name, with what the proposal says of it.
func (p *page) mapFields(n *yaml.Node, path string, heads []string) {
	step, first := 1, 0
	if n.Kind == yaml.MappingNode {
		step, first = 2, 1
	}
	for i := first; i < len(n.Content); i += step {
		c, at, label, help := n.Content[i], path+"."+strconv.Itoa(i), strconv.Itoa(i+1), n.Content[i].LineComment
		if n.Kind == yaml.MappingNode {
			key := n.Content[i-1]
			label = p.pathName(key.Value)
			help = strings.TrimSpace(key.HeadComment + " " + key.LineComment + " " + help)
		}
		help = strings.TrimSpace(strings.ReplaceAll(strings.TrimPrefix(help, "#"), "\n#", " "))
		if strings.Contains(help, "stele import") { // what the file begins with
			help = ""
		}
		if c.Kind != yaml.ScalarNode {
			inner := func() { p.mapFields(c, at, heads) }
			p.Fill(groupForm, with("legend", label), with("help", help), by("inner", inner))
			continue
		}
		p.plain(at, label, help, func() {
			if !slices.Contains(heads, c.Value) || c.Value == "" {
				p.Fill(inputForm, with("path", at), with("value", c.Value), by("more", func() { p.HTML(` dir="auto"`) }))
				return
			}
			p.Fill(selectForm, with("path", at), by("more", nil), markup.Each("options", heads, func(head string) {
				p.option(head, head, c.Value)
			}))
		})
	}
}

// firstRows shows how the table begins, and returns the heads of its columns.
func (p *page) firstRows(open func(sheet.Options) (*sheet.Table, error), doc *yaml.Node) (heads []string) {
	var m tables.Map
	if err := doc.Decode(&m); err != nil {
		return nil
	}
	t, err := open(m.Table.Options)
	if err != nil {
		return nil
	}
	defer t.Close() // it was only read
	const most = 6
	count := 0
	p.section("import_table", func() {
		p.Fill(rowsForm, by("rows", func() {
			for row, err := range t.Rows() {
				if count++; err != nil || count > most {
					return
				}
				p.HTML("<tr>")
				for _, c := range row.Cells {
					p.line(tdForm, c.Text)
					if count <= max(1, len(m.Table.Header)) && c.Text != "" && !slices.Contains(heads, c.Text) {
						heads = append(heads, c.Text)
					}
				}
				p.HTML("</tr>")
			}
		}))
	})
	return heads
}

// read shows what a table became.
func (p *page) read(plan *tables.Plan, result *tables.Result) {
	head := p.say("import_becomes", "n", strconv.Itoa(result.Figures))
	p.Fill(sectionForm, with("head", head), by("inner", func() {
		for _, u := range plan.Updates {
			p.line(textForm, fmt.Sprintf("%s: %d", u.Path, len(u.Rows)))
			p.line(preForm, strings.Join(u.First(5), "\n"))
			for _, c := range u.Changed[:min(len(u.Changed), gridRows)] {
				p.line(textForm, fmt.Sprintf("%s: %s %s → %s %s", c.About, c.Member, c.Old, c.New, c.Note()))
			}
		}
	}))
}
