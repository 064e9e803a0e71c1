"""What is known of the library of C#: the types that most code goes through.

A line is a class; `typed/library.py` says how it is read. Nothing is known to be all that there is.
Methods of LINQ stand where they are called. The root of all classes has the name that `typed/`
gives it.
"""

from typing import Final

_FUNCTIONS: Final = "\n".join(
    [
        "@System.Action: Invoke()",
        *(
            f"@System.Action`{n}<{', '.join(f'T{i}' for i in range(n))}>: "
            f"Invoke({','.join(f'T{i}' for i in range(n))})"
            for n in range(1, 9)
        ),
        *(
            f"@System.Func`{n + 1}<{', '.join([*(f'T{i}' for i in range(n)), 'TR'])}>: "
            f"Invoke({','.join(f'T{i}' for i in range(n))}) TR"
            for n in range(9)
        ),
    ]
)

LIBRARY: Final = f"""
java.lang.Object: ToString() java.lang.String; Equals(java.lang.Object) boolean; GetHashCode() int; GetType() System.Type; MemberwiseClone() java.lang.Object
java.lang.String: Substring(int) java.lang.String; Substring(int,int) java.lang.String; Trim() java.lang.String; ToLower() java.lang.String; ToUpper() java.lang.String; ToLowerInvariant() java.lang.String; ToUpperInvariant() java.lang.String; Replace(java.lang.String,java.lang.String) java.lang.String; Contains(java.lang.String) boolean; StartsWith(java.lang.String) boolean; EndsWith(java.lang.String) boolean
System.Type:
{_FUNCTIONS}
@System.Predicate`1<T>: Invoke(T) boolean
@System.Comparison`1<T>: Invoke(T,T) int
@System.EventHandler: Invoke(java.lang.Object,System.EventArgs)
@System.EventHandler`1<T>: Invoke(java.lang.Object,T)
System.Collections.Generic.KeyValuePair`2<K, V>:
System.Threading.Tasks.Task:
System.Threading.Tasks.Task`1<T> < Task: ConfigureAwait(boolean) Task`1<T>; GetAwaiter() Awaiter`1<T>
System.Threading.Tasks.ValueTask`1<T>: ConfigureAwait(boolean) ValueTask`1<T>; AsTask() Task`1<T>
Awaiter`1<T>: GetResult() T
System.Collections.Generic.IEnumerable`1<T>: Where(Func`2<T,boolean>) IEnumerable`1<T>; Select(Func`2<T,R>) IEnumerable`1<R>; SelectMany(Func`2<T,IEnumerable`1<R>>) IEnumerable`1<R>; OrderBy(Func`2<T,K>) IEnumerable`1<T>; OrderByDescending(Func`2<T,K>) IEnumerable`1<T>; ThenBy(Func`2<T,K>) IEnumerable`1<T>; ThenByDescending(Func`2<T,K>) IEnumerable`1<T>; GroupBy(Func`2<T,K>) IEnumerable`1<IGrouping`2<K,T>>; First() T; First(Func`2<T,boolean>) T; FirstOrDefault() T; FirstOrDefault(Func`2<T,boolean>) T; Last() T; Last(Func`2<T,boolean>) T; LastOrDefault() T; LastOrDefault(Func`2<T,boolean>) T; Single() T; Single(Func`2<T,boolean>) T; SingleOrDefault() T; SingleOrDefault(Func`2<T,boolean>) T; Any() boolean; Any(Func`2<T,boolean>) boolean; All(Func`2<T,boolean>) boolean; Count() int; Count(Func`2<T,boolean>) int; ToList() List`1<T>; ToArray() T[]; ToHashSet() HashSet`1<T>; Skip(int) IEnumerable`1<T>; Take(int) IEnumerable`1<T>; Reverse() IEnumerable`1<T>; Distinct() IEnumerable`1<T>; Concat(IEnumerable`1<T>) IEnumerable`1<T>; TakeWhile(Func`2<T,boolean>) IEnumerable`1<T>; SkipWhile(Func`2<T,boolean>) IEnumerable`1<T>; ElementAt(int) T; AsEnumerable() IEnumerable`1<T>; ToDictionary(Func`2<T,K>) Dictionary`2<K,T>; ToDictionary(Func`2<T,K>,Func`2<T,V>) Dictionary`2<K,V>
System.Linq.IGrouping`2<K, T> < IEnumerable`1<T>:
System.Collections.Generic.ICollection`1<T> < IEnumerable`1<T>: Add(T); Remove(T) boolean; Contains(T) boolean; Clear()
System.Collections.Generic.IReadOnlyCollection`1<T> < IEnumerable`1<T>:
System.Collections.Generic.IReadOnlyList`1<T> < IReadOnlyCollection`1<T>:
System.Collections.Generic.IList`1<T> < ICollection`1<T>: IndexOf(T) int; Insert(int,T); RemoveAt(int)
System.Collections.Generic.List`1<T> < IList`1<T>, IReadOnlyList`1<T>: ForEach(Action`1<T>); Find(Predicate`1<T>) T; FindAll(Predicate`1<T>) List`1<T>; Exists(Predicate`1<T>) boolean; RemoveAll(Predicate`1<T>) int; AddRange(IEnumerable`1<T>); Sort(Comparison`1<T>); Sort(); ToArray() T[]
System.Collections.Generic.ISet`1<T> < ICollection`1<T>:
System.Collections.Generic.HashSet`1<T> < ISet`1<T>:
System.Collections.Generic.SortedSet`1<T> < ISet`1<T>:
System.Collections.Generic.LinkedList`1<T> < ICollection`1<T>:
System.Collections.Generic.Queue`1<T> < IEnumerable`1<T>: Enqueue(T); Dequeue() T; Peek() T
System.Collections.Generic.Stack`1<T> < IEnumerable`1<T>: Push(T); Pop() T; Peek() T
System.Collections.ObjectModel.Collection`1<T> < IList`1<T>:
System.Collections.ObjectModel.ReadOnlyCollection`1<T> < IReadOnlyList`1<T>:
System.Collections.ObjectModel.ObservableCollection`1<T> < Collection`1<T>:
System.Collections.Concurrent.ConcurrentBag`1<T> < IEnumerable`1<T>:
System.Collections.Concurrent.ConcurrentQueue`1<T> < IEnumerable`1<T>:
System.Collections.Generic.IReadOnlyDictionary`2<K, V> < IReadOnlyCollection`1<KeyValuePair`2<K,V>>: ContainsKey(K) boolean
System.Collections.Generic.IDictionary`2<K, V> < ICollection`1<KeyValuePair`2<K,V>>: Add(K,V); ContainsKey(K) boolean; Remove(K) boolean
System.Collections.Generic.Dictionary`2<K, V> < IDictionary`2<K,V>, IReadOnlyDictionary`2<K,V>:
System.Collections.Generic.SortedDictionary`2<K, V> < IDictionary`2<K,V>:
System.Collections.Concurrent.ConcurrentDictionary`2<K, V> < IDictionary`2<K,V>: GetOrAdd(K,V) V; GetOrAdd(K,Func`2<K,V>) V
System.Lazy`1<T>:
"""
