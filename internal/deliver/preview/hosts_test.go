package preview

import "testing"

func TestHosts(t *testing.T) {
	own := newHosts([]string{"127.0.0.1:8080", "unix:/run/stele.sock"})
	named := newHosts([]string{"desk.example.org:80", "192.0.2.7:8080"})
	all := newHosts([]string{":8080"})
	for _, c := range []struct {
		hosts hosts
		host  string
		want  bool
	}{
		{own, "localhost", true},
		{own, "localhost:8080", true},
		{own, "LOCALHOST.:1", true},
		{own, "127.0.0.1:8080", true},
		{own, "127.1.2.3", true},
		{own, "[::1]:8080", true},
		{own, "::1", true},
		{own, "", false},
		{own, "evil.example", false},
		{own, "evil.example:8080", false},
		{own, "127.0.0.1.evil.example", false},
		{own, "localhost.evil.example", false},
		{own, "192.0.2.7", false},
		{own, "/run/stele.sock", false},
		{named, "desk.example.org", true},
		{named, "Desk.Example.org:80", true},
		{named, "192.0.2.7:8080", true},
		{named, "192.0.2.8", false},
		{all, "192.0.2.7:8080", true},
		{all, "[2001:db8::1]", true},
		{all, "evil.example", false},
		{all, "localhost", true},
	} {
		if c.hosts.accepts(c.host) != c.want {
			t.Errorf("%q: %v", c.host, !c.want)
		}
	}
}
