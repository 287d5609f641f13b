package browsertest

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/net/websocket"
)

// Call sends a command and waits for its result.
func (b *Browser) Call(ctx context.Context, method string, params, result any) error {
	b.mu.Lock()
	if b.ended != nil {
		b.mu.Unlock()
		return b.ended
	}
	b.last++
	id, answered := b.last, make(chan answer, 1)
	b.waiting[id] = answered
	b.mu.Unlock()
	defer func() {
		b.mu.Lock()
		delete(b.waiting, id)
		b.mu.Unlock()
	}()
	b.sending.Lock()
	err := websocket.JSON.Send(b.conn, map[string]any{"id": id, "method": method, "params": params})
	b.sending.Unlock()
	if err != nil {
		return err
	}
	select {
	case a := <-answered:
		if a.err != nil || result == nil {
			return a.err
		}
		return json.Unmarshal(a.result, result)
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", method, ctx.Err())
	}
}

// listen passes answers to callers, and events to their tabs, until the connection ends.
func (b *Browser) listen() {
	for {
		var m struct {
			ID             int
			Type, Method   string
			Result, Params json.RawMessage
			Error, Message string
		}
		if err := websocket.JSON.Receive(b.conn, &m); err != nil {
			b.mu.Lock()
			b.ended = fmt.Errorf("the browser is gone: %w", err)
			for _, w := range b.waiting {
				w <- answer{err: b.ended}
			}
			b.waiting = nil
			b.mu.Unlock()
			return
		}
		if m.Type == "event" {
			b.tell(Event{m.Method, m.Params})
			continue
		}
		a := answer{result: m.Result}
		if m.Type != "success" {
			a.err = fmt.Errorf("%s: %s", m.Error, m.Message)
		}
		b.mu.Lock()
		if w, ok := b.waiting[m.ID]; ok {
			w <- a
			delete(b.waiting, m.ID)
		}
		b.mu.Unlock()
	}
}

