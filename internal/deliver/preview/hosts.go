package preview

import (
	"net"
	"net/netip"
	"strings"
)

// hosts contains the host names that a preview answers to: those of this machine and those in
// --listen. Another site could point its own name to this machine's address (DNS rebinding) and let
// its scripts read drafts, so a preview refuses other names.
type hosts struct {
	names     map[string]bool
	addresses bool // whether any IP address is accepted, because the server listens on all of them
}

func newHosts(listen []string) hosts {
	h := hosts{names: map[string]bool{"localhost": true}}
	for _, address := range listen {
		name, _, err := net.SplitHostPort(address)
		if err != nil {
			continue // a unix socket, which browsers cannot reach
		}
		if ip, err := netip.ParseAddr(name); name == "" || err == nil && ip.IsUnspecified() {
			h.addresses = true
			continue
		}
		h.names[strings.ToLower(name)] = true
	}
	return h
}

// accepts reports whether requests with host in their Host header are accepted.
func (h hosts) accepts(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	if ip, err := netip.ParseAddr(host); err == nil && (ip.IsLoopback() || h.addresses) {
		return true
	}
	return h.names[host]
}
