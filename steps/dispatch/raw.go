package dispatch

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/world"
)

// published waits until a file is what was committed, for who asks the forge and for who fetches it
// without any credential, as the platform will.
func published(ctx context.Context, r driver.Repo, f driver.NewFile, url string) error {
	w := world.From(ctx)
	return w.Until(ctx, func(ctx context.Context) error {
		got, err := w.As(admin).Files.Read(ctx, r, "", f.Path)
		if err != nil {
			return err
		}
		if !bytes.Equal(got, f.Content) {
			return fmt.Errorf("%s of %s is still another one: %w", f.Path, r, driver.ErrNotFound)
		}
		if got, err = raw(ctx, url, len(f.Content)+1); err != nil {
			return err
		}
		if !bytes.Equal(got, f.Content) {
			return fmt.Errorf("%s has another text than %s of %s: %w", url, f.Path, r, driver.ErrNotFound)
		}
		return nil
	})
}

// raw fetches no more than so many bytes.
func raw(ctx context.Context, url string, most int) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("raw URL not accessible: %w", err)
	}
	defer res.Body.Close()
	switch res.StatusCode {
	case http.StatusOK:
		return io.ReadAll(io.LimitReader(res.Body, int64(most)))
	case http.StatusNotFound:
		return nil, fmt.Errorf("raw URL not accessible: %s: %w", url, driver.ErrNotFound)
	}
	return nil, fmt.Errorf("raw URL not accessible: %s answers %s", url, res.Status)
}
