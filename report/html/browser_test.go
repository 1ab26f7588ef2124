package html_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/understudy-dev/understudy/report/html"
	"github.com/understudy-dev/understudy/result"
)

// browser is a real Chromium that is driven over a pipe; there is no port.
type browser struct {
	t       *testing.T // who looks at the tab
	to      *os.File
	from    *bufio.Reader
	session string
	id      int
}

// start gives a browser; where there is none, the test is skipped.
func start(t *testing.T) *browser {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("skipped: chromium is not installed, so nobody looked at the page")
	}
	hear, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	from, say, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
		"--user-data-dir="+t.TempDir(), "--window-size=1200,1600", "--remote-debugging-pipe")
	cmd.ExtraFiles = []*os.File{hear, say} // 3 and 4
	cmd.Stderr = io.Discard                // a pipe, so that Wait waits for all of its processes
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	hear.Close()
	say.Close()
	b := &browser{t: t, to: to, from: bufio.NewReader(from)}
	t.Cleanup(func() {
		_ = b.send("Browser.close", nil) // when it is gone already, Wait tells
		to.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("chromium: %v", err)
		}
		from.Close()
	})
	return b
}

// tab gives the test a tab of its own.
func (b *browser) tab(t *testing.T) {
	t.Helper()
	b.t, b.session = t, ""
	var target struct{ TargetID string }
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	b.session = attached.SessionID
	b.call("Page.enable", nil, nil)
}

func (b *browser) send(method string, params any) error {
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
	Result json.RawMessage
	Error  *struct{ Message string }
}

func (b *browser) read() message {
	b.t.Helper()
	text, err := b.from.ReadBytes(0)
	if err != nil {
		b.t.Fatalf("read from the browser: %v", err)
	}
	var m message
	if err := json.Unmarshal(text[:len(text)-1], &m); err != nil {
		b.t.Fatalf("%s: %v", text, err)
	}
	return m
}

func (b *browser) call(method string, params, into any) {
	b.t.Helper()
	if err := b.send(method, params); err != nil {
		b.t.Fatalf("%s: %v", method, err)
	}
	for want := b.id; ; {
		m := b.read()
		if m.Method == "Page.javascriptDialogOpening" {
			b.t.Fatal("the page opened a dialog")
		}
		if m.ID != want {
			continue
		}
		if m.Error != nil {
			b.t.Fatalf("%s: %s", method, m.Error.Message)
		}
		if into != nil {
			if err := json.Unmarshal(m.Result, into); err != nil {
				b.t.Fatalf("%s: %v", method, err)
			}
		}
		return
	}
}

// open shows a page of r, from a file, and returns once it is loaded.
func (b *browser) open(r result.Record, hash string) {
	b.t.Helper()
	file := filepath.Join(b.t.TempDir(), "index.html")
	if err := os.WriteFile(file, []byte(render(b.t, html.Format{}, r)), 0o644); err != nil {
		b.t.Fatal(err)
	}
	b.call("Page.navigate", map[string]any{"url": "file://" + file + hash}, nil)
	b.eval(`new Promise((done) => document.readyState === "complete" ? done() : addEventListener("load", () => done()))`, nil)
}

// eval gives what the expression comes to, awaited.
func (b *browser) eval(expression string, into any) {
	b.t.Helper()
	var got struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct{ Exception struct{ Description string } }
	}
	b.call("Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true}, &got)
	if got.ExceptionDetails != nil {
		b.t.Fatalf("%s: %s", expression, got.ExceptionDetails.Exception.Description)
	}
	if into != nil && got.Result.Value != nil {
		if err := json.Unmarshal(got.Result.Value, into); err != nil {
			b.t.Fatalf("%s: %v", expression, err)
		}
	}
}

// until waits for a change of the page after which the expression is true.
func (b *browser) until(expression string) {
	b.t.Helper()
	b.eval(fmt.Sprintf(`new Promise((done, fail) => {
		const look = () => { if (%s) { watch.disconnect(); removeEventListener("focusin", look); done(); } };
		const watch = new MutationObserver(look);
		watch.observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
		addEventListener("focusin", look);
		setTimeout(() => fail(new Error("not within 20 s: " + %q)), 20000);
		look();
	})`, expression, expression), nil)
}

func (b *browser) key(key string) {
	b.t.Helper()
	press := map[string]any{"type": "keyDown", "key": key}
	if len(key) == 1 {
		press["text"] = key
	}
	b.call("Input.dispatchKeyEvent", press, nil)
	b.call("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": key}, nil)
}

func (b *browser) is(expression string, want any) {
	b.t.Helper()
	var got any
	b.eval(expression, &got)
	if fmt.Sprint(got) != fmt.Sprint(want) {
		b.t.Errorf("%s is %v, want %v", expression, got, want)
	}
}
