package engine

import "container/heap"

// A queue is a heap: its first element goes before every other. The methods with capitals are for container/heap alone.
type queue[T interface{ Before(other T) bool }] []T

// Len is how many elements there are.
func (q queue[T]) Len() int { return len(q) }

// Less reports whether one element goes before another.
func (q queue[T]) Less(i, j int) bool { return q[i].Before(q[j]) }

// Swap changes the places of two elements.
func (q queue[T]) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

// Push adds at the end.
func (q *queue[T]) Push(x any) { *q = append(*q, x.(T)) }

// Pop takes the last element, and keeps nothing of it.
func (q *queue[T]) Pop() any {
	var none T
	last := len(*q) - 1
	x := (*q)[last]
	(*q)[last] = none
	*q = (*q)[:last]
	return x
}

func (q *queue[T]) add(x T) { heap.Push(q, x) }

// take removes the first element and returns it.
func (q *queue[T]) take() T { return heap.Pop(q).(T) }

// moved puts element n, which has changed, into its place.
func (q *queue[T]) moved(n int) { heap.Fix(q, n) }

// sort makes a queue of elements in any order.
func (q *queue[T]) sort() { heap.Init(q) }
