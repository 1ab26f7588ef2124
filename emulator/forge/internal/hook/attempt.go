package hook

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
)

// maxAnswer is how much of an answer is read and kept; the rest is not waited for.
const maxAnswer = 64 << 10

// userAgent is that of GitHub's deliverer; receivers look at its beginning.
const userAgent = "GitHub-Hookshot/understudy"

// transport makes one connection for each attempt: none is left behind, and no proxy of the
// environment is asked.
func transport(dial Dial, blind bool) http.RoundTripper {
	return &http.Transport{
		DialContext: dial, TLSClientConfig: &tls.Config{InsecureSkipVerify: blind}, // what insecure_ssl: 1 asks for
		DisableKeepAlives: true, DisableCompression: true, MaxResponseHeaderBytes: maxAnswer,
	}
}

// attempt sends one delivery and tells how it went.
func (d *Deliverer) attempt(x state.Delivery, to state.HookConfig) state.Outcome {
	ctx, cancel := context.WithTimeout(d.ctx, d.o.Timeout)
	defer cancel()
	req, err := request(ctx, x, to)
	if err != nil {
		return failed(err) // the address was checked when it was set
	}
	out := state.Outcome{RequestHeader: flat(req.Header)}
	tr := d.checked
	if to.Insecure {
		tr = d.blind
	}
	began := time.Now()
	res, err := tr.RoundTrip(req)
	if err == nil {
		defer res.Body.Close()
		var body []byte
		body, err = io.ReadAll(io.LimitReader(res.Body, maxAnswer))
		out.ResponseHeader, out.ResponseBody = flat(res.Header), strings.ToValidUTF8(string(body), "\uFFFD")
	}
	out.Duration = time.Since(began)
	if err != nil {
		f := failed(err)
		out.Status, out.Code, out.Result = f.Status, f.Code, f.Result
		return out
	}
	out.Code, out.Status, out.Result = res.StatusCode, "OK", state.Delivered
	if res.StatusCode < 200 || res.StatusCode > 299 {
		out.Status, out.Result = fmt.Sprintf("Invalid HTTP Response: %d", res.StatusCode), state.Misconfigured
	}
	return out
}

// request builds what is sent.
// See https://docs.github.com/en/webhooks/webhook-events-and-payloads#delivery-headers.
func request(ctx context.Context, x state.Delivery, to state.HookConfig) (*http.Request, error) {
	body, kind := []byte(x.Payload), "application/json"
	if to.ContentType == "form" {
		body, kind = []byte("payload="+url.QueryEscape(string(x.Payload))), "application/x-www-form-urlencoded"
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to.URL, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.GetBody = nil // nothing is sent twice
	if u := req.URL.User; u != nil {
		password, _ := u.Password()
		req.SetBasicAuth(u.Username(), password)
	}
	for name, value := range map[string]string{
		"Accept": "*/*", "Content-Type": kind, "User-Agent": userAgent,
		"X-GitHub-Delivery": x.GUID, "X-GitHub-Event": x.Event, "X-GitHub-Hook-ID": strconv.FormatInt(x.HookID, 10),
		"X-GitHub-Hook-Installation-Target-ID":   strconv.FormatInt(x.TargetID, 10),
		"X-GitHub-Hook-Installation-Target-Type": x.TargetType,
	} {
		req.Header[name] = []string{value} // spelled as GitHub does
	}
	if to.Secret != "" {
		req.Header["X-Hub-Signature"] = []string{"sha1=" + sign(sha1.New, to.Secret, body)}
		req.Header["X-Hub-Signature-256"] = []string{"sha256=" + sign(sha256.New, to.Secret, body)}
	}
	return req, nil
}

func sign(algorithm func() hash.Hash, secret string, body []byte) string {
	mac := hmac.New(algorithm, []byte(secret))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

// failed names an attempt that had no whole answer, in GitHub's words where it has some.
// See https://docs.github.com/en/webhooks/testing-and-troubleshooting-webhooks/troubleshooting-webhooks.
func failed(err error) state.Outcome {
	out := state.Outcome{Code: http.StatusBadGateway, Result: state.Unreachable}
	var refused *notHereError
	var cert *tls.CertificateVerificationError
	var name *net.DNSError
	var op *net.OpError
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		out.Code, out.Result, out.Status = http.StatusGatewayTimeout, state.TimedOut, "timed out"
	case errors.As(err, &refused):
		out.Status = "understudy: " + refused.Error()
	case errors.As(err, &cert):
		out.Status = "Peer certificate cannot be authenticated with given CA certificates"
	case errors.As(err, &name):
		out.Status = "failed to connect to host"
	case errors.As(err, &op) && op.Op == "dial":
		out.Status = "failed to connect to network"
	default:
		out.Status = "server aborted the connection"
	}
	return out
}

// flat gives each header one value, as deliveries are shown. Where the receiver's address holds a
// password it is not shown.
func flat(h http.Header) map[string]string {
	out := map[string]string{}
	for name, values := range h {
		out[name] = strings.Join(values, ", ")
		if name == "Authorization" {
			out[name] = "********"
		}
	}
	return out
}
