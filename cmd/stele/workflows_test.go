package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"stele/internal/testkit/must"

	"go.yaml.in/yaml/v3"
)

// host keeps comments and issues as GitHub, Forgejo and GitLab do, as far as the workflows ask.
type host struct {
	bodies []string
	closed bool
}

func (h *host) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var sent struct{ Body, State string }
	if r.Header.Get("Content-Type") == "application/json" {
		if err := json.NewDecoder(r.Body).Decode(&sent); err != nil && r.Method != http.MethodGet {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
	} else {
		sent.Body, sent.State = r.FormValue("body")+r.FormValue("description"), r.FormValue("state_event")
	}
	switch r.Method {
	case http.MethodGet:
		list := []map[string]any{{"id": 900, "number": 900, "iid": 900, "body": "Looks good.", "description": nil}}
		for i, b := range h.bodies {
			list = append(list, map[string]any{"id": i, "number": i, "iid": i, "body": b, "description": b})
		}
		if err := json.NewEncoder(w).Encode(list); err != nil {
			panic(err)
		}
	case http.MethodPost:
		h.bodies = append(h.bodies, sent.Body)
	default:
		i, err := strconv.Atoi(r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:])
		if err != nil || i >= len(h.bodies) {
			http.NotFound(w, r)
			return
		}
		h.bodies[i], h.closed = sent.Body, sent.State == "closed" || sent.State == "close"
	}
}

// TestWorkflowsPinned: what others can change does not run in the workflows of a publisher: actions
// are named by digest, and Stele by a tag or a commit.
func TestWorkflowsPinned(t *testing.T) {
	paths, err := filepath.Glob("../../internal/author/editing/starter/files/.github/workflows/*.yml")
	if err != nil || len(paths) < 4 {
		t.Fatalf("%d workflows, %v", len(paths), err)
	}
	for _, path := range paths {
		data := must.Get(os.ReadFile(path))(t)
		for _, uses := range regexp.MustCompile(`uses: .*`).FindAllString(string(data), -1) {
			if !regexp.MustCompile(`@[0-9a-f]{40} # v`).MatchString(uses) {
				t.Errorf("%s: %s", path, uses)
			}
		}
		source := strings.Count(string(data), "repository: ${{ vars.STELE_REPOSITORY }}")
		if named := strings.Count(string(data), "}}\n          ref: ${{ vars.STELE_VERSION || 'refs/tags/"); source != named {
			t.Errorf("%s builds Stele from a branch", path)
		}
	}
}

// TestWorkflowsComment runs the scripts of the starter's workflows twice: they write one comment,
// or one issue, and then the same one anew.
func TestWorkflowsComment(t *testing.T) {
	if testing.Short() {
		t.Skip("makes a release")
	}
	for _, name := range []string{"jq", "curl", "sh"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(err)
		}
	}
	dir := memoryDir(t)
	folder, live := filepath.Join(dir, "folder"), filepath.Join(dir, "live")
	stele := func(args ...string) {
		t.Helper()
		cmd := exec.Command("stele", args...)
		if cmd.Dir = dir; args[0] == "revise" {
			cmd.Dir = folder
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	stele("init", "folder", "--address", "https://records.example.org")
	stele("build", "folder", "-o", "live", "-q", "--without=derived", "--without=variants", "--date", "2026-01-20")
	stele("revise", "sig-example-rise", "--set", "title=Rise @octocat", "--date", "2026-02-01")
	settings := filepath.Join(folder, "stele.yaml")
	text := must.Get(os.ReadFile(settings))(t)
	must.Do(t, os.WriteFile(settings, append(text, "\nreview_after: {evidence: 1 day}\n"...), 0o644))
	for _, c := range []struct{ file, job, mark, has string }{
		{".github/workflows/comment.yml", "comment", "<!-- stele diff -->\n", "Rise @octocat"},
		{".github/workflows/review.yml", "review", "<!-- stele review -->\n```\n", "  evd-example-cohort  "},
		{".gitlab/stele.yml", "stele-comment", "<!-- stele diff -->\n", "Rise @octocat"},
		{".gitlab/stele.yml", "stele-review", "<!-- stele review -->\n```\n", "  evd-example-cohort  "},
	} {
		script := lastScript(t, filepath.Join(folder, c.file), c.job)
		h := &host{}
		server := httptest.NewServer(h)
		for range 2 {
			cmd := exec.Command("sh", "-e", "-c", strings.ReplaceAll(script, "/tmp/", dir+"/"))
			cmd.Dir = folder
			cmd.Env = append(os.Environ(), "API="+server.URL, "CI_API_V4_URL="+server.URL, "NUMBER=7",
				"LIVE="+live, "STELE_LIVE="+live,
				"TOKEN=x", "STELE_TOKEN=x", "RUNNER_TEMP="+dir, "GITHUB_WORKSPACE="+folder,
				"GITHUB_STEP_SUMMARY="+filepath.Join(dir, "summary"))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%s %s: %v\n%s", c.file, c.job, err, out)
			}
		}
		server.Close()
		if len(h.bodies) != 1 || h.closed || !strings.HasPrefix(h.bodies[0], c.mark) ||
			!strings.Contains(h.bodies[0], c.has) {
			t.Errorf("%s %s leaves %q, closed %t", c.file, c.job, h.bodies, h.closed)
		}
	}
}

// TestWorkflowsAudit runs what the starter's workflows do after publishing, with a service.
func TestWorkflowsAudit(t *testing.T) {
	if testing.Short() {
		t.Skip("makes a release")
	}
	folder, live := starterRelease(t, "--without=derived")
	r := must.Get(run(t.TempDir(), nil, live, "--listen", "127.0.0.1:0"))(t)
	t.Cleanup(r.kill)
	for file, report := range map[string]string{".github/workflows/check.yml": "audit.xml", ".gitlab/stele.yml": "audit.xml"} {
		data := must.Get(os.ReadFile(filepath.Join(folder, file)))(t)
		line := regexp.MustCompile(`(?m)("\$RUNNER_TEMP/stele"|stele) (audit "\$.*?)'?$`).FindSubmatch(data)
		if line == nil {
			t.Fatalf("%s does not audit", file)
		}
		cmd := exec.Command("sh", "-e", "-c", "stele "+string(line[2]))
		cmd.Dir = t.TempDir()
		cmd.Env = append(os.Environ(), "LIVE="+r.url, "STELE_LIVE="+r.url)
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "No problems found") {
			t.Errorf("%s: %v\n%s", file, err, out)
		}
		if _, err := os.Stat(filepath.Join(cmd.Dir, report)); err != nil {
			t.Error(err)
		}
	}
}

// lastScript is what a job of a workflow runs in the end. The program is that of the test.
func lastScript(t *testing.T, path, job string) string {
	t.Helper()
	data := must.Get(os.ReadFile(path))(t)
	type steps struct {
		Steps  []struct{ Run string }
		Script []string
	}
	var file map[string]yaml.Node
	if err := yaml.Unmarshal(data, &file); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	node := file[job]
	if jobs, ok := file["jobs"]; ok {
		var inner map[string]yaml.Node
		must.Do(t, jobs.Decode(&inner))
		node = inner[job]
	}
	var s steps
	if err := node.Decode(&s); err != nil || len(s.Steps)+len(s.Script) == 0 {
		t.Fatalf("%s has no job %s: %v", path, job, err)
	}
	if len(s.Script) > 0 {
		return strings.Join(s.Script, "\n")
	}
	return strings.ReplaceAll(s.Steps[len(s.Steps)-1].Run, `"$RUNNER_TEMP/stele"`, "stele")
}
