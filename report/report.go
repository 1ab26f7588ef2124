// Package report says what a report is: a pure function of a record. Its folders hold the formats;
// none of them looks at anything but the record, so a stored record can be rendered again years later.
//
//	err := html.Format{}.Write(w, record)
package report

import (
	"io"

	"github.com/understudy-dev/understudy/result"
)

// Format renders a record. Implementations are safe for concurrent use and write the same bytes for
// the same record.
type Format interface {
	Write(w io.Writer, r result.Record) error
}
