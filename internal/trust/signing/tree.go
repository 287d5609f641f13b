package signing

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"strconv"

	"stele/internal/base/layout"

	"golang.org/x/mod/sumdb/tlog"
)

// tileHeight is the height of tiles in tlog-tiles: a tile has 256 hashes.
const tileHeight = 8

// Log is an append-only log with all its leaves in memory. A leaf has about 300 bytes, and there is
// one per release.
type Log struct {
	entries []Entry
	leaves  [][]byte    // their bytes
	hashes  []tlog.Hash // of all complete subtrees, in tlog's order
}

// Size returns the number of leaves.
func (l *Log) Size() int64 { return int64(len(l.entries)) }

func (l *Log) Append(leaf []byte) error {
	e, err := ParseEntry(leaf)
	if err != nil {
		return err
	}
	hashes, err := tlog.StoredHashes(l.Size(), leaf, l)
	if err != nil {
		return err
	}
	l.entries, l.leaves, l.hashes = append(l.entries, e), append(l.leaves, leaf), append(l.hashes, hashes...)
	return nil
}

// prefix returns the log as it was with size leaves.
func (l *Log) prefix(size int64) *Log {
	return &Log{entries: l.entries[:size], leaves: l.leaves[:size], hashes: l.hashes}
}

// ReadHashes implements tlog.HashReader.
func (l *Log) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	list := make([]tlog.Hash, len(indexes))
	for i, n := range indexes {
		if n < 0 || n >= int64(len(l.hashes)) {
			return nil, fmt.Errorf("the log has no hash %d", n)
		}
		list[i] = l.hashes[n]
	}
	return list, nil
}

// Root returns the root hash of the first size leaves.
func (l *Log) Root(size int64) (tlog.Hash, error) {
	if size < 0 || size > l.Size() {
		return tlog.Hash{}, fmt.Errorf("the log has %d entries, not %d", l.Size(), size)
	}
	return tlog.TreeHash(size, l)
}

// tiles yields the path and contents of each file of the tree: tiles and bundles of entries.
func (l *Log) tiles(yield func(path string, data []byte) bool) { l.newTiles(0)(yield) }

// newTiles yields the files of the tree that the log did not have with from leaves.
func (l *Log) newTiles(from int64) iter.Seq2[string, []byte] {
	return func(yield func(path string, data []byte) bool) {
		for _, t := range tlog.NewTiles(tileHeight, from, l.Size()) {
			data, err := tlog.ReadTileData(t, l)
			if err != nil {
				panic(err) // all hashes of the tree exist
			}
			if !yield(tilePath(strconv.Itoa(t.L), t.N, t.W), data) {
				return
			}
		}
		if from == l.Size() {
			return
		}
		for first := from &^ 255; first < l.Size(); first += 256 {
			last := min(first+256, l.Size())
			var data []byte
			for _, leaf := range l.leaves[first:last] {
				data = append(binary.BigEndian.AppendUint16(data, uint16(len(leaf))), leaf...)
			}
			if !yield(tilePath("entries", first/256, int(last-first)), data) {
				return
			}
		}
	}
}

// obsoleteTiles returns the incomplete tiles that the log had with from leaves and that are larger
// now.
func (l *Log) obsoleteTiles(from int64) (paths []string) {
	edge := func(level string, was, is int64) {
		if width := was % 256; width > 0 && is > was {
			paths = append(paths, tilePath(level, was/256, int(width)))
		}
	}
	edge("entries", from, l.Size())
	for level, was, is := 0, from, l.Size(); was > 0; level, was, is = level+1, was/256, is/256 {
		edge(strconv.Itoa(level), was, is)
	}
	return paths
}

// tilePath returns the path of a tile. Unlike in x/mod, it contains no height.
func tilePath(level string, n int64, width int) string {
	path := fmt.Sprintf("%03d", n%1000)
	for n >= 1000 {
		n /= 1000
		path = fmt.Sprintf("x%03d/%s", n%1000, path)
	}
	path = layout.TileFolder + level + "/" + path
	if width < 256 {
		path += ".p/" + strconv.Itoa(width)
	}
	return path
}

// readLog reads the entries of a log and verifies its tiles.
func readLog(ctx context.Context, files Files, size int64) (*Log, error) {
	if size > maxEntries {
		return nil, damagedError(layout.CheckpointPath, fmt.Sprintf("it claims %d entries, but at most %d are supported", size, maxEntries))
	}
	log := &Log{}
	for n := range (size + 255) / 256 {
		width := min(256, size-n*256)
		path := tilePath("entries", n, int(width))
		data, err := readPart(ctx, files, path, maxBundle)
		if err != nil {
			return nil, err
		}
		for range width {
			if len(data) < 2 || len(data) < 2+int(binary.BigEndian.Uint16(data)) {
				return nil, damagedError(path, "it ends too early")
			}
			end := 2 + int(binary.BigEndian.Uint16(data))
			if err := log.Append(data[2:end:end]); err != nil {
				return nil, damagedError(fmt.Sprintf("entry %d of the log", log.Size()), err.Error())
			}
			data = data[end:]
		}
		if len(data) > 0 {
			return nil, damagedError(path, "extra data after the last entry")
		}
	}
	for path, want := range log.tiles {
		data, err := readPart(ctx, files, path, int64(len(want)))
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(data, want) {
			return nil, damagedError(path, "it does not match the entries of the log")
		}
	}
	return log, nil
}

// readPart reads a file that must exist according to the checkpoint.
func readPart(ctx context.Context, files Files, path string, maxSize int64) ([]byte, error) {
	data, err := files.ReadFile(ctx, path, maxSize)
	if isNotExist(err) {
		return nil, truncatedError(path)
	}
	return data, err
}
