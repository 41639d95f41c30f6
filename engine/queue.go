package engine

// A queue is a heap: its first element goes before every other. It is written out rather than made of
// container/heap, which puts each element into an interface and calls every comparison through one: a
// turn takes from queues for each instance that it starts.
type queue[T interface{ Before(other T) bool }] []T

// Len is how many elements there are.
func (q queue[T]) Len() int { return len(q) }

func (q *queue[T]) add(x T) {
	*q = append(*q, x)
	q.up(len(*q) - 1)
}

// take removes the first element and returns it. It keeps nothing of it.
func (q *queue[T]) take() T {
	var none T
	list := *q
	first, last := list[0], len(list)-1
	list[0], list[last] = list[last], none
	*q = list[:last]
	q.down(0)
	return first
}

// moved puts element n, which has changed, into its place.
func (q *queue[T]) moved(n int) {
	if !q.down(n) {
		q.up(n)
	}
}

// sort makes a queue of elements in any order.
func (q *queue[T]) sort() {
	for n := len(*q)/2 - 1; n >= 0; n-- {
		q.down(n)
	}
}

// up brings element n before those that go after it.
func (q *queue[T]) up(n int) {
	list := *q
	for n > 0 {
		parent := (n - 1) / 2
		if !list[n].Before(list[parent]) {
			return
		}
		list[n], list[parent] = list[parent], list[n]
		n = parent
	}
}

// down brings element n behind those that go before it, and reports whether there were any.
func (q *queue[T]) down(n int) bool {
	list, begin := *q, n
	for {
		next := 2*n + 1
		if next >= len(list) {
			break
		}
		if right := next + 1; right < len(list) && list[right].Before(list[next]) {
			next = right
		}
		if !list[next].Before(list[n]) {
			break
		}
		list[n], list[next] = list[next], list[n]
		n = next
	}
	return n > begin
}
