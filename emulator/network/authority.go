package network

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"sync"
	"time"
)

const (
	// skew is how far the clock of a program behind the door may be behind ours.
	skew     = 24 * time.Hour
	lifetime = 90 * 24 * time.Hour
)

// Authority signs the certificates of one door's hosts. Its key lives in memory only and is gone with
// it, so whoever trusts it trusts nothing beyond the door. It is safe for concurrent use.
type Authority struct {
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
	leaf *ecdsa.PrivateKey // of all hosts: who has one has all

	mu     sync.Mutex
	issued map[string]*tls.Certificate
}

// NewAuthority makes an authority with keys of its own.
func NewAuthority() (*Authority, error) {
	a, err := newAuthority(time.Now())
	if err != nil {
		return nil, fmt.Errorf("make certificate authority: %w", err)
	}
	return a, nil
}

func newAuthority(now time.Time) (*Authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	leaf, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	serial, err := serialNumber()
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{Organization: []string{"Understudy"}, CommonName: "Understudy, this run only"},
		NotBefore: now.Add(-skew), NotAfter: now.Add(lifetime),
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature, BasicConstraintsValid: true, IsCA: true, MaxPathLenZero: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &Authority{key: key, cert: cert, leaf: leaf, issued: map[string]*tls.Certificate{}}, nil
}

func serialNumber() (*big.Int, error) {
	return rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
}

// PEM is the authority's certificate, as the variables that name a file of trusted authorities want it.
func (a *Authority) PEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw})
}

// certificate is host's, made at the first call.
func (a *Authority) certificate(host string) (*tls.Certificate, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if c := a.issued[host]; c != nil {
		return c, nil
	}
	serial, err := serialNumber()
	if err != nil {
		return nil, err
	}
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: host}, DNSNames: []string{host},
		NotBefore: a.cert.NotBefore, NotAfter: a.cert.NotAfter,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}, a.cert, a.leaf.Public(), a.key)
	if err != nil {
		return nil, fmt.Errorf("sign the certificate of %s: %w", host, err)
	}
	c := &tls.Certificate{Certificate: [][]byte{der, a.cert.Raw}, PrivateKey: a.leaf}
	a.issued[host] = c
	return c, nil
}
