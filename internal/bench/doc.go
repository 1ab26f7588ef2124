// Package bench measures the figures that the project promises, each beside a peer in the same run.
//
//	make bench
//	BENCH_EMULATE=DIR make bench   # DIR is where npm installed emulate@0.12.2
//
// Nothing here passes or fails by a clock: a machine may be busy. A figure is processor time of a
// named process with the children it waited for, a ratio, allocations or memory; wall time is shown
// where it is what a person waits for.
package bench
