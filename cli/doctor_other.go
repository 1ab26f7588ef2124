//go:build !linux

package cli

import (
	"context"
	"errors"
)

func (m machine) tryKind(context.Context, kind, string) error {
	return errors.New("there are namespaces on Linux alone")
}
