package bulk

import (
	"fmt"
	"strings"

	"stele/internal/base/schema"
	"stele/internal/compile/render"
	"stele/record"
)

// The tables for records of all kinds. SQLite stores the comments, and tools show them.
const (
	createAbout = `CREATE TABLE about ( -- title, publisher and licence
  name TEXT PRIMARY KEY NOT NULL,
  value TEXT NOT NULL
)`
	createRecord = `CREATE TABLE record ( -- every record that a publisher wrote, of any kind
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL, -- the table that contains the whole record
  title TEXT,
  summary TEXT, -- empty for statistics, whose own table has it
  text TEXT -- other free text of the record
)`
	createLink = `CREATE TABLE link ( -- references in lists or inside other members
  source TEXT NOT NULL REFERENCES record(id), -- the record that refers
  member TEXT NOT NULL, -- the member with the reference
  target TEXT NOT NULL REFERENCES record(id),
  PRIMARY KEY (source, member, target)
) WITHOUT ROWID`
	createSearched = `CREATE VIEW searched AS -- all records except statistics, thousands of which have the same text
SELECT number, id, kind, title, summary, text FROM record WHERE kind <> '` + record.KindHealthcareStatistic + `'`
	createSearch = `CREATE VIRTUAL TABLE search USING fts5 (id UNINDEXED, kind UNINDEXED, title, summary, text, content="searched", content_rowid="number", tokenize="unicode61 remove_diacritics 2")`
)

func createTables(e render.Records) []string {
	tables := []string{createAbout, createRecord}
	for _, k := range record.Kinds {
		tables = append(tables, createTable(e, k))
	}
	return append(tables, createLink, createSearched, createSearch)
}

func createTable(e render.Records, k *record.Kind) string {
	var b strings.Builder
	fmt.Fprintf(&b, "CREATE TABLE %s ( -- %s\n", quoteName(k.Name), k.Doc)
	columns := typedColumns(e, k)
	for i, c := range columns {
		fmt.Fprintf(&b, "  %s %s", quoteName(c.Name), sqlTypes[c.Type])
		if c.Name == "id" {
			b.WriteString(" PRIMARY KEY NOT NULL")
		}
		if to := targetTable(k, c.Column); to != "" {
			fmt.Fprintf(&b, " REFERENCES %s(id)", quoteName(to))
		}
		if i < len(columns)-1 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, " -- %s\n", c.Doc)
	}
	b.WriteByte(')')
	return b.String()
}

var sqlTypes = map[Type]string{Text: "TEXT", Integer: "INTEGER", Decimal: "REAL", Boolean: "INTEGER", Date: "TEXT", JSON: "TEXT"}

// targetTable returns the table that column c of k refers to, or "". If the target may be of
// several kinds, it is the table of all records. A change event may refer to a removed record, so
// its columns refer to no table.
func targetTable(k *record.Kind, c Column) string {
	switch {
	case c.Ref == nil || k.Name == record.KindChangeEvent:
		return ""
	case len(c.Ref.Kinds) == 1:
		return c.Ref.Kinds[0]
	}
	return "record"
}

// createIndexes returns statements that create indexes for finding figures and for following
// references backwards. The indexes omit missing references, as most records lack most.
func createIndexes() []string {
	figures := quoteName(record.KindHealthcareStatistic)
	indexes := []string{
		`CREATE INDEX link_target ON link (target)`, `CREATE INDEX record_kind ON record (kind)`,
		`CREATE INDEX figure_series ON ` + figures + ` (indicator, ref_area, time_period)`,
		`CREATE INDEX figure_area ON ` + figures + ` (ref_area)`,
		`CREATE INDEX figure_period ON ` + figures + ` (time_period)`,
	}
	for _, k := range record.Kinds {
		for _, c := range Columns(k) {
			if c.Ref != nil {
				indexes = append(indexes, fmt.Sprintf("CREATE INDEX %s ON %s (%s) WHERE %[3]s IS NOT NULL",
					quoteName(k.Name+"_"+c.Name), quoteName(k.Name), quoteName(c.Name)))
			}
		}
	}
	return indexes
}

// insertLinks returns statements that extract the references from JSON texts: one for each member
// that may contain references.
func insertLinks() []string {
	var inserts []string
	for _, k := range record.Kinds {
		if k.Name == record.KindChangeEvent { // events may refer to removed records
			continue
		}
		eachNestedReference(k.Shape(), func(path []schema.Member) { inserts = append(inserts, insertLink(k, path)) })
	}
	return inserts
}

// eachNestedReference calls visit with the path of each reference in s that is not a column.
func eachNestedReference(s *schema.Shape, visit func(path []schema.Member)) {
	var walk func(s *schema.Shape, path []schema.Member)
	walk = func(s *schema.Shape, path []schema.Member) {
		for _, m := range s.Members {
			inner, at := m.Shape, append(path[:len(path):len(path)], m)
			if inner.Type == schema.Array {
				inner = inner.Elem
			}
			if m.Ref != nil && (len(at) > 1 || m.Shape.Type == schema.Array) {
				visit(at)
			}
			walk(inner, at)
		}
	}
	walk(s, nil)
}

// insertLink returns a statement that inserts the references at path: it descends into objects by
// member name, and into each element of a list. It ignores duplicates, because a record may refer
// to another more than once in the same member. Most lists are empty.
func insertLink(k *record.Kind, path []schema.Member) string {
	from, names := quoteName(k.Name)+" AS r", []string(nil)
	value := ""
	for i, m := range path {
		names = append(names, m.Name)
		if i == 0 {
			value = "r." + quoteName(m.Name)
		} else {
			value = fmt.Sprintf("json_extract(%s, '$.%s')", value, m.Name)
		}
		if m.Shape.Type == schema.Array {
			from += fmt.Sprintf(", json_each(%s) AS e%d", value, i)
			value = fmt.Sprintf("e%d.value", i)
		}
	}
	return fmt.Sprintf("INSERT OR IGNORE INTO link SELECT r.id, '%s', %s FROM %s WHERE r.%s <> '[]' AND %[2]s IS NOT NULL",
		strings.Join(names, "."), value, from, quoteName(path[0].Name))
}

// quoteName quotes s, the name of a table or column. Tables and columns have the names of kinds and
// members, which contain no quotation marks.
func quoteName(s string) string { return `"` + s + `"` }
