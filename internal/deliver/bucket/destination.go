package bucket

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
)

// Destination is where an address of a bucket leads.
type Destination struct {
	Name string // the address without parameters
	Host string // which gets the requests, and the credentials with them; "" for a folder
	// Named reports whether the address itself names the host. Otherwise it is the cloud's own, or
	// comes from the environment.
	Named bool
}

// FindDestination returns where an address leads. It sends nothing and looks for no credentials.
func FindDestination(address string) (d Destination, err error) {
	u, err := url.Parse(address)
	if err != nil || !IsAddress(address) {
		return d, errNoAddress
	}
	d.Name = strings.TrimSuffix(u.Scheme+"://"+u.Host+"/"+strings.Trim(u.Path, "/"), "/")
	query := u.Query()
	switch u.Scheme {
	case "file":
		return Destination{Name: "file://" + u.Path}, nil
	case "gs":
		d.Host = cmp.Or(hostOf(os.Getenv("STORAGE_EMULATOR_HOST")), "storage.googleapis.com")
	case "s3":
		d.Named = query.Has("endpoint")
		d.Host = cmp.Or(hostOf(query.Get("endpoint")), "s3.amazonaws.com")
	default:
		a, err := newAzureAccount(u)
		if err != nil {
			return d, err
		}
		d.Named = query.Has("domain") || query.Has("storage_account") || query.Has("protocol") || query.Has("localemu")
		d.Host = hostOf(a.endpoint)
	}
	return d, nil
}

var errNoAddress = errors.New("this is not the address of a bucket: write s3://BUCKET/PREFIX, gs://BUCKET/PREFIX, azblob://CONTAINER/PREFIX or file:///FOLDER")

// hostOf returns the host and port of an address, or of what has no scheme.
func hostOf(address string) string {
	_, rest, ok := strings.Cut(address, "://")
	if !ok {
		rest = address
	}
	host, _, _ := strings.Cut(rest, "/")
	return host
}

// refusePlainHTTP refuses to send credentials where anybody on the way can read them. This machine,
// and the hosts that STELE_PLAIN_HTTP names with commas, may be asked over plain HTTP.
func refusePlainHTTP(endpoint string) error {
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "http" {
		return err
	}
	at, err := netip.ParseAddr(u.Hostname())
	if u.Hostname() == "localhost" || err == nil && at.Unmap().IsLoopback() {
		return nil
	}
	if slices.Contains(strings.Split(os.Getenv("STELE_PLAIN_HTTP"), ","), u.Host) {
		return nil
	}
	host := u.Host
	if u.Port() == "" {
		host = net.JoinHostPort(u.Hostname(), "443")
	}
	return fmt.Errorf("credentials are not sent to %s over plain http: write https://%s, or set STELE_PLAIN_HTTP=%s on this machine if its network is trusted", u.Host, host, u.Host)
}
