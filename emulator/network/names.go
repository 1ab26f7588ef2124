package network

import (
	"encoding/binary"
	"net"
	"net/netip"
	"os"
	"strings"
)

// Sizes and codes of DNS messages: https://www.rfc-editor.org/rfc/rfc1035 section 4.
const (
	dnsHeader  = 12
	dnsMessage = 512 // the largest one over UDP
	dnsAnswer  = 1 << 15
	dnsKept    = 0x7900 // of the flags of a question: opcode and whether recursion is desired
	dnsRecurse = 1 << 7
	dnsTTL     = 60

	dnsNoError     = 0
	dnsFormatError = 1
	dnsNoSuchName  = 3
	dnsNotDone     = 4

	dnsTypeA     = 1
	dnsClassINet = 1
)

// Serve answers for the hosts on l, to clients that believe to reach them: TLS or plain HTTP, as the
// client begins. Close ends it and closes l.
func (d *Door) Serve(l net.Listener) {
	d.keep(l, func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			d.tunnels.hand(&spoken{Conn: c, d: d})
		}
	})
}

// AnswerNames answers DNS questions on c: the hosts are at addr, no other name exists. Close ends it
// and closes c.
func (d *Door) AnswerNames(c net.PacketConn, addr netip.Addr) {
	d.keep(c, func() {
		buf := make([]byte, dnsMessage)
		for {
			n, from, err := c.ReadFrom(buf)
			if err != nil {
				return
			}
			if answer := d.Resolve(buf[:n], addr); answer != nil {
				_, _ = c.WriteTo(answer, from) // who asks and does not wait gets no answer
			}
		}
	})
}

// Watch reports the attempts among the IP packets that f gives, one with each read, except those to
// addr at the ports of HTTP. Close ends it and closes f.
func (d *Door) Watch(f *os.File, addr netip.Addr) {
	d.keep(f, func() {
		buf := make([]byte, 128)
		for {
			n, err := f.Read(buf)
			if err != nil {
				return
			}
			if a, ok := Attempted(buf[:n]); ok && !a.served(addr) {
				d.report(Refusal{What: a.String(), Why: "there is no such host here"})
			}
		}
	})
}

// keep runs serve until c is closed.
func (d *Door) keep(c interface{ Close() error }, serve func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		c.Close()
		return
	}
	d.closers = append(d.closers, c)
	d.done.Go(serve)
}

// Resolve answers one DNS message: the hosts are at addr, and no other name exists, which is reported.
// It returns nil for what is no question.
func (d *Door) Resolve(message []byte, addr netip.Addr) []byte {
	if len(message) < dnsHeader || message[2]&0x80 != 0 {
		return nil
	}
	flags := binary.BigEndian.Uint16(message[2:])
	head := append([]byte(nil), message[:dnsHeader]...)
	reply := func(code uint16, questions, answers uint16) []byte {
		binary.BigEndian.PutUint16(head[2:], dnsAnswer|flags&dnsKept|dnsRecurse|code)
		binary.BigEndian.PutUint16(head[4:], questions)
		binary.BigEndian.PutUint16(head[6:], answers)
		copy(head[8:], []byte{0, 0, 0, 0})
		return head
	}
	if flags&0x7800 != 0 {
		return reply(dnsNotDone, 0, 0)
	}
	if binary.BigEndian.Uint16(message[4:]) != 1 {
		return reply(dnsFormatError, 0, 0)
	}
	name, rest, ok := question(message[dnsHeader:])
	if !ok || len(rest) < 4 {
		return reply(dnsFormatError, 0, 0)
	}
	end := len(message) - len(rest) + 4
	asked := message[dnsHeader:end]
	kind, class := binary.BigEndian.Uint16(rest), binary.BigEndian.Uint16(rest[2:])
	if _, known := d.hosts[name]; !known {
		d.report(Refusal{What: "name " + name, Why: "no host " + name + " behind this door"})
		return append(reply(dnsNoSuchName, 1, 0), asked...)
	}
	if kind != dnsTypeA || class != dnsClassINet || !addr.Is4() {
		return append(reply(dnsNoError, 1, 0), asked...) // the name exists, and has nothing of that kind
	}
	out := append(reply(dnsNoError, 1, 1), asked...)
	out = append(out, 0xc0, dnsHeader, 0, dnsTypeA, 0, dnsClassINet, 0, 0, 0, dnsTTL, 0, 4)
	return append(out, addr.AsSlice()...)
}

// question reads a name and returns what follows it. Bytes that are not of a host's name are shown as "?".
func question(b []byte) (name string, rest []byte, ok bool) {
	var labels []string
	for total := 0; ; {
		if len(b) == 0 {
			return "", nil, false
		}
		n := int(b[0])
		if n == 0 {
			return strings.Join(labels, "."), b[1:], true
		}
		if total += n + 1; n > 63 || total > 254 || len(b) <= n {
			return "", nil, false // a pointer has nothing to point at in a question
		}
		labels = append(labels, strings.ToLower(strings.Map(hostByte, string(b[1:1+n]))))
		b = b[1+n:]
	}
}

func hostByte(r rune) rune {
	if r > ' ' && r < 0x7f && r != '.' {
		return r
	}
	return '?'
}
