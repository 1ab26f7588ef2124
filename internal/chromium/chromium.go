// Package chromium drives a headless Chromium over a pipe; there is no port. It is for tests that look
// at a page, and for the pictures of the documentation.
package chromium

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// ErrDialog says that a page opened a dialog, which none of ours does: somebody else's script ran.
var ErrDialog = errors.New("the page opened a dialog")

// Browser is one running Chromium. It belongs to one goroutine.
type Browser struct {
	cmd     *exec.Cmd
	to      *os.File
	from    *os.File
	read    *bufio.Reader
	session string
	id      int
	console []string
}

// Find returns the path of a Chromium, or exec.ErrNotFound.
func Find() (string, error) { return exec.LookPath("chromium") }

// Start starts the program at path, with dir, which is empty, for its files. The caller closes it.
func Start(ctx context.Context, path, dir string) (*Browser, error) {
	hear, to, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	from, say, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, hear.Close(), to.Close())
	}
	cmd := exec.CommandContext(ctx, path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
		"--hide-scrollbars", "--no-proxy-server", "--user-data-dir="+dir, "--window-size=1200,1600", "--remote-debugging-pipe")
	cmd.ExtraFiles = []*os.File{hear, say} // 3 and 4
	cmd.Stderr = io.Discard                // a pipe, so that Wait waits for all of its processes
	cmd.WaitDelay = 10 * time.Second
	err = cmd.Start()
	err = errors.Join(err, hear.Close(), say.Close())
	if err != nil {
		return nil, errors.Join(err, to.Close(), from.Close())
	}
	return &Browser{cmd: cmd, to: to, from: from, read: bufio.NewReader(from)}, nil
}

// Close ends the program and waits for it.
func (b *Browser) Close() error {
	_ = b.send("Browser.close", nil) // when it is gone already, Wait tells
	b.to.Close()
	err := b.cmd.Wait()
	b.from.Close()
	return err
}

// Tab opens a tab of its own for what follows.
func (b *Browser) Tab() error {
	b.session, b.console = "", nil
	var target struct{ TargetID string }
	if err := b.Call("Target.createTarget", map[string]any{"url": "about:blank"}, &target); err != nil {
		return err
	}
	var attached struct{ SessionID string }
	if err := b.Call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached); err != nil {
		return err
	}
	b.session = attached.SessionID
	return errors.Join(b.Call("Page.enable", nil, nil), b.Call("Log.enable", nil, nil), b.Call("Runtime.enable", nil, nil))
}

func (b *Browser) send(method string, params any) error {
	b.id++
	m := map[string]any{"id": b.id, "method": method}
	if params != nil {
		m["params"] = params
	}
	if b.session != "" && !strings.HasPrefix(method, "Browser.") {
		m["sessionId"] = b.session
	}
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = b.to.Write(append(text, 0))
	return err
}

// message is an answer when it has an ID, else an event.
type message struct {
	ID     int
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *struct{ Message string }
}

// Call calls a method of the DevTools protocol; into may be nil.
// https://chromedevtools.github.io/devtools-protocol/
func (b *Browser) Call(method string, params, into any) error {
	if err := b.send(method, params); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	for want := b.id; ; {
		text, err := b.read.ReadBytes(0)
		if err != nil {
			return fmt.Errorf("read from the browser: %w", err)
		}
		var m message
		if err := json.Unmarshal(text[:len(text)-1], &m); err != nil {
			return fmt.Errorf("%s: %w", text, err)
		}
		switch {
		case m.Method == "Page.javascriptDialogOpening":
			return ErrDialog
		case m.Method == "Log.entryAdded" || m.Method == "Runtime.exceptionThrown":
			b.console = append(b.console, string(m.Params))
		case m.ID == want && m.Error != nil:
			return fmt.Errorf("%s: %s", method, m.Error.Message)
		case m.ID == want && into != nil:
			return json.Unmarshal(m.Result, into)
		case m.ID == want:
			return nil
		}
	}
}

// Complaints returns what the browser complained about in this tab so far: exceptions, refused loads.
func (b *Browser) Complaints() []string { return b.console }

// Open shows an address and returns once it is loaded.
func (b *Browser) Open(url string) error {
	var went struct{ ErrorText string }
	if err := b.Call("Page.navigate", map[string]any{"url": url}, &went); err != nil {
		return err
	}
	if went.ErrorText != "" {
		return fmt.Errorf("open %s: %s", url, went.ErrorText)
	}
	return b.Eval(`new Promise((done) => document.readyState === "complete" ? done() : addEventListener("load", () => done()))`, nil)
}

// Eval gives what an expression comes to, awaited; into may be nil.
func (b *Browser) Eval(expression string, into any) error {
	var got struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct{ Exception struct{ Description string } }
	}
	err := b.Call("Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true}, &got)
	if err != nil {
		return err
	}
	if got.ExceptionDetails != nil {
		return fmt.Errorf("%s: %s", expression, got.ExceptionDetails.Exception.Description)
	}
	if into != nil && got.Result.Value != nil {
		return json.Unmarshal(got.Result.Value, into)
	}
	return nil
}

// Until waits for a change of the page after which the expression is true, also on the page that this
// one leads to.
func (b *Browser) Until(expression string) error {
	wait := fmt.Sprintf(`new Promise((done, fail) => {
		const look = () => { if (%s) { watch.disconnect(); removeEventListener("focusin", look); done(); } };
		const watch = new MutationObserver(look);
		watch.observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
		addEventListener("focusin", look);
		setTimeout(() => fail(new Error("not within 20 s: " + %q)), 20000);
		look();
	})`, expression, expression)
	err := b.Eval(wait, nil)
	for left := 0; left < 3 && err != nil && strings.Contains(err.Error(), "navigated"); left++ {
		err = b.Eval(wait, nil)
	}
	return err
}

// Key presses a key.
func (b *Browser) Key(key string) error {
	press := map[string]any{"type": "keyDown", "key": key}
	if len(key) == 1 {
		press["text"] = key
	}
	if err := b.Call("Input.dispatchKeyEvent", press, nil); err != nil {
		return err
	}
	return b.Call("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": key}, nil)
}

// View is how a page is looked at.
type View struct {
	Width, Height int
	Scheme        string // light, dark; "" is the browser's
}

// Look sets how pages are looked at from now on in this tab.
func (b *Browser) Look(v View) error {
	err := b.Call("Emulation.setDeviceMetricsOverride", map[string]any{"width": v.Width, "height": v.Height, "deviceScaleFactor": 1, "mobile": false}, nil)
	return errors.Join(err, b.Call("Emulation.setEmulatedMedia",
		map[string]any{"features": []any{map[string]any{"name": "prefers-color-scheme", "value": v.Scheme}}}, nil))
}

// Picture returns what can be seen of the page, as PNG.
func (b *Browser) Picture() ([]byte, error) {
	var shot struct{ Data string }
	if err := b.Call("Page.captureScreenshot", map[string]any{"format": "png"}, &shot); err != nil {
		return nil, err
	}
	return base64.StdEncoding.DecodeString(shot.Data)
}
