package html_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/understudy-dev/understudy/internal/chromium"
	"github.com/understudy-dev/understudy/report/html"
	"github.com/understudy-dev/understudy/result"
)

// browser is a real Chromium.
type browser struct {
	*chromium.Browser
	t *testing.T // who looks at the tab
}

// start gives a browser; where there is none, the test is skipped.
func start(t *testing.T) *browser {
	t.Helper()
	path, err := chromium.Find()
	if err != nil {
		t.Skip("skipped: chromium is not installed, so nobody looked at the page")
	}
	b, err := chromium.Start(context.WithoutCancel(t.Context()), path, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Errorf("chromium: %v", err)
		}
	})
	return &browser{b, t}
}

func (b *browser) check(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// tab gives the test a tab of its own.
func (b *browser) tab(t *testing.T) {
	t.Helper()
	b.t = t
	b.check(b.Tab())
}

// open shows a page of r, from a file, and returns once it is loaded.
func (b *browser) open(r result.Record, hash string) {
	b.t.Helper()
	file := filepath.Join(b.t.TempDir(), "index.html")
	b.check(os.WriteFile(file, []byte(render(b.t, html.Format{}, r)), 0o644))
	b.check(b.Open("file://" + file + hash))
}

func (b *browser) call(method string, params, into any) {
	b.t.Helper()
	b.check(b.Call(method, params, into))
}

func (b *browser) eval(expression string, into any) {
	b.t.Helper()
	b.check(b.Eval(expression, into))
}

func (b *browser) until(expression string) {
	b.t.Helper()
	b.check(b.Until(expression))
}

func (b *browser) key(key string) {
	b.t.Helper()
	b.check(b.Key(key))
}

func (b *browser) is(expression string, want any) {
	b.t.Helper()
	var got any
	b.eval(expression, &got)
	if fmt.Sprint(got) != fmt.Sprint(want) {
		b.t.Errorf("%s is %v, want %v", expression, got, want)
	}
}
