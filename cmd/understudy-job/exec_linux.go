package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/understudy-dev/understudy/internal/jobwire"
)

// enter makes the network in which every IPv4 address is this machine: the hosts' address answers at
// the ports of HTTP, port 53 of all addresses answers questions for names, everything else is refused at
// once. The sockets belong to this network wherever their descriptors go.
func (f *foreground) enter() ([]socket, error) {
	if err := loopbackUp(); err != nil {
		return nil, fmt.Errorf("bring the loopback interface up: %w", err)
	}
	if err := everyAddressIsLocal(); err != nil {
		return nil, fmt.Errorf("route every address here: %w", err)
	}
	// What answers a ping would seem to be reached. Where /proc is not ours it does.
	_ = os.WriteFile("/proc/sys/net/ipv4/icmp_echo_ignore_all", []byte("1"), 0)
	sockets, err := f.sockets()
	if err != nil {
		return nil, err
	}
	return sockets, f.mount()
}

func (f *foreground) sockets() ([]socket, error) {
	var out []socket
	for _, s := range []struct {
		name, network, port string
	}{{jobwire.SocketHTTPS, "tcp4", "443"}, {jobwire.SocketHTTP, "tcp4", "80"}, {jobwire.SocketNames, "udp4", "53"}} {
		file, err := bound(s.network, f.address.String(), s.port)
		if err != nil {
			return nil, fmt.Errorf("listen for %s: %w", s.name, err)
		}
		out = append(out, socket{s.name, file})
	}
	// Without the right to see packets, attempts to reach bare addresses fail without being named.
	if fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, int(bigEndian(unix.ETH_P_IP))); err == nil {
		out = append(out, socket{jobwire.SocketPackets, os.NewFile(uintptr(fd), "packets")})
	}
	return out, nil
}

// bigEndian is a number as the network wants it, in a number of this machine.
func bigEndian(n uint16) uint16 {
	var b [2]byte
	binary.BigEndian.PutUint16(b[:], n)
	return binary.NativeEndian.Uint16(b[:])
}

func bound(network, address, port string) (*os.File, error) {
	if network == "udp4" {
		c, err := net.ListenPacket(network, ":"+port)
		if err != nil {
			return nil, err
		}
		defer c.Close()
		return c.(*net.UDPConn).File()
	}
	l, err := net.Listen(network, net.JoinHostPort(address, port))
	if err != nil {
		return nil, err
	}
	defer l.Close()
	return l.(*net.TCPListener).File()
}

// loopbackUp also makes sure that the network is a new one: in one that somebody uses lo is up, and what
// comes next would cut all of its programs off.
func loopbackUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	ifr, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	if err := unix.IoctlIfreq(fd, unix.SIOCGIFFLAGS, ifr); err != nil {
		return err
	}
	if ifr.Uint16()&unix.IFF_UP != 0 {
		return errors.New("this is no new network: it is up already")
	}
	ifr.SetUint16(ifr.Uint16() | unix.IFF_UP)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, ifr)
}

// everyAddressIsLocal is "ip route add local 0.0.0.0/0 dev lo table local": see rtnetlink(7).
func everyAddressIsLocal() error {
	lo, err := net.InterfaceByName("lo")
	if err != nil {
		return err
	}
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_ROUTE)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	msg := struct {
		unix.NlMsghdr
		unix.RtMsg
		unix.RtAttr
		index uint32
	}{
		unix.NlMsghdr{Type: unix.RTM_NEWROUTE, Flags: unix.NLM_F_REQUEST | unix.NLM_F_ACK | unix.NLM_F_CREATE | unix.NLM_F_EXCL, Seq: 1},
		unix.RtMsg{Family: unix.AF_INET, Table: unix.RT_TABLE_LOCAL, Protocol: unix.RTPROT_BOOT, Scope: unix.RT_SCOPE_HOST, Type: unix.RTN_LOCAL},
		unix.RtAttr{Len: unix.SizeofRtAttr + 4, Type: unix.RTA_OIF},
		uint32(lo.Index),
	}
	msg.NlMsghdr.Len = uint32(unsafe.Sizeof(msg))
	if err := unix.Sendto(fd, unsafe.Slice((*byte)(unsafe.Pointer(&msg)), unsafe.Sizeof(msg)), 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return err
	}
	reply := make([]byte, 4096)
	n, _, err := unix.Recvfrom(fd, reply, 0)
	if err != nil {
		return err
	}
	if n < unix.SizeofNlMsghdr+4 || binary.NativeEndian.Uint16(reply[4:]) != unix.NLMSG_ERROR {
		return errors.New("the kernel's answer is not understood")
	}
	if code := int32(binary.NativeEndian.Uint32(reply[unix.SizeofNlMsghdr:])); code != 0 {
		return syscall.Errno(-code)
	}
	return nil
}

// mount shows files in the place of others, to this mount namespace alone.
func (f *foreground) mount() error {
	if err := unix.Mount("", "/", "", unix.MS_PRIVATE|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("make mounts private: %w", err)
	}
	for _, m := range f.mounts {
		to, err := filepath.EvalSymlinks(m.to)
		if err != nil {
			return fmt.Errorf("mount in the place of %s: %w", m.to, err)
		}
		if err := unix.Mount(m.from, to, "", unix.MS_BIND, ""); err != nil {
			return fmt.Errorf("mount in the place of %s: %w", m.to, err)
		}
	}
	return nil
}

// dropPrivileges takes from this thread, and so from the program that it starts, what an ordinary
// user's namespaces gave to this process. Root keeps what root has.
func dropPrivileges() {
	_ = unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
}

// ownDeath ends the program with this process, as ownSession does, in the session that it is in.
func ownDeath() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
