package hook

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strings"
)

// notHereError refuses a receiver that is not on this machine.
type notHereError struct{ host string }

// Error implements error.
func (e *notHereError) Error() string {
	return fmt.Sprintf("not delivered: %s is not a loopback address, and deliveries do not leave this machine", e.host)
}

// dialLoopback connects to receivers on this machine only. No name is looked up but localhost,
// which is 127.0.0.1 or ::1 whatever a resolver says.
func dialLoopback(ctx context.Context, network, address string) (net.Conn, error) {
	addrs, err := loopback(address)
	if err != nil {
		return nil, err
	}
	var conn net.Conn
	for _, a := range addrs {
		if conn, err = new(net.Dialer).DialContext(ctx, network, a); err == nil {
			return conn, nil
		}
	}
	return nil, err
}

// loopback returns the addresses to try for a host and port.
func loopback(address string) ([]string, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if name := strings.TrimSuffix(strings.ToLower(host), "."); name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return []string{net.JoinHostPort("127.0.0.1", port), net.JoinHostPort("::1", port)}, nil
	}
	ip, err := netip.ParseAddr(host)
	if err != nil || !ip.Unmap().IsLoopback() {
		return nil, &notHereError{host}
	}
	return []string{net.JoinHostPort(ip.String(), port)}, nil
}
