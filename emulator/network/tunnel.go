package network

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
)

// tunnels hands connections that are not of the proxy's own port to the server of the hosts.
type tunnels struct {
	addr  net.Addr
	conns chan net.Conn
	once  sync.Once
	ended chan struct{}
}

func newTunnels(addr net.Addr) *tunnels {
	return &tunnels{addr: addr, conns: make(chan net.Conn), ended: make(chan struct{})}
}

// Accept implements net.Listener.
func (t *tunnels) Accept() (net.Conn, error) {
	select {
	case c := <-t.conns:
		return c, nil
	case <-t.ended:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (t *tunnels) Close() error {
	t.once.Do(func() { close(t.ended) })
	return nil
}

// Addr implements net.Listener.
func (t *tunnels) Addr() net.Addr { return t.addr }

// hand gives a connection to the server, or closes it when there is no server any more.
func (t *tunnels) hand(c net.Conn) {
	select {
	case t.conns <- c:
	case <-t.ended:
		c.Close()
	}
}

// connect answers CONNECT: what follows on the connection is TLS or plain HTTP for one of the hosts.
func (d *Door) connect(w http.ResponseWriter, r *http.Request) {
	host, port, err := net.SplitHostPort(r.Host)
	host = strings.ToLower(host)
	switch _, known := d.hosts[host]; {
	case d.o.Authority == nil:
		d.refuse(w, r, http.StatusForbidden, "CONNECT to "+r.Host+" is refused: nothing behind this door speaks TLS")
		return
	case err != nil:
		d.refuse(w, r, http.StatusBadRequest, "CONNECT wants HOST:PORT")
		return
	case !known:
		d.refuse(w, r, http.StatusForbidden, "no host "+host+" behind this door")
		return
	case port != "443" && port != "80":
		d.refuse(w, r, http.StatusForbidden, "port "+port+" of "+host+" is not behind this door")
		return
	}
	raw, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		d.refuse(w, r, http.StatusInternalServerError, "the connection cannot be taken over")
		return
	}
	early, _ := buffered.Reader.Peek(buffered.Reader.Buffered()) // what came with the request already
	if _, err := io.WriteString(raw, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		raw.Close()
		return
	}
	d.tunnels.hand(&spoken{Conn: &prefixed{Conn: raw, first: bytes.Clone(early)}, d: d, by: program(r)})
}

// prefixed is a connection of which something was read already.
type prefixed struct {
	net.Conn
	first []byte
}

// Read implements net.Conn.
func (p *prefixed) Read(b []byte) (int, error) {
	if len(p.first) > 0 {
		n := copy(b, p.first)
		p.first = p.first[n:]
		return n, nil
	}
	return p.Conn.Read(b)
}

// spoken is a connection to one of the hosts. Its first byte tells whether the client speaks TLS.
// Deadlines and Close before that are the raw connection's.
type spoken struct {
	net.Conn
	d  *Door
	by string // the program, where a CONNECT told it

	once  sync.Once
	shown string // the host whose certificate was shown
	asked bool   // something came after the handshake
	mu    sync.Mutex
	in    net.Conn // over Conn; nil until the first byte came
	err   error
}

const tlsHandshake = 0x16 // the first byte of every TLS connection

func (s *spoken) begin() {
	first := make([]byte, 1)
	if _, err := io.ReadFull(s.Conn, first); err != nil {
		s.err = err
		return
	}
	var in net.Conn = &prefixed{Conn: s.Conn, first: first}
	if first[0] == tlsHandshake {
		t := tls.Server(in, &tls.Config{GetCertificate: s.certificate, NextProtos: []string{"http/1.1"}})
		if err := t.Handshake(); err != nil {
			s.err = s.explain(err)
			return
		}
		in = t
	}
	s.mu.Lock()
	s.in = in
	s.mu.Unlock()
}

// certificate gives none for a host that is not behind the door: the client gets "unrecognized name".
func (s *spoken) certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	name := strings.ToLower(hello.ServerName)
	if _, known := s.d.hosts[name]; !known {
		s.d.report(Refusal{What: "TLS " + named(name), By: s.by, Why: "no host " + named(name) + " behind this door"})
		return nil, nil
	}
	s.shown = name
	return s.d.o.Authority.certificate(name)
}

func named(host string) string {
	if host == "" {
		return "without a host's name"
	}
	return host
}

// explain reports a client that turns away from a certificate of ours, by an alert or without a word:
// nothing else would say why it fails.
func (s *spoken) explain(err error) error {
	var alert *net.OpError // which package tls makes of the alerts it gets; they have no type of their own
	told := errors.As(err, &alert) && alert.Op == "remote error" && strings.Contains(alert.Error(), "certificate")
	if s.shown != "" && (told || errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET)) {
		s.d.report(Refusal{What: "TLS " + s.shown + ": the client does not accept our certificate", By: s.by, Why: err.Error()})
	}
	return err
}

func (s *spoken) stream() (net.Conn, error) {
	s.once.Do(s.begin)
	if s.err != nil {
		return nil, s.err
	}
	return s.in, nil
}

// Read implements net.Conn.
func (s *spoken) Read(b []byte) (int, error) {
	in, err := s.stream()
	if err != nil {
		return 0, err
	}
	n, err := in.Read(b)
	if n == 0 && errors.Is(err, io.EOF) && s.shown != "" && !s.asked {
		// Some look at the certificate only now. Others have just changed their mind, so this says what was seen.
		s.d.report(Refusal{What: "TLS " + s.shown + ": the client hung up on seeing our certificate", By: s.by, Why: "it asked for nothing"})
	}
	s.asked = s.asked || n > 0
	return n, err
}

// Write implements net.Conn.
func (s *spoken) Write(b []byte) (int, error) {
	in, err := s.stream()
	if err != nil {
		return 0, err
	}
	return in.Write(b)
}

// Close implements net.Conn.
func (s *spoken) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.in != nil {
		return s.in.Close()
	}
	return s.Conn.Close()
}

// secure reports whether the client speaks TLS.
func (s *spoken) secure() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, yes := s.in.(*tls.Conn)
	return yes
}