// tell passes an event to its tab.
func (b *Browser) tell(e Event) {
	var of struct {
		Context string
		Source  struct{ Context string }
	}
	if json.Unmarshal(e.Params, &of) != nil {
		return // of no tab
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if each := b.tabs[of.Context+of.Source.Context]; each != nil {
		each(e)
	}
}

// Tab is a tab of a browser.
type Tab struct {
	*Browser
	id, user string
}

// Open opens a tab, in its own window, because browsers draw only what is visible, and with its own
// cookies and caches. Its events are passed to each, one after the other; each must not use the
// browser.
func (b *Browser) Open(ctx context.Context, each func(Event)) (*Tab, error) {
	var user struct{ UserContext string }
	if err := b.Call(ctx, "browser.createUserContext", map[string]any{}, &user); err != nil {
		return nil, err
	}
	var made struct{ Context string }
	where := map[string]any{"type": "window", "userContext": user.UserContext}
	if err := b.Call(ctx, "browsingContext.create", where, &made); err != nil {
		return nil, err
	}
	b.mu.Lock()
	b.tabs[made.Context] = each
	b.mu.Unlock()
	return &Tab{b, made.Context, user.UserContext}, nil
}

// Close closes the tab. No events follow.
func (t *Tab) Close(ctx context.Context) error {
	t.mu.Lock()
	delete(t.tabs, t.id)
	t.mu.Unlock()
	return t.Call(ctx, "browser.removeUserContext", map[string]any{"userContext": t.user}, nil)
}

// Activate brings the tab to the front, where its page has the focus.
func (t *Tab) Activate(ctx context.Context) error {
	return t.Do(ctx, "browsingContext.activate", nil)
}

// Do sends a command about the tab.
func (t *Tab) Do(ctx context.Context, method string, params map[string]any) error {
	return t.call(ctx, method, params, nil)
}

func (t *Tab) call(ctx context.Context, method string, params map[string]any, result any) error {
	all := map[string]any{"context": t.id}
	for name, v := range params {
		all[name] = v
	}
	return t.Call(ctx, method, all, result)
}

// CDP sends a command of Chromium's own protocol, for functions that BiDi lacks.
func (t *Tab) CDP(ctx context.Context, method string, params map[string]any, result any) error {
	var s struct{ Session string }
	if err := t.call(ctx, "goog:cdp.getSession", nil, &s); err != nil {
		return err
	}
	var answered struct{ Result json.RawMessage }
	err := t.Call(ctx, "goog:cdp.sendCommand", map[string]any{"method": method, "params": params, "session": s.Session}, &answered)
	if err == nil && result != nil {
		err = json.Unmarshal(answered.Result, result)
	}
	return err
}

// Run runs a script in the page.
func (t *Tab) Run(ctx context.Context, script string) error {
	_, err := t.evaluate(ctx, script)
	return err
}

// Preload runs a script in each page that the tab opens from now on, before the page's own.
func (t *Tab) Preload(ctx context.Context, script string) error {
	return t.Call(ctx, "script.addPreloadScript", map[string]any{
		"functionDeclaration": "() => {\n" + script + "\n}", "contexts": []string{t.id},
	}, nil)
}

// Evaluate evaluates an expression, or its promise, and decodes the result into v as JSON.
func (t *Tab) Evaluate(ctx context.Context, expression string, v any) error {
	text, err := t.evaluate(ctx, "(async () => JSON.stringify(await (\n"+expression+"\n)))()")
	if err != nil || text == "" {
		return err
	}
	return json.Unmarshal([]byte(text), v)
}

// evaluate returns the text result of a script, or "".
func (t *Tab) evaluate(ctx context.Context, script string) (string, error) {
	var got struct {
		Type             string
		Result           struct{ Value json.RawMessage }
		ExceptionDetails struct{ Text string }
	}
	call := func() error {
		return t.Call(ctx, "script.evaluate", map[string]any{
			"expression": script, "target": map[string]any{"context": t.id}, "awaitPromise": true,
			"serializationOptions": map[string]any{"maxObjectDepth": 0},
		}, &got)
	}
	err := call()
	// Chromium has not run the script if the page was replaced just before.
	for range 100 {
		if err == nil || !strings.Contains(err.Error(), "Cannot find context with specified id") {
			break
		}
		time.Sleep(20 * time.Millisecond)
		err = call()
	}
	if err == nil && got.Type != "success" {
		err = errors.New(got.ExceptionDetails.Text)
	}
	var text string
	if err == nil && len(got.Result.Value) > 0 && got.Result.Value[0] == '"' {
		err = json.Unmarshal(got.Result.Value, &text)
	}
	return text, err
}

// Navigate opens a URL, and returns when the page is loaded.
func (t *Tab) Navigate(ctx context.Context, address string) error {
	return t.Do(ctx, "browsingContext.navigate", map[string]any{"url": address, "wait": "complete"})
}

// Resize sets the size of the window.
func (t *Tab) Resize(ctx context.Context, width, height int64) error {
	return t.Do(ctx, "browsingContext.setViewport", map[string]any{"viewport": map[string]any{"width": width, "height": height}})
}

// Point moves the pointer to a position in the window, and clicks if click is set.
func (t *Tab) Point(ctx context.Context, x, y float64, click bool) error {
	actions := []map[string]any{{"type": "pointerMove", "x": int(x), "y": int(y)}}
	if click {
		actions = append(actions, map[string]any{"type": "pointerDown", "button": 0}, map[string]any{"type": "pointerUp", "button": 0})
	}
	return t.Do(ctx, "input.performActions", map[string]any{
		"actions": []map[string]any{{"type": "pointer", "id": "mouse", "actions": actions}},
	})
}

// Keys without a character, as WebDriver numbers them.
const (
	TabKey     = "\ue004"
	Enter      = "\ue007"
	ArrowLeft  = "\ue012"
	ArrowRight = "\ue014"
	ArrowDown  = "\ue015"
)

// Type presses keys, one after the other.
func (t *Tab) Type(ctx context.Context, keys string) error {
	var actions []map[string]any
	for _, k := range keys {
		actions = append(actions, map[string]any{"type": "keyDown", "value": string(k)}, map[string]any{"type": "keyUp", "value": string(k)})
	}
	return t.Do(ctx, "input.performActions", map[string]any{
		"actions": []map[string]any{{"type": "key", "id": "keys", "actions": actions}},
	})
}

// Screenshot returns a picture of the visible part, or of the whole page, as PNG.
func (t *Tab) Screenshot(ctx context.Context, whole bool) ([]byte, error) {
	of := "viewport"
	if whole {
		of = "document"
	}
	return t.data(ctx, "browsingContext.captureScreenshot", map[string]any{"origin": of})
}

// Print returns the page on A4 paper, as PDF.
func (t *Tab) Print(ctx context.Context) ([]byte, error) {
	return t.data(ctx, "browsingContext.print", map[string]any{"page": map[string]any{"width": 21.0, "height": 29.7}})
}

func (t *Tab) data(ctx context.Context, method string, params map[string]any) ([]byte, error) {
	var got struct{ Data string }
	if err := t.call(ctx, method, params, &got); err != nil {
		return nil, err
	}
	return base64.StdEncoding.DecodeString(got.Data)
}
