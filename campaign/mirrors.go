//go:build linux

package main

import (
	"context"
	"path/filepath"
)

// mirrors ends mirrors at moments that are spread over their whole time, and lets each of their
// system calls fail: a full disk is one of these. The copy that was there must be there and whole,
// or the new one.
func mirrors(ctx context.Context, p *testbed, s settings) ([]trial, error) {
	var addresses [2]string // of two releases, from which the copy is made in turn
	for i := range addresses {
		stele, err := p.serve(ctx, p.zips[i])
		if err != nil {
			return nil, err
		}
		defer stele.stop()
		addresses[i] = "http://" + stele.address
	}
	mirror := func(at string, i int) []string {
		return []string{p.program, "mirror", addresses[i%2], at, "-q", "--only", "all", "--allow-older"}
	}
	t := trial{what: "mirrors that are killed", of: "mirrors"}
	for _, name := range []string{"copy", "copy.zip"} {
		i := 0
		err := p.kill(ctx, &t, filepath.Join(p.dir, name), s.kills/2, func(bool) []string {
			i++
			return mirror(filepath.Join(p.dir, name), i)
		})
		if err != nil {
			return []trial{t}, err
		}
	}
	at := filepath.Join(p.dir, "copy")
	failing, err := p.failEach(ctx, s, "a mirror", at, func(when int) []string { return mirror(at, when) })
	return []trial{t, failing}, err
}
