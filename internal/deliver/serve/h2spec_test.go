//go:build unix

package serve_test

import (
	"encoding/xml"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"stele/internal/deliver/serve"
	"stele/internal/testkit/must"
)

// TestH2spec holds HTTP/2 to RFC 9113 and RFC 7541 with h2spec, which says everything to a server
// that is wrong. It asks for a file that does not fit into the window, because what is wrong with a
// stream can only be told while it is there.
func TestH2spec(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short: it runs the programs of others")
	}
	leavesNothing(t)
	opt := serve.Options{TLS: secureOptions(t)}
	host, port, err := net.SplitHostPort(listening(t, serve.New(openedLarge(t, opt), opt)))
	must.Do(t, err)
	report := filepath.Join(t.TempDir(), "report.xml")
	out, err := exec.Command("go", "tool", "h2spec", "-h", host, "-p", port, "-t", "-k", "-S", "-o", "20", "-P", "/"+large, "-j", report).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	data := must.Get(os.ReadFile(report))(t)
	passed, failed := cases(t, data)
	for _, name := range failed {
		t.Error(name)
	}
	if passed < 140 {
		t.Errorf("%d cases passed", passed)
	}
}

// cases are those of a report in the format of JUnit.
func cases(t *testing.T, report []byte) (passed int, failed []string) {
	t.Helper()
	var suites struct {
		Suites []struct {
			Cases []struct {
				Name    string    `xml:"classname,attr"`
				Failure *struct{} `xml:"failure"`
				Error   *struct{} `xml:"error"`
				Skipped *struct{} `xml:"skipped"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	must.Do(t, xml.Unmarshal(report, &suites))
	for _, suite := range suites.Suites {
		for _, c := range suite.Cases {
			switch {
			case c.Failure != nil || c.Error != nil:
				failed = append(failed, c.Name)
			case c.Skipped == nil:
				passed++
			}
		}
	}
	return passed, failed
}
