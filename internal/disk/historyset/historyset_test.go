package historyset_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stele/internal/base/compress"
	"stele/internal/base/layout"
	"stele/internal/disk/historyset"
	"stele/internal/testkit/must"
	"stele/release"
)

// TestExpanding: a history that a service sends takes no more room than the change events of the
// release justify, whatever it is expanded to.
func TestExpanding(t *testing.T) {
	const events = "api/v1/changes.json"
	line := func(i int, text string) string {
		return fmt.Sprintf(`{"release":"0123456789ab","date":"2026-01-01","record":{"id":"sig-%d","kind":"signal","version":1,"x":%q}}`+"\n", i, text)
	}
	for name, c := range map[string]struct {
		lines, text int // how many lines, and how long the text of each is
		events      int // how many events the collection has room for
		ok          bool
	}{
		"as events say":          {100, 100, 100, true},
		"very many lines":        {60_000, 0, 100, false},
		"lines without an event": {300, 0, 100, false},
		"one line of 32 MB":      {1, 32 << 20, 100, false},
		"many lines of 1 MB":     {100, 1 << 20, 100, false},
	} {
		var pack bytes.Buffer
		must.Do(t, compress.Zstandard.Stream(&pack, func(w io.Writer) (err error) {
			for i := range c.lines {
				if _, err = io.WriteString(w, line(i, strings.Repeat("a", c.text))); err != nil {
					break
				}
			}
			return err
		}))
		m := &release.Manifest{
			Kinds: []release.Kind{{Kind: "change_event", Collection: events, Listing: "index/changes.json"}},
			Files: []release.File{
				{Path: events, Size: int64(c.events) * 300}, {Path: "history/signals" + layout.HistoryPack, Size: int64(pack.Len())},
			},
		}
		dir := t.TempDir()
		scratch := func() (*os.File, error) { return os.Create(filepath.Join(dir, "scratch")) }
		set := must.Get(historyset.New(scratch))(t)
		err := set.Add(m.Files[1].Path, &pack, m, func(id string) string { return id })
		if (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
		must.Do(t, set.Finish())
		const most = 8 << 20
		if info := must.Get(os.Stat(filepath.Join(dir, "scratch")))(t); info.Size() > most || set.Len() > 10*c.events {
			t.Errorf("%s: %d bytes packed take %d on disk, and %d versions", name, m.Files[1].Size, info.Size(), set.Len())
		}
		must.Do(t, set.Close())
	}
}
