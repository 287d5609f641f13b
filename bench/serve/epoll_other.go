//go:build !linux

package main

import "errors"

func serveLoop(address, prepared string) error {
	return errors.New("the epoll loop runs on Linux only, and so does this benchmark")
}
