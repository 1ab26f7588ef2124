// Package fetch gets the files of harnesses that live elsewhere.
//
//	f := fetch.New(fetch.Options{Policy: fetch.Policy{Hosts: fetch.Hosts()}, Cache: ".crew-cache"})
//	data, err := f.Fetch(ctx, "https://raw.githubusercontent.com/o/r/main/harness/x.yaml#sha256=…")
//
// It goes to the hosts of its policy and nowhere else: it asks for their addresses first, connects to
// one of those, uses no proxy and follows no redirect.
package fetch

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"sync"
	"time"

	"example.com/crew/internal/defect"
)

// The bounds unless told otherwise.
const (
	MaxBytes = 10 << 20
	Timeout  = 30 * time.Second
)

// Options configure a fetcher. The zero value fetches nothing.
type Options struct {
	Policy  Policy
	Covers  func(url string) bool // the allow-list, asked without the fragment; nil covers everything
	Cache   string                // directory of what was fetched with a hash; "" is none
	Audit   io.Writer             // a line of JSON for every call of Fetch; nil is none
	Max     int64                 // bytes of a file; 0 is MaxBytes
	Timeout time.Duration         // of one call; 0 is Timeout

	Resolve func(ctx context.Context, host string) ([]netip.Addr, error)         // nil asks the system
	Dial    func(ctx context.Context, network, address string) (net.Conn, error) // nil is a net.Dialer's
	Roots   *x509.CertPool                                                       // nil are the system's
	Defect  defect.Name
}

// Fetcher fetches files. It is safe for concurrent use.
type Fetcher struct {
	o  Options
	mu sync.Mutex // one line of the audit at a time
}

// New returns a fetcher.
func New(o Options) *Fetcher {
	if o.Max == 0 {
		o.Max = MaxBytes
	}
	if o.Timeout == 0 {
		o.Timeout = Timeout
	}
	if o.Covers == nil {
		o.Covers = func(string) bool { return true }
	}
	if o.Resolve == nil {
		o.Resolve = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	if o.Dial == nil {
		o.Dial = (&net.Dialer{}).DialContext
	}
	return &Fetcher{o: o}
}

// The outcomes in the audit.
const (
	Fetched = "fetched"
	Cached  = "cached"
	Refused = "refused" // by a rule, before or after the file was there
	Failed  = "failed"  // by the network or the host
)

// Entry is one line of the audit. Address is the one that was connected to.
type Entry struct {
	URL     string `json:"url"`
	Outcome string `json:"outcome"`
	Reason  string `json:"reason,omitempty"`
	Address string `json:"address,omitempty"`
	SHA256  string `json:"sha256,omitempty"`
	Bytes   int    `json:"bytes,omitempty"`
}

// refusal is an error that a rule made.
type refusal struct{ error }

func refuse(format string, args ...any) error { return refusal{fmt.Errorf(format, args...)} }

// Fetch returns the file at a URL. With #sha256= it is exactly that content, which may come from the
// cache.
func (f *Fetcher) Fetch(ctx context.Context, url string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, f.o.Timeout)
	defer cancel()
	e := Entry{URL: url}
	data, err := f.fetch(ctx, url, &e)
	if err != nil {
		e.Outcome, e.Reason = Failed, err.Error()
		if _, ok := errors.AsType[refusal](err); ok {
			e.Outcome = Refused
		}
	} else {
		e.Bytes, e.SHA256 = len(data), digest(data)
	}
	if err := errors.Join(err, f.note(e)); err != nil {
		return nil, err
	}
	return data, nil
}

func (f *Fetcher) fetch(ctx context.Context, url string, e *Entry) ([]byte, error) {
	t, err := f.o.Policy.parse(url)
	if err != nil {
		return nil, refuse("URL %q is refused: %w", url, err)
	}
	if !f.o.Covers(t.plain) && f.o.Defect != defect.BaseAllowedAnywhere {
		return nil, refuse("URL %s is not covered by allowed_remote_resources", t.plain)
	}
	if data, ok := f.cached(t); ok {
		e.Outcome = Cached
		return data, nil
	}
	data, err := f.get(ctx, t, e)
	if err != nil {
		return nil, err
	}
	if got := digest(data); t.sum != "" && got != t.sum && f.o.Defect != defect.HashUnchecked {
		return nil, refuse("integrity check failed: expected sha256 %s, got %s", t.sum, got)
	}
	f.keep(t, data)
	e.Outcome = Fetched
	return data, nil
}

func digest(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}

// get asks the host, at an address that was looked at.
func (f *Fetcher) get(ctx context.Context, t target, e *Entry) ([]byte, error) {
	addresses, err := f.addresses(ctx, t)
	if err != nil {
		return nil, err
	}
	transport := &http.Transport{
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			var errs []error
			for _, a := range addresses {
				c, err := f.o.Dial(ctx, network, join(a, t.port()))
				if err == nil {
					return c, nil
				}
				errs = append(errs, err)
			}
			return nil, errors.Join(errs...)
		},
		TLSClientConfig:   &tls.Config{RootCAs: f.o.Roots, MinVersion: tls.VersionTLS12},
		DisableKeepAlives: true, DisableCompression: true, // the bytes are as they were hashed
	}
	defer transport.CloseIdleConnections()
	client := http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(c httptrace.GotConnInfo) { e.Address = c.Conn.RemoteAddr().String() },
	})
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, t.plain, nil)
	if err != nil {
		return nil, err
	}
	res, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if res.StatusCode/100 == 3 {
		return nil, refuse("the host answers %s; redirects are not followed", res.Status)
	}
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the host answers %s", res.Status)
	}
	data, err := io.ReadAll(io.LimitReader(res.Body, f.o.Max+1))
	if err == nil && int64(len(data)) > f.o.Max {
		err = refuse("the file is larger than %d bytes", f.o.Max)
	}
	return data, err
}

// addresses are those of the host. One that is not allowed refuses all: a name that also leads inside
// is not to be trusted.
func (f *Fetcher) addresses(ctx context.Context, t target) (all []netip.Addr, err error) {
	if a, ok := t.literal(); ok {
		all = []netip.Addr{a}
	} else if all, err = f.o.Resolve(ctx, t.url.Hostname()); err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("host %s has no address", t.url.Hostname())
	}
	if t.private {
		return all, nil
	}
	for _, a := range all {
		if err := public(a); err != nil {
			return nil, refuse("host %s is refused: %w", t.url.Hostname(), err)
		}
	}
	return all, nil
}

func (f *Fetcher) note(e Entry) error {
	if f.o.Audit == nil {
		return nil
	}
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, err := f.o.Audit.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("write the fetch audit: %w", err)
	}
	return nil
}
