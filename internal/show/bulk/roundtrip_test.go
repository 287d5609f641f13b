package bulk_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"stele/internal/base/schema"
	"stele/internal/show/bulk"
	"stele/internal/testkit/must"
	"stele/record"
	"stele/release"
)

// table is a download as a tool reads it: the text of each cell by the name of its column, without
// those that are empty.
type table []map[string]string

// sameRecords makes sure that a table holds exactly the records of the collection, and every member
// of them.
func sameRecords(t *testing.T, dir string, k *record.Kind, got table) {
	t.Helper()
	want := collection(t, dir, k)
	if len(got) != len(want) {
		t.Errorf("%s: %d rows, and %d records", k.Name, len(got), len(want))
	}
	seen := map[string]bool{}
	standings := standingsIn(t, dir)
	for _, row := range got {
		rec := recordOf(t, k, row)
		if s := standings[row["id"]]; k.HasNode() && (row["standing"] != s[0] && s[0]+row["standing"] != "stands" || row["standing_since"] != s[1]) {
			t.Errorf("%s: %s since %s, and the release says %s", row["id"], row["standing"], row["standing_since"], s)
		}
		if id := row["id"]; seen[id] {
			t.Errorf("%s stands there twice", id)
		} else if diff := cmp.Diff(want[id], rec); diff != "" {
			t.Errorf("%s: the row is another record (-published +row):\n%s", id, diff)
		}
		seen[row["id"]] = true
	}
}

// standingsIn are the standings that a release lists, by ID: each with its day.
func standingsIn(t *testing.T, dir string) map[string][2]string {
	t.Helper()
	r := must.Get(release.Open(context.Background(), os.DirFS(dir)))(t)
	list := map[string][2]string{}
	for s, err := range r.Standings() {
		must.Do(t, err)
		list[s.ID] = [2]string{s.Standing, s.Since}
	}
	if len(list) == 0 {
		t.Fatal("all records stand, which tests nothing")
	}
	return list
}

// recordOf makes a record of a row. Where the format rounds numbers, it also makes sure that the
// number is that of the digits.
func recordOf(t *testing.T, k *record.Kind, row map[string]string) map[string]any {
	t.Helper()
	rec, known := map[string]any{}, map[string]bool{}
	for _, c := range bulk.Columns(k) {
		known[c.Name] = true
		text, ok := row[c.Name]
		if !ok {
			continue
		}
		switch {
		case c.Name == "standing" || c.Name == "standing_since": // the release says so, and not the record
		case c.Name == "extra":
			for name, value := range parse(t, text).(map[string]any) {
				rec[name] = value
			}
		case c.Type == bulk.JSON:
			rec[c.Name] = parse(t, text)
		case c.Type == bulk.Boolean:
			value, err := strconv.ParseBool(text)
			if err != nil {
				t.Error(err)
			}
			rec[c.Name] = value
		case c.Type == bulk.Decimal:
			known[c.Name+"_text"] = true
			if exact, ok := row[c.Name+"_text"]; ok {
				sameNumber(t, text, exact)
				text = exact
			}
			rec[c.Name] = json.Number(text)
		case c.Type == bulk.Integer:
			rec[c.Name] = json.Number(text)
		default:
			rec[c.Name] = text
		}
	}
	for name := range row {
		if !known[name] {
			t.Errorf("%s has a column %s that nothing tells of", k.Name, name)
		}
	}
	return rec
}

func sameNumber(t *testing.T, rounded, exact string) {
	t.Helper()
	x, err1 := strconv.ParseFloat(rounded, 64)
	y, err2 := strconv.ParseFloat(exact, 64)
	if err1 != nil || err2 != nil || x != y {
		t.Errorf("the number is %s, and its digits are %s", rounded, exact)
	}
}

func eachKind(t *testing.T, ending string, read func(t *testing.T, k *record.Kind, path string)) {
	for _, k := range record.Kinds {
		t.Run(k.Name, func(t *testing.T) { read(t, k, filepath.Join(wholeRelease(t), "bulk", k.Folder()+"."+ending)) })
	}
}

// TestNDJSON: each line is the line of the collection, byte for byte.
func TestNDJSON(t *testing.T) {
	r := must.Get(release.Open(context.Background(), os.DirFS(wholeRelease(t))))(t)
	eachKind(t, "ndjson", func(t *testing.T, k *record.Kind, path string) {
		var want bytes.Buffer
		for line, err := range r.Records(k.Name) {
			must.Do(t, err)
			want.Write(append(bytes.Clone(line), '\n'))
		}
		got, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(got, want.Bytes()) || len(got) == 0 {
			t.Errorf("the lines are not those of the collection (%v)", err)
		}
	})
}

