package ledger

// Yielded is how much work waits for its turn.
func (l *Ledger) Yielded() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.yielded)
}
