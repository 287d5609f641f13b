package specimen

import (
	"context"
	"os"
	"path/filepath"

	"stele/internal/author/editing/tables"
)

// Import copies a folder of records, and imports a table of it by its map.yaml.
func Import(from, table, to string) (*tables.Plan, error) {
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		return nil, err
	}
	m, err := tables.OpenMap(filepath.Join(to, "map.yaml"))
	if err != nil {
		return nil, err
	}
	result, err := m.Read(context.Background(), filepath.Join(to, table))
	if err != nil {
		return nil, err
	}
	plan, err := result.Compare(os.DirFS(to), tables.Change{Date: "2026-11-14"})
	if err != nil {
		return nil, err
	}
	return plan, plan.Write(to)
}
