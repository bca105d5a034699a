package closemap_test

import (
	"errors"
	"fmt"
	"hash/fnv"
	"hash/maphash"
	"slices"

	"example.com/idlab/impls/closemap"
)

func Example() {
	var m closemap.Map[string, int]
	for i, word := range []string{"to", "be", "or", "not", "to", "be"} {
		m.Set(word, i)
	}
	for word, last := range m.All() {
		fmt.Println(word, last)
	}
	// Output:
	// to 4
	// be 5
	// or 2
	// not 3
}

func ExampleNew() {
	seed := maphash.MakeSeed()
	m := closemap.New[int, string](closemap.WithCapacity(1000), closemap.WithSeed(seed))
	m.Set(7, "seven")
	fmt.Println(m.Len(), m.Stats().Capacity)
	// Output: 1 1024
}

func ExampleWithHasher() {
	m := closemap.New[string, int](closemap.WithHasher(func(s string) uint64 {
		h := fnv.New64a()
		h.Write([]byte(s))
		return h.Sum64()
	}))
	m.Set("a", 1)
	fmt.Println(m.Get("a"))
	// Output: 1 true
}

func ExampleMap_Get() {
	var m closemap.Map[string, int]
	m.Set("a", 1)
	fmt.Println(m.Get("a"))
	fmt.Println(m.Get("b"))
	// Output:
	// 1 true
	// 0 false
}

func ExampleMap_GetBatch() {
	var m closemap.Map[int, string]
	m.Set(1, "one")
	m.Set(3, "three")
	keys := []int{1, 2, 3}
	values, found := make([]string, len(keys)), make([]bool, len(keys))
	m.GetBatch(keys, values, found)
	fmt.Printf("%q %v\n", values, found)
	// Output: ["one" "" "three"] [true false true]
}

func ExampleMap_TrySet() {
	var m closemap.Map[string, int]
	err := m.TrySet("a", 1)
	var full *closemap.LimitError
	if errors.As(err, &full) {
		fmt.Println("no room beyond", full.Limit)
	}
	fmt.Println(m.Has("a"))
	// Output: true
}

func ExampleMap_Delete() {
	var m closemap.Map[string, int]
	m.Set("a", 1)
	m.Set("b", 2)
	fmt.Println(m.Delete("a"), m.Delete("a"))
	m.Set("a", 3) // at the end now
	fmt.Println(slices.Collect(m.Keys()), slices.Collect(m.Values()))
	// Output:
	// true false
	// [b a] [2 3]
}

func ExampleMap_Clear() {
	var m closemap.Map[int, int]
	for i := range 100 {
		m.Set(i, i)
	}
	m.Clear()
	fmt.Println(m.Len(), m.Stats().Bytes)
	// Output: 0 0
}

func ExampleMap_PopFirst() {
	var jobs closemap.Map[string, int]
	jobs.Set("wash", 1)
	jobs.Set("dry", 2)
	jobs.Set("iron", 3)
	jobs.Delete("dry")
	fmt.Println(jobs.First())
	for name, _, ok := jobs.PopFirst(); ok; name, _, ok = jobs.PopFirst() {
		fmt.Println(name)
	}
	// Output:
	// wash 1 true
	// wash
	// iron
}

func ExampleMap_All() {
	var m closemap.Map[int, string]
	m.Set(1, "a")
	m.Set(2, "b")
	m.Set(3, "c")
	for k, v := range m.All() {
		fmt.Println(k, v)
		if k < 10 {
			m.Delete(2)
			m.Set(k+10, v+v)
		}
	}
	// Output:
	// 1 a
	// 3 c
	// 11 aa
	// 13 cc
}

func ExampleMap_Cursor() {
	var m closemap.Map[string, int]
	m.Set("a", 1)
	c := m.Cursor()
	fmt.Println(c.Next())
	m.Clear()
	m.Set("b", 2)
	fmt.Println(c.Next())
	fmt.Println(c.Next())
	// Output:
	// a 1 true
	// b 2 true
	//  0 false
}

func ExampleMap_Stats() {
	var m closemap.Map[uint64, uint64]
	for i := range uint64(100) {
		m.Set(i, i)
	}
	m.Delete(50)
	s := m.Stats()
	fmt.Println(s.Buckets, s.Capacity, s.Used, s.Deleted, s.Live(), s.Bytes)
	// Output: 64 128 100 1 99 4096
}

func ExampleSet() {
	seen := closemap.NewSet[string]()
	for _, word := range []string{"the", "cat", "and", "the", "hat"} {
		if !seen.Has(word) {
			seen.Add(word)
		}
	}
	seen.Delete("and")
	for word := range seen.All() {
		fmt.Println(word)
	}
	first, _ := seen.PopFirst()
	fmt.Println(first, seen.Len())
	// Output:
	// the
	// cat
	// hat
	// the 2
}

func ExampleSet_Cursor() {
	var s closemap.Set[int]
	s.Add(1)
	c := s.Cursor()
	fmt.Println(c.Next())
	if err := s.TryAdd(2); err != nil {
		fmt.Println(err)
	}
	fmt.Println(s.First())
	fmt.Println(c.Next())
	s.Clear()
	fmt.Println(c.Next())
	fmt.Println(s.Stats().Bytes)
	// Output:
	// 1 true
	// 1 true
	// 2 true
	// 0 false
	// 0
}
