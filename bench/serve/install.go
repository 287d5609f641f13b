//go:build linux

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"strings"
)

// packages are what Debian has for the peers and the load generators. Modules of a server are
// packages of their own, so having the program does not mean that they are there.
var packages = []string{
	"nginx", "libnginx-mod-http-brotli-static", "h2o", "wrk", "nghttp2-client", "util-linux",
}

// install installs the peers and the load generators, where they are missing.
func install() error {
	var missing []string
	for _, name := range packages {
		state, err := exec.Command("dpkg-query", "--show", "--showformat=${db:Status-Status}", name).Output()
		if err != nil || string(state) != "installed" {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		log.Print("installing with apt-get: ", strings.Join(missing, " "))
		if err := installPackages(missing); err != nil {
			return fmt.Errorf("install %v: %w", missing, err)
		}
	}
	return nil
}

// policy is the file that keeps Debian from starting servers that it installs: they would take
// ports, and the cores of this benchmark.
const policy = "/usr/sbin/policy-rc.d"

func installPackages(names []string) (err error) {
	if _, err := os.Stat(policy); errors.Is(err, fs.ErrNotExist) {
		if err := os.WriteFile(policy, []byte("#!/bin/sh\nexit 101\n"), 0o755); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.Remove(policy)) }()
	}
	for _, args := range [][]string{{"update"}, append([]string{"install", "--yes", "--no-install-recommends"}, names...)} {
		c := exec.Command("apt-get", args...)
		c.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		c.Stdout, c.Stderr = os.Stderr, os.Stderr
		if err := c.Run(); err != nil {
			return err
		}
	}
	return nil
}
