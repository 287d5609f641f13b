package preview

import (
	"net"
	"net/netip"
	"strings"
)

// hosts are the names that a preview answers to: those of this machine, and those that it was told
// to listen on. A site could give its own name this machine's address, and so let its scripts read
// drafts; with these names none can.
type hosts struct {
	names     map[string]bool
	addresses bool // whether it may be asked by any address, because it listens on all of them
}

func newHosts(listen []string) hosts {
	h := hosts{names: map[string]bool{"localhost": true}}
	for _, address := range listen {
		name, _, err := net.SplitHostPort(address)
		if err != nil {
			continue // a unix socket, which no browser reaches
		}
		if ip, err := netip.ParseAddr(name); name == "" || err == nil && ip.IsUnspecified() {
			h.addresses = true
			continue
		}
		h.names[strings.ToLower(name)] = true
	}
	return h
}

// answers reports whether the Host of a request is one of them.
func (h hosts) answers(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	if ip, err := netip.ParseAddr(host); err == nil && (ip.IsLoopback() || h.addresses) {
		return true
	}
	return h.names[host]
}
