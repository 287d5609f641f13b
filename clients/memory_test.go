package clients_test

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"stele/internal/testkit/must"
)

// readers read all records of a kind from an address, and write the most memory that they took, in
// KiB.
var readers = map[string][]string{
	"python": {"python3", "-B", "-c", `import resource, sys
sys.path.insert(0, "python")
import stele
assert sum(1 for _ in stele.open(sys.argv[1]).records("entity")) == int(sys.argv[2])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)`},
	"node": {"node", "--input-type=module", "--eval", `import { open } from "./typescript/stele.mjs";
let count = 0;
for await (const _ of (await open(process.argv[1])).records("entity")) count++;
if (count !== Number(process.argv[2])) throw new Error(count);
console.log(process.resourceUsage().maxRSS);`},
}

// TestMemory: reading a collection takes less memory than the collection has bytes.
func TestMemory(t *testing.T) {
	const count, record = 40_000, 6_000
	dir := t.TempDir()
	size := writeLarge(t, dir, count, record)
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer server.Close()
	for language, args := range readers {
		t.Run(language, func(t *testing.T) {
			interpreter(t, language)
			out := run(t, ".", append(append([]string{}, args...), server.URL, strconv.Itoa(count))...)
			most := must.Get(strconv.ParseInt(strings.TrimSpace(out), 10, 64))(t) << 10
			t.Logf("%d MB for %d MB", most>>20, size>>20)
			// Who keeps the file has its bytes, its text and the records: over twice its size.
			if most > size*3/2 {
				t.Errorf("it took %d bytes of memory for a file of %d", most, size)
			}
		})
	}
}

// writeLarge writes a release with one collection of large records, and returns the size of it.
func writeLarge(t *testing.T, dir string, count, record int) int64 {
	t.Helper()
	type listed struct {
		Path   string `json:"path"`
		Size   int64  `json:"size"`
		SHA256 string `json:"sha256"`
	}
	write := func(name, more string) listed {
		f := must.Get(os.Create(filepath.Join(dir, name)))(t)
		sum := sha256.New()
		w := bufio.NewWriter(io.MultiWriter(f, sum))
		fmt.Fprintf(w, `{"records":[`)
		for i := range count {
			fmt.Fprintf(w, "%s\n"+`{"id":"ent-%d","kind":"entity"%s}`, strings.Repeat(",", min(i, 1)), i, more)
		}
		fmt.Fprintf(w, "\n]}\n")
		must.Do(t, w.Flush())
		size := must.Get(f.Seek(0, io.SeekCurrent))(t)
		must.Do(t, f.Close())
		return listed{name, size, fmt.Sprintf("%x", sum.Sum(nil))}
	}
	collection, index := write("all.json", `,"summary":"`+strings.Repeat("a", record)+`"`), write("index.json", "")
	data := must.Get(json.Marshal(map[string]any{
		"format": "stele-release/3", "release": "large", "date": "2026-01-01", "files": []listed{collection, index},
		"kinds": []any{map[string]any{"kind": "entity", "count": count, "collection": "all.json", "index": "index.json"}},
	}))(t)
	must.Do(t, os.WriteFile(filepath.Join(dir, "manifest.json"), data, 0o600))
	return collection.Size
}
