package main

import (
	"net"
	"sync/atomic"
)

// counted is a listener that counts its connections.
type counted struct {
	net.Listener
	n *atomic.Int64
}

// Accept implements net.Listener.
func (l counted) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err == nil {
		l.n.Add(1)
	}
	return conn, err
}
