package state

import (
	"net/url"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// HookConfig says where and how a hook delivers.
type HookConfig struct {
	URL         string
	ContentType string // json, form
	Secret      string // "" signs nothing
	Insecure    bool   // the receiver's certificate is not checked
}

// HookConfigEdit changes what is not nil.
type HookConfigEdit struct {
	URL         *string
	ContentType *string
	Secret      *string
	Insecure    *bool
}

func (c *HookConfig) apply(e HookConfigEdit) error {
	invalid := func(field, message string) error {
		return wire.Invalid(wire.FieldError{Resource: "Hook", Field: field, Code: "custom", Message: message})
	}
	next := *c
	if e.URL != nil {
		next.URL = *e.URL
	}
	if next.URL == "" {
		return wire.Invalid(wire.FieldError{Resource: "Hook", Field: "url", Code: "missing_field"})
	}
	if u, err := url.Parse(next.URL); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return invalid("url", "url is invalid: want http or https and a host")
	}
	if e.ContentType != nil {
		next.ContentType = *e.ContentType
	}
	if next.ContentType == "" {
		next.ContentType = "form"
	}
	if next.ContentType != "json" && next.ContentType != "form" {
		return invalid("content_type", "content_type is invalid: want json or form")
	}
	if e.Secret != nil {
		if *e.Secret == wire.SecretMask {
			return wire.Unsupported("config.secret " + wire.SecretMask + ": that is how a secret is shown; give the secret itself")
		}
		next.Secret = *e.Secret
	}
	if e.Insecure != nil {
		next.Insecure = *e.Insecure
	}
	*c = next
	return nil
}

func (c HookConfig) view() wire.HookConfig {
	v := wire.HookConfig{URL: c.URL, ContentType: c.ContentType, InsecureSSL: "0"}
	if c.Insecure {
		v.InsecureSSL = "1"
	}
	if c.Secret != "" {
		v.Secret = wire.SecretMask
	}
	return v
}
