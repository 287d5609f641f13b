package agent_test

import (
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"stele/client"
	"stele/internal/deliver/agent"
	"stele/internal/testkit/long"
	"stele/internal/testkit/must"
	"stele/internal/testkit/process"
	"stele/tools/programs"
)

// TestLongAgentConformance: the server passes the official tests that do not want tools of a server
// made for them, over HTTP.
func TestLongAgentConformance(t *testing.T) {
	long.Only(t)
	process.NeedNode(t)
	modules, err := programs.Conformance.Get(t.Output())
	if err != nil && os.Getenv("CI") == "" {
		t.Skipf("left out: %v", err)
	} else if err != nil {
		t.Fatal(err)
	}
	c := must.Get(client.Open(t.Context(), "../../../release/testdata/first", client.Options{}))(t)
	defer c.Close()
	front := httptest.NewServer(agent.New(c).Handler(nil))
	defer front.Close()
	program := filepath.Join(modules, "@modelcontextprotocol/conformance/dist/index.js")
	for _, scenario := range []string{
		"server-initialize", "ping", "tools-list", "resources-list", "dns-rebinding-protection",
	} {
		cmd := exec.CommandContext(t.Context(), "node", program, "server", "--url", front.URL, "--scenario", scenario)
		cmd.Dir = t.TempDir()
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", scenario, err, out)
		}
	}
}
