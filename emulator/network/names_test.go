package network_test

import (
	"context"
	"encoding/hex"
	"net"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/emulator/network"
)

var address = netip.MustParseAddr("140.82.121.3")

// TestNames asks with Go's own resolver, which is somebody else's reading of the protocol.
func TestNames(t *testing.T) {
	var r refused
	d, _ := secureDoor(t, &r)
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d.AnswerNames(c, address)
	resolver := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var dialer net.Dialer
		return dialer.DialContext(ctx, "udp", c.LocalAddr().String())
	}}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	got, err := resolver.LookupHost(ctx, "api.github.com.")
	if err != nil || !cmp.Equal(got, []string{"140.82.121.3"}) {
		t.Errorf("got %v, %v", got, err)
	}
	if got, err := resolver.LookupIP(ctx, "ip6", "api.github.com."); err == nil {
		t.Errorf("an address of version 6: %v", got)
	}
	if got, err := resolver.LookupHost(ctx, "Example.com."); err == nil || !err.(*net.DNSError).IsNotFound {
		t.Errorf("got %v, %v; want no such host", got, err)
	}
	for _, what := range r.list() {
		if what != "name example.com" {
			t.Errorf("refused %q", what)
		}
	}
	if len(r.list()) == 0 {
		t.Error("nothing was reported")
	}
}

// dnsName asks for the address of api.github.com.
const dnsName = "1234 0100 0001 0000 0000 0000 03617069 06676974687562 03636f6d 00 0001 0001"

// packet is an IPv4 packet with a body.
func packet(proto byte, to string, body []byte) []byte {
	b := make([]byte, 20, 64)
	b[0], b[9] = 0x45, proto
	dst := netip.MustParseAddr(to).As4()
	copy(b[16:], dst[:])
	return append(b, body...)
}

func tcp(to string, port uint16, flags byte) []byte {
	body := make([]byte, 20)
	body[2], body[3], body[13] = byte(port>>8), byte(port), flags
	return packet(6, to, body)
}

func udp(to string, from, port uint16) []byte {
	return packet(17, to, []byte{byte(from >> 8), byte(from), byte(port >> 8), byte(port), 0, 8, 0, 0})
}

func TestAttempted(t *testing.T) {
	for name, tt := range map[string]struct {
		packet []byte
		want   string
	}{
		"a connection":     {tcp("192.0.2.1", 22, 0x02), "TCP 192.0.2.1:22"},
		"its answer":       {tcp("192.0.2.1", 22, 0x12), ""},
		"its refusal":      {tcp("192.0.2.1", 22, 0x14), ""},
		"a datagram":       {udp("192.0.2.1", 4000, 123), "UDP 192.0.2.1:123"},
		"a name's answer":  {udp("8.8.8.8", 53, 4000), ""},
		"ping":             {packet(1, "192.0.2.1", []byte{8, 0, 0, 0, 0, 0, 0, 0}), "ICMP 192.0.2.1"},
		"unreachable":      {packet(1, "192.0.2.1", []byte{3, 3, 0, 0, 0, 0, 0, 0}), ""},
		"loopback":         {tcp("127.0.0.1", 22, 0x02), ""},
		"a later fragment": {append([]byte{0x45, 0, 0, 0, 0, 0, 0, 1}, tcp("192.0.2.1", 22, 2)[8:]...), ""},
		"short":            {tcp("192.0.2.1", 22, 0x02)[:27], ""},
		"version 6":        {append([]byte{0x60}, make([]byte, 60)...), ""},
		"nothing":          {nil, ""},
	} {
		a, ok := network.Attempted(tt.packet)
		if got := a.String(); ok && got != tt.want || !ok && tt.want != "" {
			t.Errorf("%s: got %s, %t; want %q", name, got, ok, tt.want)
		}
	}
}

// TestWatch reports what is not served.
func TestWatch(t *testing.T) {
	r := refused{came: make(chan struct{}, 10)}
	d, _ := secureDoor(t, &r)
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	d.Watch(read, address)
	for _, p := range [][]byte{
		tcp("140.82.121.3", 443, 2), tcp("140.82.121.3", 80, 2), udp("8.8.8.8", 4000, 53), // served
		tcp("140.82.121.3", 22, 2),
	} {
		// A pipe keeps no bounds of packets, as a socket does: one is read before the next comes, as
		// each is as long as what is read at once.
		if _, err := write.Write(append(p, make([]byte, 128-len(p))...)); err != nil {
			t.Fatal(err)
		}
	}
	defer write.Close()
	select {
	case <-r.came:
	case <-time.After(20 * time.Second):
		t.Fatal("nothing was reported")
	}
	if diff := cmp.Diff([]string{"TCP 140.82.121.3:22"}, r.list()); diff != "" {
		t.Errorf("refused (-want +got):\n%s", diff)
	}
}

func FuzzResolve(f *testing.F) {
	seed, err := hex.DecodeString(strings.ReplaceAll(dnsName, " ", ""))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seed)
	f.Add(seed[:20])
	f.Add([]byte("\x00\x00\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\xc0\x0c\x00\x01\x00\x01"))
	d, err := network.New(network.Options{Openings: []network.Opening{{Host: "api.github.com"}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { d.Close(context.Background()) })
	f.Fuzz(func(t *testing.T, message []byte) {
		got := d.Resolve(message, address)
		if got != nil && (len(got) < 12 || got[0] != message[0] || got[1] != message[1] || got[2]&0x80 == 0) {
			t.Errorf("% x is no answer to % x", got, message)
		}
	})
}

func FuzzAttempted(f *testing.F) {
	f.Add(tcp("192.0.2.1", 22, 0x02))
	f.Add(udp("192.0.2.1", 4000, 123))
	f.Fuzz(func(t *testing.T, packet []byte) {
		if a, ok := network.Attempted(packet); ok && (a.Proto == "" || !a.To.Addr().Is4() || a.To.Addr().IsLoopback()) {
			t.Errorf("%+v of % x", a, packet)
		}
	})
}
