package nodes

import (
	"net/netip"
	"slices"
)

// permits reports whether a may be dialled.
func (g guard) permits(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	if v4, ok := behindNAT64(a); ok {
		return g.permits(v4)
	}
	contains := func(p netip.Prefix) bool { return p.Contains(a) }
	return slices.ContainsFunc(g.allow, contains) || !slices.ContainsFunc(g.refuse, contains)
}

// behindNAT64 returns the IPv4 address that the network's translator would dial
// for a (RFC 6052).
func behindNAT64(a netip.Addr) (netip.Addr, bool) {
	if !netip.MustParsePrefix("64:ff9b::/96").Contains(a) {
		return netip.Addr{}, false
	}
	b := a.As16()
	return netip.AddrFrom4([4]byte(b[12:])), true
}

// notPublic returns every address that is not on the public internet, after the
// IANA registries of special-purpose addresses. Of IPv6 only 2000::/3 is given
// out, so all else is refused at once.
func notPublic() []netip.Prefix {
	return prefixes(
		"0.0.0.0/8",       // this network; 0.0.0.0 is this machine
		"10.0.0.0/8",      // private
		"100.64.0.0/10",   // carrier-grade NAT
		"127.0.0.0/8",     // loopback
		"168.63.129.16",   // Azure's services for machines
		"169.254.0.0/16",  // link-local, metadata of most clouds
		"172.16.0.0/12",   // private
		"192.0.0.0/24",    // IETF protocols, metadata of Oracle's cloud
		"192.0.2.0/24",    // documentation
		"192.88.99.0/24",  // relays of 6to4
		"192.168.0.0/16",  // private
		"198.18.0.0/15",   // benchmarks
		"198.51.100.0/24", // documentation
		"203.0.113.0/24",  // documentation
		"224.0.0.0/4",     // multicast
		"240.0.0.0/4",     // reserved, broadcast

		"::/3",          // unspecified, loopback, IPv4 in several notations, local NAT64
		"2001::/23",     // IETF protocols, Teredo tunnels
		"2001:db8::/32", // documentation
		"2002::/16",     // 6to4 tunnels
		"3fff::/20",     // documentation
		"4000::/2",      // not given out
		"8000::/1",      // private (fc00::/7), link-local, multicast, not given out
	)
}

// neverLocal returns the addresses that are closed even to users on their own machine:
// the metadata services of clouds, which give out the secrets of the machine.
func neverLocal() []netip.Prefix {
	return prefixes(
		"100.100.100.200", // metadata of Alibaba's cloud
		"168.63.129.16",   // Azure's services for machines
		"169.254.0.0/16",  // link-local, metadata of most clouds
		"192.0.0.192",     // metadata of Oracle's cloud
		"::ffff:0:0:0/96", // IPv4 translated (RFC 7915)
		"2001::/32",       // Teredo tunnels: IPv4 inside
		"2002::/16",       // 6to4 tunnels: IPv4 inside
		"fd00:42::42",     // metadata of Scaleway
		"fd00:ec2::/32",   // metadata of AWS
		"fd20:ce::254",    // metadata of Google's cloud
		"fe80::/10",       // link-local
	)
}

// prefixes reads CIDR prefixes and single addresses.
func prefixes(texts ...string) []netip.Prefix {
	list := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		if a, err := netip.ParseAddr(text); err == nil {
			list[i] = netip.PrefixFrom(a, a.BitLen())
			continue
		}
		list[i] = netip.MustParsePrefix(text)
	}
	return list
}
