package main

import (
	"os"
	"syscall"
	"time"
)

// passed are the signals that a program may want to get.
func passed() []os.Signal {
	return []os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGUSR2}
}

// together is how far apart two processes of a group may learn of a signal to the group.
const together = 100 * time.Millisecond

// passOn passes on what the kit was sent, unless this process was sent it too: then it went to the
// whole group, as a terminal's interrupt does, and the program has got it already.
func passOn(pid int, own <-chan os.Signal, told <-chan syscall.Signal) {
	seen := map[syscall.Signal]int{} // own signals that the kit has not told of
	late := make(chan syscall.Signal, 64)
	for {
		select {
		case s := <-own:
			seen[s.(syscall.Signal)]++
		case s := <-told:
			if seen[s] > 0 {
				seen[s]--
				break
			}
			time.AfterFunc(together, func() { late <- s })
		case s := <-late:
			if seen[s] > 0 {
				seen[s]--
				break
			}
			_ = syscall.Kill(pid, s)
		}
	}
}
