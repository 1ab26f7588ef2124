package network

import (
	"encoding/binary"
	"net/netip"
	"strconv"
)

// Numbers of https://www.iana.org/assignments/protocol-numbers.
const (
	protoICMP = 1
	protoTCP  = 6
	protoUDP  = 17
)

// Attempt is what a program tried to reach.
type Attempt struct {
	Proto string // "TCP", "UDP", "ICMP"
	To    netip.AddrPort
}

// String is "TCP 192.0.2.1:22".
func (a Attempt) String() string {
	if a.Proto == "ICMP" {
		return a.Proto + " " + a.To.Addr().String()
	}
	return a.Proto + " " + a.To.Addr().String() + ":" + strconv.Itoa(int(a.To.Port()))
}

// served reports whether somebody answers for the door there.
func (a Attempt) served(addr netip.Addr) bool {
	if a.Proto == "UDP" {
		return a.To.Port() == 53
	}
	return a.Proto == "TCP" && a.To.Addr() == addr && (a.To.Port() == 80 || a.To.Port() == 443)
}

// Attempted tells what an IPv4 packet is an attempt to reach: the first packet of a TCP connection, a
// UDP datagram or an echo request, to an address that is not the loopback's. Answers are none.
func Attempted(packet []byte) (Attempt, bool) {
	if len(packet) < 20 || packet[0]>>4 != 4 {
		return Attempt{}, false
	}
	head := int(packet[0]&0x0f) * 4
	if head < 20 || len(packet) < head+8 || binary.BigEndian.Uint16(packet[6:])&0x1fff != 0 { // a later fragment
		return Attempt{}, false
	}
	to := netip.AddrFrom4([4]byte(packet[16:20]))
	if to.IsLoopback() || to.IsUnspecified() {
		return Attempt{}, false
	}
	body := packet[head:]
	a := Attempt{To: netip.AddrPortFrom(to, binary.BigEndian.Uint16(body[2:]))}
	switch packet[9] {
	case protoTCP:
		const syn, ack = 0x02, 0x10
		a.Proto = "TCP"
		return a, len(body) >= 14 && body[13]&(syn|ack) == syn
	case protoUDP:
		const names = 53 // who answers a question attempts nothing
		a.Proto = "UDP"
		return a, binary.BigEndian.Uint16(body) != names
	case protoICMP:
		const echo = 8
		a.Proto, a.To = "ICMP", netip.AddrPortFrom(to, 0)
		return a, body[0] == echo
	}
	return Attempt{}, false
}