func TestCSV(t *testing.T) {
	eachKind(t, "csv", func(t *testing.T, k *record.Kind, path string) {
		data := must.Get(os.ReadFile(path))(t)
		// Go's reader makes \n of \r\n inside quotation marks, as no other does; so it is kept from
		// seeing any.
		const carriageReturn = "\uE000"
		cells := must.Get(csv.NewReader(bytes.NewReader(bytes.ReplaceAll(data, []byte("\r"), []byte(carriageReturn)))).
			ReadAll())(t)
		var got table
		for _, fields := range cells[1:] {
			row := map[string]string{}
			for i, field := range fields {
				if field != "" {
					row[cells[0][i]] = string(bytes.ReplaceAll([]byte(field), []byte(carriageReturn), []byte("\r")))
				}
			}
			got = append(got, row)
		}
		sameRecords(t, wholeRelease(t), k, got)
	})
}

func TestParquet(t *testing.T) {
	eachKind(t, "parquet", func(t *testing.T, k *record.Kind, path string) {
		f, size := openFile(t, path)
		file := must.Get(parquet.OpenFile(f, size))(t)
		sameRecords(t, wholeRelease(t), k, readParquet(t, k, file))
		for _, name := range []string{"title", "publisher", "license", "contact", "notice", "kind", "citation", "preserve"} {
			if value, ok := file.Lookup(name); !ok || value == "" {
				t.Errorf("the metadata do not say %s", name)
			}
		}
	})
}

func openFile(t *testing.T, path string) (*os.File, int64) {
	t.Helper()
	f := must.Get(os.Open(path))(t)
	t.Cleanup(func() { f.Close() })
	info := must.Get(f.Stat())(t)
	return f, info.Size()
}

// readParquet reads all rows, with what is nested as the JSON that it was.
func readParquet(t *testing.T, k *record.Kind, file *parquet.File) (all table) {
	t.Helper()
	for _, group := range file.RowGroups() {
		rows := group.Rows()
		buffer := make([]parquet.Row, 100)
		for {
			n, err := rows.ReadRows(buffer)
			for _, values := range buffer[:n] {
				var read any
				must.Do(t, file.Schema().Reconstruct(&read, values))
				row := map[string]string{}
				for name, value := range read.(map[string]any) {
					if value != nil {
						row[name] = cellText(t, memberShape(k, name), value)
					}
				}
				all = append(all, row)
			}
			if err == io.EOF {
				break
			}
			must.Do(t, err)
		}
		rows.Close()
	}
	return all
}

// memberShape is the shape of a column that is a member of the record, or nil.
func memberShape(k *record.Kind, name string) *schema.Shape {
	for _, m := range k.Shape().Members {
		if m.Name == name {
			return m.Shape
		}
	}
	return nil
}

// cellText is a value that a tool read, as the text of a cell: what is nested is the JSON that it
// was.
func cellText(t *testing.T, s *schema.Shape, value any) string {
	t.Helper()
	switch v := value.(type) {
	case string:
		return v
	case int32:
		return dayText(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	}
	text := must.Get(json.Marshal(unnested(t, s, value)))(t)
	return string(text)
}

func dayText(days int32) string {
	return time.Unix(int64(days)*24*60*60, 0).UTC().Format(time.DateOnly)
}

// unnested makes of lists, structs and maps what stands in the record: members that are null are
// not there, and a number has the digits of its author.
func unnested(t *testing.T, s *schema.Shape, value any) any {
	t.Helper()
	switch v := value.(type) {
	case int32:
		return dayText(v)
	case []byte:
		return string(v)
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = unnested(t, s.Elem, v[i])
		}
		return list
	case map[string]any:
		object := map[string]any{}
		for name, text := range v {
			if s.Open {
				object[name] = unnested(t, nil, text)
			}
		}
		for _, m := range s.Members {
			switch exact := v[m.Name+"_text"].(type) {
			case string:
				sameNumber(t, fmt.Sprint(v[m.Name]), exact)
				object[m.Name] = json.Number(exact)
			default:
				if v[m.Name] != nil {
					object[m.Name] = unnested(t, m.Shape, v[m.Name])
				}
			}
			delete(v, m.Name)
			delete(v, m.Name+"_text")
		}
		if len(v) > 0 && !s.Open {
			t.Errorf("there are columns that no member has: %v", v)
		}
		return object
	}
	return value
}
