package action

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"syscall"

	"code.dny.dev/ssrf"
)

var (
	loopback4 = netip.MustParsePrefix("127.0.0.0/8")
	loopback6 = netip.MustParsePrefix("::1/128")
	private4  = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("172.16.0.0/12"), netip.MustParsePrefix("192.168.0.0/16")}
	private6  = netip.MustParsePrefix("fc00::/7")

	// metadata are the addresses at which clouds hand out a machine's credentials and which no range below covers.
	metadata = []netip.Addr{netip.MustParseAddr("fd00:ec2::254"), netip.MustParseAddr("168.63.129.16"), netip.MustParseAddr("100.100.100.200")}
)

// A refusedError is an attempt at what this server does not permit. Trying again cannot help; the text says what would.
type refusedError struct{ text string }

func (e *refusedError) Error() string { return "refused: " + e.text }

func refusef(format string, args ...any) error { return &refusedError{fmt.Sprintf(format, args...)} }

// isRefused reports whether an attempt failed because this server does not permit it.
func isRefused(err error) bool { return errors.As(err, new(*refusedError)) }

// guard returns the judge of the addresses that actions may connect to, whatever they speak there. As a dialer's Control it sees every address after the name
// has been resolved and just before the connection is made, so that a name that resolves differently a second time gains nothing, and
// every redirect is judged too.
func guard(config Config) func(network, address string, _ syscall.RawConn) error {
	var v4, v6 []netip.Prefix
	if config.AllowLoopback {
		v4, v6 = append(v4, loopback4), append(v6, loopback6)
	}
	if config.AllowPrivate {
		v4, v6 = append(v4, private4...), append(v6, private6)
	}
	for _, p := range config.AllowNetworks {
		if p.Addr().Is4() {
			v4 = append(v4, p)
		} else {
			v6 = append(v6, p)
		}
	}
	public := ssrf.New(ssrf.WithAnyPort(), ssrf.WithAllowedV4Prefixes(v4...), ssrf.WithAllowedV6Prefixes(v6...))
	return func(network, address string, conn syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil {
			return refusef("%q is not an address", address)
		}
		ip := at.Addr().Unmap().WithZone("")
		switch {
		case ip.IsUnspecified(), ip.IsMulticast(), ip.IsLinkLocalUnicast():
			return refusef("%s is an address of no server, and no flag permits it", ip) // whatever the configuration allows
		case slices.Contains(metadata, ip):
			return refusef("%s gives out a cloud machine's credentials, and no flag permits it", ip) // the same
		case ip.IsLoopback() && !config.AllowLoopback && !slices.ContainsFunc(config.AllowNetworks, func(p netip.Prefix) bool { return p.Contains(ip) }):
			return refusef("%s is a loopback address; the flag --allow-network %s permits it", ip, ip)
		}
		if ip.Is4() && network == "tcp6" {
			network = "tcp4" // an IPv4 address in IPv6 clothes is judged as what it is
		}
		if err := public.Safe(network, netip.AddrPortFrom(ip, at.Port()).String(), conn); err != nil {
			return refusef("%s is an address that this server may not reach (%s); the flag --allow-network %s permits it", ip, err, ip)
		}
		return nil
	}
}
