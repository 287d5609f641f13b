package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"strconv"
	"time"

	"stele/client"
	"stele/internal/deliver/bucket"
	"stele/internal/deliver/fetch"
	"stele/internal/disk/store"
	"stele/release"
)

// fetcher opens releases wherever they are, for commands that can read one from an address.
type fetcher struct {
	fresh bool // whether to ask past caches
}

// limits are those that the environment gives, or the defaults.
func (f *fetcher) limits() (l fetch.Limits, err error) {
	const ofTime, ofSize, ofHosts = "STELE_FETCH_TIME", "STELE_FETCH_SIZE", "STELE_FETCH_REDIRECTS"
	if text := os.Getenv(ofTime); text != "" {
		if l.Time, err = time.ParseDuration(text); err != nil || l.Time <= 0 {
			return l, fmt.Errorf("%s is %q, not a time: write one like 10m", ofTime, text)
		}
	}
	if text := os.Getenv(ofSize); text != "" {
		megabytes, err := strconv.ParseInt(text, 10, 64)
		if err != nil || megabytes <= 0 || megabytes > math.MaxInt64>>20 {
			return l, fmt.Errorf("%s is %q, not a number of megabytes: write one like 4096", ofSize, text)
		}
		l.Bytes = megabytes << 20
	}
	switch text := os.Getenv(ofHosts); text {
	case "", "no":
	case "yes":
		l.Redirects = true
	default:
		return l, fmt.Errorf("%s is %q: write yes, or leave it out", ofHosts, text)
	}
	return l.WithDefaults(), nil
}

// open opens a release in a folder, a zip, a bucket, or at an address. What is read from an address
// is what its manifest says.
func (f *fetcher) open(
	ctx context.Context,
	where string,
) (r *release.Release, dir string, closeRelease func() error, err error) {
	if fetch.IsURL(where) {
		limits, err := f.limits()
		if err != nil {
			return nil, "", nil, err
		}
		opt := client.Options{Time: limits.Time, Bytes: limits.Bytes, Redirects: limits.Redirects, Fresh: f.fresh}
		c, err := client.Open(ctx, where, opt)
		if err != nil {
			return nil, "", nil, err
		}
		return c.Release(ctx), "", c.Close, nil
	}
	if bucket.IsAddress(where) {
		limits, err := f.limits()
		if err != nil {
			return nil, "", nil, err
		}
		ctx, cancel := context.WithTimeout(ctx, limits.Time)
		defer cancel()
		r, closeRelease, err = bucket.OpenRelease(ctx, where, limits.Bytes, bucket.Options{})
		return r, "", closeRelease, err
	}
	r, closeRelease, err = store.Open(where)
	if info, statErr := os.Stat(where); err == nil && statErr == nil && info.IsDir() {
		dir = where
	}
	return r, dir, closeRelease, err
}

// openNamed opens a release whose files are to be judged as everybody gets them who asks for them
// by their names.
func (f *fetcher) openNamed(ctx context.Context, where string) (*release.Release, func() error, error) {
	if !fetch.IsURL(where) {
		r, _, closeRelease, err := f.open(ctx, where)
		return r, closeRelease, err
	}
	limits, err := f.limits()
	if err != nil {
		return nil, nil, err
	}
	return fetch.OpenRelease(ctx, where, limits)
}
