package model

import (
	"iter"
	"slices"
)

// blockSize is how many keys of an ordered set are moved at most when one is put in or taken out.
const blockSize = 256

// An ordered is a set of keys in their order, cut in blocks so that a change costs little however many there are. It must not be changed while
// it is walked through.
type ordered[K any] struct {
	compare func(a, b K) int
	blocks  [][]K // none is empty
}

func newOrdered[K any](compare func(a, b K) int) *ordered[K] { return &ordered[K]{compare: compare} }

func (o *ordered[K]) clone() *ordered[K] {
	c := &ordered[K]{compare: o.compare, blocks: make([][]K, len(o.blocks))}
	for i, b := range o.blocks {
		c.blocks[i] = slices.Clone(b)
	}
	return c
}

// seek returns where the first key stands that is not before k: a block and a place in it. The block is one past the last when there is none.
func (o *ordered[K]) seek(k K) (block, place int) {
	low, high := 0, len(o.blocks)
	for low < high {
		middle := int(uint(low+high) >> 1)
		if b := o.blocks[middle]; o.compare(b[len(b)-1], k) < 0 {
			low = middle + 1
		} else {
			high = middle
		}
	}
	if low < len(o.blocks) {
		place, _ = slices.BinarySearchFunc(o.blocks[low], k, o.compare)
	}
	return low, place
}

// insert puts a key in; it must not be there.
func (o *ordered[K]) insert(k K) {
	block, place := o.seek(k)
	if block == len(o.blocks) {
		if block == 0 || len(o.blocks[block-1]) >= blockSize {
			o.blocks = append(o.blocks, []K{k})
			return
		}
		block--
		place = len(o.blocks[block])
	}
	b := o.blocks[block]
	if len(b) >= blockSize {
		half := len(b) / 2
		second := append(make([]K, 0, blockSize), b[half:]...)
		clear(b[half:])
		o.blocks[block] = b[:half]
		o.blocks = slices.Insert(o.blocks, block+1, second)
		if place > half {
			block, place = block+1, place-half
		}
	}
	o.blocks[block] = slices.Insert(o.blocks[block], place, k)
}

// remove takes a key out; it must be there.
func (o *ordered[K]) remove(k K) {
	block, place := o.seek(k)
	if block == len(o.blocks) || o.compare(o.blocks[block][place], k) != 0 {
		panic("stuck, this is a bug: a key that is in no index")
	}
	if o.blocks[block] = slices.Delete(o.blocks[block], place, place+1); len(o.blocks[block]) == 0 {
		o.blocks = slices.Delete(o.blocks, block, block+1)
	}
}

// from walks through the keys that are not before k.
func (o *ordered[K]) from(k K) iter.Seq[K] {
	return func(yield func(K) bool) {
		block, place := o.seek(k)
		for ; block < len(o.blocks); block, place = block+1, 0 {
			for _, found := range o.blocks[block][place:] {
				if !yield(found) {
					return
				}
			}
		}
	}
}

// before returns the last key that is before k.
func (o *ordered[K]) before(k K) (last K, ok bool) {
	block, place := o.seek(k)
	if place == 0 {
		if block == 0 {
			return last, false
		}
		b := o.blocks[block-1]
		return b[len(b)-1], true
	}
	return o.blocks[block][place-1], true
}

// all walks through every key.
func (o *ordered[K]) all() iter.Seq[K] {
	return func(yield func(K) bool) {
		for _, b := range o.blocks {
			for _, k := range b {
				if !yield(k) {
					return
				}
			}
		}
	}
}

// move takes the key of a row that was out of the set and puts the key of the row that is in. Either may have none.
func move[R any, K comparable](set *ordered[K], key func(R) (K, bool), was, is R) {
	before, had := key(was)
	after, has := key(is)
	if had && has && before == after {
		return
	}
	if had {
		set.remove(before)
	}
	if has {
		set.insert(after)
	}
}
