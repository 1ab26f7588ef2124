package foreground

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"

	"github.com/understudy-dev/understudy/internal/jobwire"
)

// connect makes the control socket and returns the holder's end.
func (p *Program) connect() (theirs *os.File, err error) {
	// Between the two calls of a system without SOCK_CLOEXEC another program may be forked, and get the
	// descriptors: ForkLock is for that.
	syscall.ForkLock.RLock()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fds[0])
		syscall.CloseOnExec(fds[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, fmt.Errorf("make the control socket: %w", err)
	}
	ours := os.NewFile(uintptr(fds[0]), "control")
	defer ours.Close()
	theirs = os.NewFile(uintptr(fds[1]), "control")
	c, err := net.FileConn(ours)
	if err != nil {
		theirs.Close()
		return nil, fmt.Errorf("make the control socket: %w", err)
	}
	p.control = c.(*net.UnixConn)
	return theirs, nil
}

// ready reads the first report and the descriptors that come with it.
func (p *Program) ready() error {
	buf, rights := make([]byte, 4096), make([]byte, 256)
	n, m, _, _, err := p.control.ReadMsgUnix(buf, rights)
	if err != nil || n == 0 {
		return errors.Join(errors.New("the holder ended without a report"), err)
	}
	files, err := received(rights[:m])
	defer func() {
		for _, f := range files {
			f.Close() // those that are kept were duplicated
		}
	}()
	if err != nil {
		return err
	}
	p.reports = json.NewDecoder(io.MultiReader(bytes.NewReader(buf[:n]), p.control))
	var first jobwire.Foreground
	if err := p.reports.Decode(&first); err != nil {
		return fmt.Errorf("read the holder's report: %w", err)
	}
	switch {
	case first.NotStarted != "":
		return errors.New(first.NotStarted)
	case !first.Ready || len(first.Sockets) != len(files):
		return fmt.Errorf("the holder's report names %d sockets, and %d came", len(first.Sockets), len(files))
	}
	for i, name := range first.Sockets {
		if files[i], err = p.keep(name, files[i]); err != nil {
			return errors.Join(fmt.Errorf("take over the socket for %s: %w", name, err), p.closeSockets())
		}
	}
	return nil
}

// received turns the descriptors of a message into files.
func received(rights []byte) ([]*os.File, error) {
	if len(rights) == 0 {
		return nil, nil
	}
	messages, err := syscall.ParseSocketControlMessage(rights)
	if err != nil {
		return nil, err
	}
	var files []*os.File
	for i := range messages {
		fds, err := syscall.ParseUnixRights(&messages[i])
		if err != nil {
			return files, err
		}
		for _, fd := range fds {
			syscall.CloseOnExec(fd)
			_ = syscall.SetNonblock(fd, true)
			files = append(files, os.NewFile(uintptr(fd), "socket"))
		}
	}
	return files, nil
}

// keep puts a socket where it belongs, and returns what is left to close.
func (p *Program) keep(name string, f *os.File) (rest *os.File, err error) {
	switch name {
	case jobwire.SocketHTTPS:
		p.HTTPS, err = net.FileListener(f)
	case jobwire.SocketHTTP:
		p.HTTP, err = net.FileListener(f)
	case jobwire.SocketNames:
		p.Names, err = net.FilePacketConn(f)
	case jobwire.SocketPackets:
		p.Packets = f
		return nil, nil
	default:
		err = errors.New("it is not known here")
	}
	return f, err
}

func (p *Program) closeSockets() error {
	var errs []error
	if p.HTTPS != nil {
		errs = append(errs, p.HTTPS.Close())
	}
	if p.HTTP != nil {
		errs = append(errs, p.HTTP.Close())
	}
	if p.Names != nil {
		errs = append(errs, p.Names.Close())
	}
	if p.Packets != nil {
		errs = append(errs, p.Packets.Close())
	}
	return errors.Join(errs...)
}
