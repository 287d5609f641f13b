package input_test

import (
	"slices"
	"testing"
)

func TestPlaces(t *testing.T) {
	for _, c := range []struct {
		name, file, content string
		want                []string
	}{
		{"JSON on one line", "a.json", `{"id": "a", "x_a": [1, true]}`, []string{" 1:1", "/id 1:8", "/x_a 1:20", "/x_a/0 1:21", "/x_a/1 1:24"}},
		{"JSON on several lines", "a.json", "{\n  \"id\": \"a\",\n  \"x_a\": {\n\t\"b\":\n1\n}\n}", []string{" 1:1", "/id 2:9", "/x_a 3:10", "/x_a/b 5:1"}},
		{"JSON with multi-byte characters", "a.json", "{\"ä\": \"日本\", \"b\": \"🦠\", \"c\": 1,\n\"ü\": \"\", \"d\": 2}", []string{" 1:1", "/ä 1:7", "/b 1:18", "/c 1:28", "/ü 2:6", "/d 2:15"}},
		{"JSON with CRLF", "a.json", "{\r\n\"id\": \"a\",\r\n\"b\": 1\r\n}\r\n", []string{" 1:1", "/id 2:7", "/b 3:6"}},
		{"JSON with a byte-order mark", "a.json", "\ufeff{\"id\": \"a\"}", []string{" 1:1", "/id 1:8"}},
		{"JSON list", "a.json", "[\n {\"id\": \"a\"},\n {\"id\": \"b\"}]", []string{" 2:2", "/id 2:9", " 3:2", "/id 3:9"}},
		{"NDJSON", "a.ndjson", "{\"id\": \"a\"}\n\n  {\"日\": \"本\", \"id\": \"b\"}\r\n{\"id\":1}", []string{" 1:1", "/id 1:8", " 3:3", "/日 3:9", "/id 3:20", " 4:1", "/id 4:7"}},
		{"YAML", "a.yaml", "id: a\nx_a:\n  - b\n  -   c: d\nx_日: [ä, e]\nx_f: |\n  g\n", []string{" 1:1", "/id 1:5", "/x_a 3:3", "/x_a/0 3:5", "/x_a/1 4:7", "/x_a/1/c 4:10", "/x_日 5:6", "/x_日/0 5:7", "/x_日/1 5:10", "/x_f 6:6"}},
		{"YAML documents with CRLF", "a.yaml", "id: a\r\n---\r\nid: b\r\n", []string{" 1:1", "/id 1:5", " 3:1", "/id 3:5"}},
		{"CSV", "a.csv", "id,title,x_a\na,b,c\n\nd,,e\n", []string{" 2:1", "/id 2:1", "/title 2:3", "/x_a 2:5", " 4:1", "/id 4:1", "/x_a 4:4"}},
		{"CSV with quoted cells", "a.csv", "id,title,x_a\n\"a,a\",\"b\"\"b\",c\n", []string{" 2:1", "/id 2:1", "/title 2:7", "/x_a 2:14"}},
		{"CSV with line breaks in cells", "a.csv", "id,title,x_a\na,\"b\nb\",c\nd,e,f\n", []string{" 2:1", "/id 2:1", "/title 2:3", "/x_a 3:4", " 4:1", "/id 4:1", "/title 4:3", "/x_a 4:5"}},
		{"CSV with multi-byte characters", "a.csv", "id,title,x_a\nä,日本,c\n\"é\",\"b\nü日\",f\n", []string{" 2:1", "/id 2:1", "/title 2:3", "/x_a 2:6", " 3:1", "/id 3:1", "/title 3:5", "/x_a 4:5"}},
		{"CSV with CRLF and a byte-order mark", "a.csv", "\ufeffid,title\r\na,b\r\nc,d\r\n", []string{" 2:1", "/id 2:1", "/title 2:3", " 3:1", "/id 3:1", "/title 3:3"}},
		{"CSV with lists and objects", "a.csv", "id,x_a.0.b,x_a.0.c,x_a.1.b\na,1,2,3\n", []string{" 2:1", "/id 2:1", "/x_a 2:1", "/x_a/0 2:1", "/x_a/0/b 2:3", "/x_a/0/c 2:5", "/x_a/1 2:1", "/x_a/1/b 2:7"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, i := range read(one(c.file, c.content), 1) {
				if len(i.problems) > 0 {
					t.Fatal(i.problems)
				}
				got = append(got, i.places...)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("\n got %q\nwant %q", got, c.want)
			}
		})
	}
}

// Problems with the text itself stand in characters too.
func TestPlacesOfProblems(t *testing.T) {
	expectBadInput(t, []badInput{
		{"JSON", "a.json", "{\"日本\": \"🦠\",\n\"ä\": x}", []string{"a.json:2:6: error FIL03"}},
		{"NDJSON", "a.ndjson", "{\"id\":1}\r\n{\"日本\": x}", []string{"{id:1}", "a.ndjson:2:8: error FIL03"}},
		{"bad byte after multi-byte characters", "a.json", "{\"日本\": \"\xff\"}", []string{"a.json:1:9: error FIL02"}},
		{"CSV, bad byte after multi-byte characters", "a.csv", "id,x_a\n日本,\xff\n", []string{"a.csv:2:4: error FIL02"}},
		{"CSV, quotation mark after multi-byte characters", "a.csv", "id,x_a\n日本,5\"\n", []string{"a.csv:2:5: error FIL03"}},
		{"CSV header with multi-byte characters", "a.csv", "x_日本,x_日本\na,b\n", []string{"a.csv:1:6: error FIL07"}},
		{"YAML", "a.yaml", "x_日本: !x 本\n", []string{"a.yaml:1:7: error FIL03"}},
	})
}
