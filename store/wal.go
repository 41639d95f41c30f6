package store

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
)

// The form of SQLite's write-ahead log (sqlite.org/fileformat2.html, section 4): a header, and
// frames of a header and a page each. A frame counts when its salts are those of the log's header
// and the checksum over all frames up to it is right; a transaction counts from the frame on that
// commits it.
const (
	walHeaderSize = 32
	walFrameSize  = 24
	walMagic      = 0x377f0682 // with the last bit set its checksums read words as big-endian
)

// A walPlace is a place in a log up to which it was read: that behind a commit.
type walPlace struct {
	salt  [2]uint32
	at    int64 // of the next frame; 0 is before the header
	sum   [2]uint32
	order binary.ByteOrder
	page  int
}

// readLog calls each with the checksum of every page that transactions behind the place have
// written, in their order, and returns the place behind them. A log that was begun anew since is
// read from its start. A log that is not there, or holds nothing, is the place before its header.
func readLog(path string, from walPlace, each func(page, sum uint32)) (walPlace, error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return walPlace{}, nil
	} else if err != nil {
		return from, err
	}
	defer f.Close()
	header := make([]byte, walHeaderSize)
	if _, err := f.ReadAt(header, 0); errors.Is(err, io.EOF) {
		return walPlace{}, nil
	} else if err != nil {
		return from, err
	}
	begin, ok := logBegin(header)
	if !ok {
		return walPlace{}, nil
	}
	if from.at == 0 || from.salt != begin.salt || from.page != begin.page {
		from = begin
	}
	var open [][2]uint32 // pages and sums of a transaction whose commit has not been seen
	now, frame := from, make([]byte, walFrameSize+from.page)
	word := func(at int) uint32 { return binary.BigEndian.Uint32(frame[at:]) }
	for {
		if _, err := f.ReadAt(frame, now.at); errors.Is(err, io.EOF) {
			return from, nil
		} else if err != nil {
			return from, err
		}
		now.sum = walSum(now.order, walSum(now.order, now.sum, frame[:8]), frame[walFrameSize:])
		if now.salt != [2]uint32{word(8), word(12)} || now.sum != [2]uint32{word(16), word(20)} {
			return from, nil
		}
		now.at += int64(len(frame))
		open = append(open, [2]uint32{word(0), pageSum(frame[walFrameSize:])})
		if word(4) == 0 { // a commit says how many pages the file has
			continue
		}
		for _, w := range open {
			each(w[0], w[1])
		}
		open, from = open[:0], now
	}
}

// logBegin is the place behind the header of a log.
func logBegin(header []byte) (p walPlace, ok bool) {
	magic := binary.BigEndian.Uint32(header)
	if magic&^1 != walMagic {
		return p, false
	}
	p.order = binary.LittleEndian
	if magic&1 != 0 {
		p.order = binary.BigEndian
	}
	p.page, p.at = int(binary.BigEndian.Uint32(header[8:])), walHeaderSize
	p.salt = [2]uint32{binary.BigEndian.Uint32(header[16:]), binary.BigEndian.Uint32(header[20:])}
	p.sum = walSum(p.order, p.sum, header[:24])
	right := p.sum == [2]uint32{binary.BigEndian.Uint32(header[24:]), binary.BigEndian.Uint32(header[28:])}
	return p, right && p.page >= 512 && p.page <= 65536
}

// walSum goes on with the checksum of a log.
func walSum(order binary.ByteOrder, s [2]uint32, data []byte) [2]uint32 {
	if order == binary.LittleEndian { // by far the most, and without a call for each word
		for ; len(data) >= 8; data = data[8:] {
			s[0] += binary.LittleEndian.Uint32(data) + s[1]
			s[1] += binary.LittleEndian.Uint32(data[4:]) + s[0]
		}
		return s
	}
	for ; len(data) >= 8; data = data[8:] {
		s[0] += order.Uint32(data) + s[1]
		s[1] += order.Uint32(data[4:]) + s[0]
	}
	return s
}
