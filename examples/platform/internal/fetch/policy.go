package fetch

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Hosts are what crew fetches from unless told otherwise.
func Hosts() []string { return []string{"github.com", "raw.githubusercontent.com"} }

// Policy says where something may be fetched from at all. The zero value allows nothing.
type Policy struct {
	// Hosts are reached by https on port 443, and only at public addresses.
	Hosts []string
	// Forge is the address of the forge that the job belongs to, such as https://forge.example. Its raw
	// files, which a forge of one's own has below /raw/, may be fetched with its scheme, at its port and
	// wherever it is. Plain http is for a loopback address alone. "" is none.
	Forge string
}

// target is a URL that the policy allows.
type target struct {
	url     *url.URL
	plain   string // without the fragment
	sum     string // of the content, in hexadecimal digits; "" is not said
	private bool   // any address will do
}

var sum = regexp.MustCompile(`^sha256=[0-9a-f]{64}$`)

// parse reads a URL. What programs read differently from one another is refused.
func (p Policy) parse(text string) (target, error) {
	plain, fragment, hashed := strings.Cut(text, "#")
	t := target{plain: plain}
	if hashed {
		if !sum.MatchString(fragment) {
			return t, errors.New("what follows # must be sha256= and 64 hexadecimal digits")
		}
		t.sum = strings.TrimPrefix(fragment, "sha256=")
	}
	if strings.Contains(strings.ToLower(plain), "%25") {
		return t, errors.New("a percent sign is escaped in it")
	}
	if strings.ContainsFunc(plain, func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '\\' || r == '?' }) {
		return t, errors.New("it holds a query, a backslash, white space or letters beyond ASCII")
	}
	u, err := url.Parse(plain)
	if err != nil {
		return t, errors.New("it is no URL")
	}
	t.url = u
	switch {
	case u.User != nil:
		return t, errors.New("it holds a user name")
	case u.Host == "" || u.Opaque != "" || u.Path == "" || strings.HasSuffix(u.Path, "/"):
		return t, errors.New("it names no file of a host")
	case path.Clean(u.Path) != u.Path || strings.ContainsRune(u.Path, 0):
		return t, errors.New("its path is not a plain one")
	}
	return t, p.allow(&t)
}

// allow says why the target is none of the policy's.
func (p Policy) allow(t *target) error {
	u := t.url
	if p.Forge != "" {
		f, err := origin(p.Forge)
		if err == nil && !slices.Contains(p.Hosts, strings.ToLower(f.Host)) &&
			u.Scheme == f.Scheme && strings.EqualFold(u.Host, f.Host) && strings.HasPrefix(u.EscapedPath(), "/raw/") {
			t.private = true
			return nil
		}
	}
	host := strings.ToLower(u.Hostname())
	switch {
	case u.Scheme != "https":
		return fmt.Errorf("its scheme is %q; only https is allowed", u.Scheme)
	case !slices.Contains(p.Hosts, host):
		return fmt.Errorf("host %s is not allowed; allowed are %s", host, strings.Join(p.Hosts, ", "))
	case u.Host != u.Hostname() && u.Port() != "443":
		return fmt.Errorf("port %q is not allowed; only 443 is", u.Port())
	}
	return nil
}

// origin reads the forge's address. Plain http is for a loopback address, given as such.
func origin(forge string) (*url.URL, error) {
	u, err := url.Parse(forge)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("forge %q: it is no address", forge)
	}
	a, err := netip.ParseAddr(u.Hostname())
	if u.Scheme != "https" && (u.Scheme != "http" || err != nil || !a.IsLoopback()) {
		return nil, fmt.Errorf("forge %q: must be https, or http at a loopback address", forge)
	}
	return u, nil
}

// reserved are the ranges that are nobody's on the internet and that netip has no word for.
// https://www.iana.org/assignments/iana-ipv4-special-registry and …/iana-ipv6-special-registry
func reserved() []netip.Prefix {
	var all []netip.Prefix
	for _, p := range []string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
		"64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16",
	} {
		all = append(all, netip.MustParsePrefix(p))
	}
	return all
}

// public says why an address is not one on the internet.
func public(a netip.Addr) error {
	a = a.Unmap().WithZone("")
	if !a.IsGlobalUnicast() || a.IsPrivate() || slices.ContainsFunc(reserved(), func(p netip.Prefix) bool { return p.Contains(a) }) {
		return fmt.Errorf("address %s is not a public one", a)
	}
	return nil
}

// port is where the target is reached.
func (t target) port() string {
	if p := t.url.Port(); p != "" {
		return p
	}
	if t.url.Scheme == "http" {
		return "80"
	}
	return "443"
}

// literal is the address that the host is, if it is one.
func (t target) literal() (netip.Addr, bool) {
	a, err := netip.ParseAddr(t.url.Hostname())
	return a, err == nil
}

func join(a netip.Addr, port string) string { return net.JoinHostPort(a.String(), port) }
