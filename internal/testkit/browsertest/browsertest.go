// Package browsertest controls the browsers of this machine with the protocol WebDriver BiDi.
package browsertest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"time"

	"golang.org/x/net/websocket"

	"stele/internal/testkit/process"
)

// The browsers that can be started.
const (
	Chromium = "Chromium"
	Firefox  = "Firefox"
)

// origin is the Origin header that browsers require.
const origin = "http://127.0.0.1"

// preferences turn off Firefox's own requests, and WebGL.
const preferences = `user_pref("webgl.disabled", true);
user_pref("app.normandy.enabled", false);
user_pref("app.update.disabledForTesting", true);
user_pref("browser.safebrowsing.update.enabled", false);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("browser.startup.page", 0);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("devtools.jsonview.enabled", false);
user_pref("extensions.update.enabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("services.settings.server", "data:,#remote-settings-dummy/v1");
user_pref("toolkit.telemetry.reportingpolicy.firstRun", false);
`

// ErrMissing says that a browser is not on this machine.
var ErrMissing = errors.New("not on this machine (make test installs it where apt-get works)")

// Browser is a running browser, without a window and without WebGL. Its tabs can be used
// concurrently.
type Browser struct {
	conn    *websocket.Conn
	sending sync.Mutex
	stop    func()

	mu      sync.Mutex
	last    int
	waiting map[int]chan<- answer
	tabs    map[string]func(Event) // by their contexts
	ended   error
}

// Event is an event of a tab.
type Event struct {
	Method string
	Params json.RawMessage
}

type answer struct {
	result json.RawMessage
	err    error
}

// Shared returns the browser with a name, which all tests of a package share, each in its own tabs.
// Tests closes it.
func Shared(name string) (*Browser, error) {
	sharing.Lock()
	defer sharing.Unlock()
	if shared[name] != nil {
		return shared[name], nil
	}
	b, err := start(name)
	if err == nil {
		shared[name] = b
	}
	return b, err
}

var (
	sharing sync.Mutex
	shared  = map[string]*Browser{}
)

// Tests are the tests of a package.
type Tests struct{ M interface{ Run() int } }

// Run runs the tests, and then closes the shared browsers.
func (t Tests) Run() int {
	defer func() {
		for _, b := range shared {
			b.stop()
			b.conn.Close()
		}
	}()
	return t.M.Run()
}

func start(name string) (b *Browser, err error) {
	dir, err := os.MkdirTemp("", "browsertest")
	if err != nil {
		return nil, err
	}
	b = &Browser{waiting: map[int]chan<- answer{}, tabs: map[string]func(Event){}, stop: func() { os.RemoveAll(dir) }}
	started := b
	defer func() {
		if err != nil {
			started.stop()
		}
	}()
	begin := b.startChromium
	if name == Firefox {
		begin = b.startFirefox
	}
	address, err := begin(dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if b.conn, err = websocket.Dial(address, "", origin); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	go b.listen()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if name == Firefox { // Chromium's driver began the session
		err = b.Call(ctx, "session.new", map[string]any{"capabilities": map[string]any{}}, nil)
	}
	if err == nil {
		err = b.Call(ctx, "session.subscribe", map[string]any{"events": []string{
			"log.entryAdded", "network.beforeRequestSent", "network.responseCompleted", "network.fetchError",
		}}, nil)
	}
	if err == nil { // what the policy of a page forbids is in no event
		err = b.Call(ctx, "script.addPreloadScript", map[string]any{
			"functionDeclaration": `() => addEventListener("securitypolicyviolation", (e) => console.error("the policy forbids", e.violatedDirective, e.blockedURI))`,
		}, nil)
	}
	return b, err
}

// startChromium starts Chromium through its driver, and returns its address.
func (b *Browser) startChromium(dir string) (string, error) {
	program, err := lookFor("chromium", "chromium-browser", "google-chrome")
	if err != nil {
		return "", err
	}
	driver, err := lookFor("chromedriver")
	if err != nil {
		return "", err
	}
	cmd := exec.Command(driver, "--port=0", "--allowed-origins="+origin)
	port, err := b.run(cmd, `started successfully on port (\d+)`)
	if err != nil {
		return "", err
	}
	body, err := json.Marshal(map[string]any{"capabilities": map[string]any{"alwaysMatch": map[string]any{
		"webSocketUrl":            true,
		"unhandledPromptBehavior": "ignore",
		"goog:chromeOptions": map[string]any{"binary": program, "args": []string{
			"--headless=new", "--no-sandbox", "--disable-gpu", "--disable-3d-apis", "--disable-quic", "--disable-component-update",
			"--hide-scrollbars", "--user-data-dir=" + dir,
		}},
	}}})
	if err != nil {
		return "", err
	}
	response, err := http.Post("http://127.0.0.1:"+port+"/session", "application/json", bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	defer response.Body.Close() // it was only read
	var session struct {
		Value struct {
			SessionID    string
			Message      string
			Capabilities struct{ WebSocketURL string }
		}
	}
	if err := json.NewDecoder(response.Body).Decode(&session); err != nil {
		return "", err
	}
	if session.Value.Capabilities.WebSocketURL == "" {
		return "", fmt.Errorf("no session: %s", session.Value.Message)
	}
	b.endSession("http://127.0.0.1:" + port + "/session/" + session.Value.SessionID)
	return session.Value.Capabilities.WebSocketURL, nil
}

// endSession ends the browser that a driver has started, before the driver is killed.
func (b *Browser) endSession(address string) {
	kill := b.stop
	b.stop = func() {
		defer kill()
		request, err := http.NewRequest(http.MethodDelete, address, nil)
		if err != nil {
			return // the driver named it
		}
		if response, err := (&http.Client{Timeout: time.Minute}).Do(request); err == nil {
			response.Body.Close()
		}
	}
}

// startFirefox starts Firefox, and returns its address.
func (b *Browser) startFirefox(dir string) (string, error) {
	program, err := lookFor("firefox-esr", "firefox")
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "user.js"), []byte(preferences), 0o600); err != nil {
		return "", err
	}
	cmd := exec.Command(program, "--headless", "--no-remote", "--profile", dir, "--remote-debugging-port=0", "--remote-allow-origins="+origin)
	cmd.Env = append(os.Environ(), "HOME="+dir, "MOZ_CRASHREPORTER_DISABLE=1")
	address, err := b.run(cmd, `WebDriver BiDi listening on (ws://\S+)`)
	return address + "/session", err
}

// lookFor returns the path of the first program that exists.
func lookFor(names ...string) (string, error) {
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s is %w", names[0], ErrMissing)
}

// run starts a program that is killed when the browser is closed, and returns the part of its
// output that matches a pattern.
func (b *Browser) run(cmd *exec.Cmd, pattern string) (string, error) {
	p, err := process.Start(cmd, "")
	if err != nil {
		return "", err
	}
	clean := b.stop
	b.stop = func() {
		p.Kill()
		clean()
	}
	expression := regexp.MustCompile(pattern)
	for until := time.Now().Add(time.Minute); p.Runs() && time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
		if found := expression.FindStringSubmatch(p.Output()); found != nil {
			return found[1], nil
		}
	}
	return "", fmt.Errorf("%s does not start\n%s", cmd.Path, p.Output())
}
