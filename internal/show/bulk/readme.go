package bulk

import (
	"fmt"
	"slices"
	"strings"

	"stele/internal/base/layout"
	"stele/internal/base/schema"
	"stele/internal/compile/render"
	"stele/internal/show/markdown"
	"stele/record"
)

// readme describes the downloads and how to read them, because some formats, such as NDJSON and
// CSV, cannot contain a description.
func (c Choice) readme(e render.Records, downloads []download) []byte {
	var b strings.Builder
	m := e.Release()
	fmt.Fprintf(&b, "# Downloads: %s\n\n%s\n\n", markdown.Inline(m.Title), markdown.Paragraph(m.Notice))
	inline := markdown.Inline
	fmt.Fprintf(&b, "- Publisher: %s\n- Contact: %s\n- Licence: %s, unless the column `license` of a record names another\n- Release: %s, %s\n- Address: <%s>\n- Cite as: %s\n\n",
		inline(m.Publisher), inline(m.Contact), inline(m.License), m.Release, m.Date, m.BaseURL, inline(render.Cite(m)))
	fmt.Fprintf(&b, "%s Every format contains all of them.\n\n", render.PreserveSentence)
	b.WriteString(render.NothingPromised + " Together the files are one release; `manifest.json` lists them with their digests.\n\n")
	listed := downloads
	if c.splitByIndicator(m) {
		listed = append(slices.Clip(downloads), download{Download: partsDownload})
	}
	writeFiles(&b, e, listed)
	for _, f := range Formats {
		if slices.ContainsFunc(downloads, func(d download) bool { return d.format == f }) {
			b.WriteString(howToRead[f])
		}
		if f == Parquet && c.splitByIndicator(m) {
			b.WriteString(howToReadParts)
		}
	}
	writeColumns(&b, e)
	return []byte(b.String())
}

var howToRead = map[Format]string{
	NDJSON: `## NDJSON

Each line is a record, exactly as in the collection under ` + "`/api`" + ` or ` + "`/data`" + `.

`,
	CSV: `## CSV

UTF-8 without a byte-order mark, commas, line feeds, quotation marks doubled inside quoted cells. Each row is a record; an empty cell means that the record does not have the member. Lists and
objects are JSON text in one cell. Numbers are in their author's digits.

` + "`outcomes.csv` and `outcomes.xlsx`" + ` are for people who compare effects: they contain a row for each outcome that evidence reports (or for each assumed risk, if there are several), with separate columns for the effect, the risks and the reasons of the label. Evidence that was
retracted or lost its support is omitted.

Cells hold exactly what was published. If you open a file with a double click, a spreadsheet treats cells that begin with = + - or @ as formulas, and changes dates and long numbers. Import the
file instead: in Excel with Data, From Text/CSV, 65001: Unicode (UTF-8), and "Do not detect data types"; in LibreOffice with the column type Text and "Evaluate formulas" not ticked.

`,
	Parquet: `## Parquet

Compressed with zstd. Dates are dates. A number is a double, and the next column, whose name ends in ` + "`_text`" + `, contains its author's digits. Columns of type json in the tables below are nested: lists, structs and, if the names are chosen by the
author (` + "`dimensions`, `identifiers`" + `), maps; only ` + "`extra`" + ` is JSON text. The key-value metadata of each file contain title, publisher, licence, notice and the latest date of the records, but not the release, so that the file of a kind changes only when its records do.

`,
	SQLite: `## SQLite

One table per kind, with the columns below; numbers have a second column with their author's digits, as in Parquet. Other tables:

- ` + "`about`" + `: title, publisher, licence, contact, notice, release, date, citation, what to preserve.
- ` + "`record`" + `: every record that the publisher wrote, with its kind, and ` + "`search`" + ` for full-text search in all of them except statistics.
- ` + "`link`" + `: the references in lists or inside other members; references in columns are foreign keys. ` + "`graph_edge`" + ` gives their meaning.

`,
}

const howToReadParts = `For healthcare statistics, each indicator has its own files, ` + "`healthcare-statistics/…/part-….parquet`" + `, sorted by area, dimensions and period; ` + "`healthcare-statistics.parts.csv`" + ` lists them. A part changes only when
its rows do. Query engines read all of them as one table: ` + "`read_parquet('healthcare-statistics/*/*.parquet')`" + ` in DuckDB.

`

// writeFiles writes a table of the files, with a row for each kind.
func writeFiles(b *strings.Builder, e render.Records, downloads []download) {
	b.WriteString("| contains | records | files |\n|---|---:|---|\n")
	row := func(holds string, records int, k *record.Kind) {
		var files []string
		for _, d := range downloads {
			if d.Kind == k {
				files = append(files, fmt.Sprintf("[%s](%[1]s)", strings.TrimPrefix(d.Path, layout.BulkFolder)))
			}
		}
		if len(files) > 0 {
			fmt.Fprintf(b, "| %s | %d | %s |\n", holds, records, strings.Join(files, ", "))
		}
	}
	all := 0
	for _, k := range record.Kinds {
		count := e.Release().Kind(k.Name).Count
		row(k.Many, count, k)
		all += count
	}
	row("all kinds", all, nil)
	b.WriteByte('\n')
}

// writeColumns writes a table of the columns of all kinds, and for each kind one of the others.
func writeColumns(b *strings.Builder, e render.Records) {
	b.WriteString("## Columns\n\nEvery kind has these:\n\n")
	shared := schema.ShapeOf[record.Envelope]().MemberNames()
	every := Columns(record.Kinds[0])
	writeColumnTable(b, every, func(c Column) bool { return slices.Contains(shared, c.Name) || c.Name == extraColumn })
	for _, k := range record.Kinds {
		fmt.Fprintf(b, "\n### %s\n\n%s\n\n", k.Name, k.Doc)
		writeColumnTable(b, columnsIn(e, k),
			func(c Column) bool { return !slices.Contains(shared, c.Name) && c.Name != extraColumn })
	}
}

func writeColumnTable(b *strings.Builder, columns []Column, wanted func(Column) bool) {
	b.WriteString("| column | type | content |\n|---|---|---|\n")
	for _, c := range columns {
		if wanted(c) {
			fmt.Fprintf(b, "| `%s` | %s | %s |\n", c.Name, c.Type, c.Doc)
		}
	}
}
