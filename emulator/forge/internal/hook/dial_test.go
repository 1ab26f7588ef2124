package hook

import (
	"net"
	"net/netip"
	"testing"
)

// FuzzLoopback: whatever a hook's address is, it leads to this machine or nowhere.
func FuzzLoopback(f *testing.F) {
	for _, s := range []string{
		"localhost:80", "LOCALHOST.:80", "hook.localhost:80", "127.0.0.1:80", "127.8.8.8:80", "[::1]:80", "[::ffff:127.0.0.1]:80",
		"[::ffff:10.0.0.1]:80", "0.0.0.0:80", "2130706433:80", "127.1:80", "127.0.0.1.example.com:80", "localhost.example.com:80", "[fe80::1%lo]:80", ":80", "x",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, address string) {
		addrs, err := loopback(address)
		if err == nil && len(addrs) == 0 {
			t.Fatalf("%q: neither address nor error", address)
		}
		for _, a := range addrs {
			host, _, err := net.SplitHostPort(a)
			if err != nil {
				t.Fatalf("%q leads to %q: %v", address, a, err)
			}
			ip, err := netip.ParseAddr(host)
			if err != nil || !ip.Unmap().IsLoopback() {
				t.Fatalf("%q leads to %q", address, a)
			}
		}
	})
}

func TestLoopback(t *testing.T) {
	for address, want := range map[string]bool{
		"localhost:1": true, "a.localhost:1": true, "127.0.0.1:1": true, "[::1]:1": true, "[::ffff:127.0.0.1]:1": true,
		"0.0.0.0:1": false, "10.0.0.1:1": false, "example.com:1": false, "notlocalhost:1": false, "2130706433:1": false,
	} {
		if _, err := loopback(address); (err == nil) != want {
			t.Errorf("%s: %v, want allowed = %v", address, err, want)
		}
	}
}
