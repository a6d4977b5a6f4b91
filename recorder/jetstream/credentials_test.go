package jetstream_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/natstest"
	"github.com/council-engine/council/recorder/jetstream"
)

// The right credentials are accepted, by the environment variables of the command nats; others are refused.
func TestOpen_ReadsCredentialsOfTheEnvironment(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, text []byte) string {
		name = filepath.Join(dir, name)
		check.OK(t, os.WriteFile(name, text, 0o600))
		return name
	}
	user := check.Get(nkeys.CreateUser())(t)
	public := check.Get(user.PublicKey())(t)
	seed := check.Get(user.Seed())(t)
	stranger := check.Get(nkeys.CreateUser())(t)
	strange := check.Get(stranger.Seed())(t)
	certificate, certPEM, keyPEM := selfSigned(t)
	pool := x509.NewCertPool()
	pool.AddCert(certificate.Leaf)
	operated, creds := operator(t)
	cert, key := file("cert.pem", certPEM), file("key.pem", keyPEM)
	for _, c := range []struct {
		name         string
		change       func(*server.Options)
		scheme       string
		right, other map[string]string
	}{
		{"a user", func(o *server.Options) { o.Username, o.Password = "kim", "p" }, "nats",
			map[string]string{"NATS_USER": "kim", "NATS_PASSWORD": "p"}, map[string]string{"NATS_USER": "kim"}},
		{"an NKey", func(o *server.Options) { o.Nkeys = []*server.NkeyUser{{Nkey: public}} }, "nats",
			map[string]string{"NATS_NKEY": file("seed", seed)}, map[string]string{"NATS_NKEY": file("other", strange)}},
		{"a credentials file", operated, "nats",
			map[string]string{"NATS_CREDS": file("creds", creds)}, map[string]string{"NATS_CREDS": filepath.Join(dir, "none")}},
		{"TLS", func(o *server.Options) {
			o.TLS, o.TLSConfig = true, &tls.Config{Certificates: []tls.Certificate{certificate}, ClientCAs: pool,
				ClientAuth: tls.RequireAndVerifyClientCert}
		}, "tls", map[string]string{"NATS_CA": cert, "NATS_CERT": cert, "NATS_KEY": key}, map[string]string{"NATS_CA": cert}},
	} {
		t.Run(c.name, func(t *testing.T) {
			servers := natstest.Start(t, 1, c.change)
			open := func(env map[string]string) error {
				j, err := jetstream.Open(t.Context(), jetstream.Settings{Create: true, Patience: 5 * time.Second,
					URL:    strings.Replace(servers.URL, "nats", c.scheme, 1),
					Getenv: func(name string) string { return env[name] }})
				if err == nil {
					j.Close()
				}
				return err
			}
			check.OK(t, open(c.right))
			check.That(t, open(c.other) != nil && open(nil) != nil, "it lets in who has other credentials, or none")
		})
	}
}

// selfSigned returns a certificate of this machine, for servers and clients, that is its own authority.
func selfSigned(t *testing.T) (c tls.Certificate, certPEM, keyPEM []byte) {
	t.Helper()
	key := check.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	about := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true,
		BasicConstraintsValid: true, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
	der := check.Get(x509.CreateCertificate(rand.Reader, about, about, &key.PublicKey, key))(t)
	raw := check.Get(x509.MarshalPKCS8PrivateKey(key))(t)
	certPEM = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	keyPEM = pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw})
	c = check.Get(tls.X509KeyPair(certPEM, keyPEM))(t)
	return c, certPEM, keyPEM
}

// operator returns the settings of a server whose accounts an operator signs, and the credentials of a user.
func operator(t *testing.T) (change func(*server.Options), creds []byte) {
	t.Helper()
	op := check.Get(nkeys.CreateOperator())(t)
	public := func(k nkeys.KeyPair) string {
		return check.Get(k.PublicKey())(t)
	}
	accounts := &server.MemAccResolver{}
	account := func() (nkeys.KeyPair, string) {
		k := check.Get(nkeys.CreateAccount())(t)
		claims := jwt.NewAccountClaims(public(k))
		claims.Limits.JetStreamLimits = jwt.JetStreamLimits{MemoryStorage: -1, DiskStorage: -1, Streams: -1, Consumer: -1}
		check.OK(t, accounts.Store(public(k), check.Get(claims.Encode(op))(t)))
		return k, public(k)
	}
	system, _ := nkeys.CreateAccount()
	systemClaims := jwt.NewAccountClaims(public(system))
	check.OK(t, accounts.Store(public(system), check.Get(systemClaims.Encode(op))(t)))
	k, _ := account()
	user := check.Get(nkeys.CreateUser())(t)
	token := check.Get(jwt.NewUserClaims(public(user)).Encode(k))(t)
	seed := check.Get(user.Seed())(t)
	creds = check.Get(jwt.FormatUserConfig(token, seed))(t)
	claims := jwt.NewOperatorClaims(public(op))
	signed := check.Get(claims.Encode(op))(t)
	decoded := check.Get(jwt.DecodeOperatorClaims(signed))(t)
	return func(o *server.Options) {
		o.TrustedOperators, o.AccountResolver, o.SystemAccount = []*jwt.OperatorClaims{decoded}, accounts, public(system)
	}, creds
}
