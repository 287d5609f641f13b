//go:build unix

package main

import (
	"embed"
	"fmt"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path/filepath"
)

// The newest that build with Go 1.26 and that npm can install whole. From 0.166 on, Hugo asks for
// Go 1.27.
const (
	hugoVersion     = "v0.165.0"
	eleventyVersion = "3.1.7"
)

//go:embed all:peers
var sites embed.FS

// preparePeers installs the peers and gives each its site and the signals.
func preparePeers(dir string, records int) (hugo, eleventy *contender, err error) {
	hugoProgram, err := installHugo()
	if err != nil {
		return nil, nil, fmt.Errorf("install Hugo: %w", err)
	}
	eleventyProgram, err := installEleventy()
	if err != nil {
		return nil, nil, fmt.Errorf("install Eleventy: %w", err)
	}
	peers, err := fs.Sub(sites, "peers")
	if err != nil {
		return nil, nil, err
	}
	if err := os.CopyFS(dir, peers); err != nil {
		return nil, nil, err
	}
	hugo = &contender{name: "Hugo, folder", output: "hugo", dir: filepath.Join(dir, "hugo"), args: func(output string) []string {
		return []string{hugoProgram, "--quiet", "--noBuildLock", "--destination", output}
	}}
	eleventy = &contender{name: "Eleventy, folder", output: "eleventy", dir: filepath.Join(dir, "eleventy"), args: func(output string) []string {
		return []string{"node", eleventyProgram, "--quiet", "--output", output}
	}}
	eleventy.env = []string{"NODE_OPTIONS=--max-old-space-size=8192"}

	data := filepath.Join(dir, "hugo", "assets", "signals.json")
	if err := writeArray(data, records); err != nil {
		return nil, nil, err
	}
	if err := os.Mkdir(filepath.Join(dir, "eleventy", "_data"), 0o755); err != nil {
		return nil, nil, err
	}
	return hugo, eleventy, os.Link(data, filepath.Join(dir, "eleventy", "_data", "signals.json"))
}

func installHugo() (program string, err error) {
	return install("hugo-"+hugoVersion, "hugo", func(dir string) *exec.Cmd {
		c := exec.Command("nice", "-n", "10", "go", "install", "github.com/gohugoio/hugo@"+hugoVersion)
		c.Env = append(os.Environ(), "GOBIN="+dir, "CGO_ENABLED=0")
		return c
	})
}

func installEleventy() (program string, err error) {
	return install("eleventy-"+eleventyVersion, "node_modules/@11ty/eleventy/cmd.cjs", func(dir string) *exec.Cmd {
		return exec.Command("npm", "install", "--no-audit", "--no-fund", "--prefix", dir, "@11ty/eleventy@"+eleventyVersion)
	})
}

// install runs a command that fills a folder of the cache, unless the folder is there, and answers
// with the path of a file in it.
func install(name, file string, command func(dir string) *exec.Cmd) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "stele-bench", name)
	path := filepath.Join(dir, filepath.FromSlash(file))
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	log.Printf("installing %s", name)
	part := dir + ".part" // so that what was interrupted begins anew
	if err := os.RemoveAll(part); err != nil {
		return "", err
	}
	if err := os.MkdirAll(part, 0o755); err != nil {
		return "", err
	}
	c := command(part)
	c.Stdout, c.Stderr = os.Stderr, os.Stderr
	if err := c.Run(); err != nil {
		return "", err
	}
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	return path, os.Rename(part, dir)
}
