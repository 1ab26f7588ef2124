package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"

	"github.com/understudy-dev/understudy/driver/foreground"
	"github.com/understudy-dev/understudy/emulator/network"
)

// The rungs.
const (
	rungAuto  = "auto"
	rungProxy = "proxy"
	rungName  = "name"
)

// execAddress is github.com's in a network of the program's own: one that belongs to GitHub, as some
// programs refuse a host of that name at a private address.
func execAddress() netip.Addr { return netip.AddrFrom4([4]byte{140, 82, 121, 3}) }

// climb starts the program on the highest rung there is, and says which.
func (x *execution) climb(ctx context.Context, door *network.Door, token string) (*foreground.Program, error) {
	why := ""
	switch {
	case x.f.noNamespaces:
		why = "left out by --no-namespaces"
	case x.f.rung == rungProxy:
		why = "left out by --rung proxy"
	default:
		p, err := x.byName(ctx, door, token)
		var refused *foreground.RefusedError
		if err == nil || !errors.As(err, &refused) {
			return p, err
		}
		if x.f.rung == rungName {
			return nil, &hinted{fmt.Errorf("exec: %w", err), "leave out --rung name, or use " + namespacesFrom()}
		}
		why = fmt.Sprintf("%v; it needs %s", err, namespacesFrom())
	}
	x.o.screen.note("understudy: rung proxy: github.com is ours for programs that heed HTTPS_PROXY; others are not held")
	x.o.screen.note("understudy: the next rung, name, is not in use: " + why)
	return foreground.Start(ctx, x.options(x.environment(token, door.URL()), nil))
}

// byName starts the program in a network of its own, which the door serves.
func (x *execution) byName(ctx context.Context, door *network.Door, token string) (*foreground.Program, error) {
	mounts, err := x.mounts()
	if err != nil {
		return nil, err
	}
	p, err := foreground.Start(ctx, x.options(x.environment(token, ""), &foreground.Network{Address: execAddress(), Mounts: mounts}))
	if err != nil {
		return nil, err
	}
	x.o.screen.note("understudy: rung name: github.com is ours, and nothing else exists; there is no higher rung")
	door.Serve(p.HTTPS)
	door.Serve(p.HTTP)
	door.AnswerNames(p.Names, execAddress())
	if p.Packets != nil {
		door.Watch(p.Packets, execAddress())
	}
	return p, nil
}

func (x *execution) options(env []string, n *foreground.Network) foreground.Options {
	return foreground.Options{
		Holder: x.runner, Argv: x.argv, Env: env, Stdin: os.Stdin, Stdout: x.o.Stdout, Stderr: x.o.Stderr, Network: n,
	}
}

// bundles are where systems keep the authorities that programs trust.
func bundles() []string {
	return []string{
		"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem", "/etc/pki/tls/cacert.pem",
		"/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/cert.pem",
	}
}

// resolvers are sockets by which a program would get names from outside its network.
func resolvers() []string {
	return []string{"/run/nscd/socket", "/var/run/nscd/socket", "/run/systemd/resolve/io.systemd.Resolve"}
}

var hostsLine = regexp.MustCompile(`(?m)^[ \t]*hosts:.*$`)

// mounts writes the files that the program sees in the place of the system's, of those that exist.
func (x *execution) mounts() ([]foreground.Mount, error) {
	var out []foreground.Mount
	var errs []error
	show := func(name string, content []byte, places ...string) {
		file := filepath.Join(x.dir.Path, name)
		written := false
		seen := map[string]bool{}
		for _, place := range places {
			real, err := filepath.EvalSymlinks(place)
			if err != nil || seen[real] {
				continue // it does not exist, or under two names
			}
			if !written {
				errs = append(errs, os.WriteFile(file, content, 0o644))
				written = true
			}
			seen[real] = true
			out = append(out, foreground.Mount{File: file, InPlaceOf: real})
		}
	}
	var hosts bytes.Buffer
	hosts.WriteString("127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n")
	if name, err := os.Hostname(); err == nil {
		fmt.Fprintf(&hosts, "127.0.1.1 %s\n", name)
	}
	for _, o := range x.GitHub("") {
		fmt.Fprintf(&hosts, "%s %s\n", execAddress(), o.Host)
	}
	show("hosts", hosts.Bytes(), "/etc/hosts")
	show("resolv.conf", []byte("nameserver 127.0.0.1\noptions timeout:1 attempts:1\n"), "/etc/resolv.conf")
	if names, err := os.ReadFile("/etc/nsswitch.conf"); err == nil {
		show("nsswitch.conf", hostsLine.ReplaceAll(names, []byte("hosts: files dns")), "/etc/nsswitch.conf")
	}
	show("bundle.pem", x.Authority.PEM(), bundles()...)
	show("no-resolver", nil, resolvers()...)
	return out, errors.Join(errs...)
}
