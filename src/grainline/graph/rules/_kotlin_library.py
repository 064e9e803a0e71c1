"""What Kotlin adds to the library of Java: functions that extend its types, types of functions.

A line is read as those of Java; one of a class that is there already adds to it. `kotlin.Any` says
what extends everything, `kotlin.Top` what needs nothing before it; `Function1<A,R>` takes an A,
`Receiver1<A,R>` is called on one.
"""

from typing import Final

_ELEMENTS: Final = (
    "forEach(Function1<T,X>); onEach(Function1<T,X>) {0}<T>; forEachIndexed(Function2<int,T,X>); "
    "map(Function1<T,R>) {0}<R>; mapNotNull(Function1<T,R>) {0}<R>; mapIndexed(Function2<int,T,R>) {0}<R>; "
    "mapIndexedNotNull(Function2<int,T,R>) {0}<R>; "
    "flatMap(Function1<T,Iterable<R>>) {0}<R>; filter(Function1<T,boolean>) {0}<T>; filterNot(Function1<T,boolean>) {0}<T>; "
    "filterNotNull() {0}<T>; filterIndexed(Function2<int,T,boolean>) {0}<T>; filterIsInstance() {0}<X>; "
    "first() T; first(Function1<T,boolean>) T; firstOrNull() T; firstOrNull(Function1<T,boolean>) T; "
    "firstNotNullOf(Function1<T,R>) R; firstNotNullOfOrNull(Function1<T,R>) R; "
    "last() T; last(Function1<T,boolean>) T; lastOrNull() T; lastOrNull(Function1<T,boolean>) T; "
    "single() T; single(Function1<T,boolean>) T; singleOrNull() T; singleOrNull(Function1<T,boolean>) T; "
    "find(Function1<T,boolean>) T; findLast(Function1<T,boolean>) T; elementAt(int) T; elementAtOrNull(int) T; "
    "any() boolean; any(Function1<T,boolean>) boolean; all(Function1<T,boolean>) boolean; "
    "none() boolean; none(Function1<T,boolean>) boolean; count() int; count(Function1<T,boolean>) int; "
    "indexOfFirst(Function1<T,boolean>) int; indexOfLast(Function1<T,boolean>) int; "
    "sortedBy(Function1<T,X>) {0}<T>; sortedByDescending(Function1<T,X>) {0}<T>; sorted() {0}<T>; sortedDescending() {0}<T>; "
    "sortedWith(Comparator<T>) {0}<T>; distinct() {0}<T>; distinctBy(Function1<T,X>) {0}<T>; reversed() {0}<T>; "
    "take(int) {0}<T>; takeLast(int) {0}<T>; takeWhile(Function1<T,boolean>) {0}<T>; drop(int) {0}<T>; dropLast(int) {0}<T>; "
    "dropWhile(Function1<T,boolean>) {0}<T>; shuffled() {0}<T>; "
    "maxBy(Function1<T,X>) T; minBy(Function1<T,X>) T; maxByOrNull(Function1<T,X>) T; minByOrNull(Function1<T,X>) T; "
    "maxOf(Function1<T,R>) R; minOf(Function1<T,R>) R; maxOrNull() T; minOrNull() T; "
    "sumOf(Function1<T,R>) R; fold(R,Function2<R,T,R>) R; reduce(Function2<T,T,T>) T; "
    "groupBy(Function1<T,K>) Map<K,List<T>>; associateBy(Function1<T,K>) Map<K,T>; associateWith(Function1<T,V>) Map<T,V>; "
    "associate(Function1<T,Pair<K,V>>) Map<K,V>; partition(Function1<T,boolean>) Pair<List<T>,List<T>>; "
    "zip(Iterable<R>) {0}<Pair<T,R>>; withIndex() Iterable<IndexedValue<T>>; chunked(int) {0}<List<T>>; windowed(int) {0}<List<T>>; "
    "zipWithNext() {0}<Pair<T,T>>; plus(Object) {0}<T>; minus(Object) {0}<T>; "
    "joinToString() String; joinToString(CharSequence) String; joinToString(Function1<T,X>) String; "
    "joinToString(CharSequence,Function1<T,X>) String; joinToString(CharSequence,CharSequence,CharSequence) String; "
    "toList() List<T>; toMutableList() List<T>; toSet() Set<T>; toMutableSet() Set<T>; toHashSet() Set<T>; "
    "toCollection(X) X; mapTo(X,Function1<T,R>) X; filterTo(X,Function1<T,boolean>) X; mapNotNullTo(X,Function1<T,R>) X; "
    "toTypedArray() T[]; asSequence() Sequence<T>; asIterable() Iterable<T>; contains(T) boolean; isNotEmpty() boolean"
)  # fmt: skip

_MAP: Final = (
    "map(Function1<Map.Entry<K,V>,R>) List<R>; mapNotNull(Function1<Map.Entry<K,V>,R>) List<R>; "
    "flatMap(Function1<Map.Entry<K,V>,Iterable<R>>) List<R>; mapValues(Function1<Map.Entry<K,V>,R>) Map<K,R>; "
    "mapKeys(Function1<Map.Entry<K,V>,R>) Map<R,V>; filter(Function1<Map.Entry<K,V>,boolean>) Map<K,V>; "
    "filterNot(Function1<Map.Entry<K,V>,boolean>) Map<K,V>; filterKeys(Function1<K,boolean>) Map<K,V>; "
    "filterValues(Function1<V,boolean>) Map<K,V>; forEach(Function1<Map.Entry<K,V>,X>); "
    "any(Function1<Map.Entry<K,V>,boolean>) boolean; all(Function1<Map.Entry<K,V>,boolean>) boolean; "
    "none(Function1<Map.Entry<K,V>,boolean>) boolean; count() int; count(Function1<Map.Entry<K,V>,boolean>) int; "
    "getOrPut(K,Function0<V>) V; getOrElse(K,Function0<V>) V; getValue(K) V; toList() List<Pair<K,V>>; "
    "toMap() Map<K,V>; toMutableMap() Map<K,V>; isNotEmpty() boolean; contains(K) boolean; plus(Object) Map<K,V>; "
    "minus(Object) Map<K,V>; getOrDefault(K,V) V; orEmpty() Map<K,V>; toSortedMap() Map<K,V>; withDefault(Function1<K,V>) Map<K,V>; "
    "maxByOrNull(Function1<Map.Entry<K,V>,X>) Map.Entry<K,V>; minByOrNull(Function1<Map.Entry<K,V>,X>) Map.Entry<K,V>"
)  # fmt: skip

_TEXT: Final = (
    "removePrefix(CharSequence) String; removeSuffix(CharSequence) String; removeSurrounding(CharSequence) String; "
    "substringBefore(String) String; substringAfter(String) String; substringBeforeLast(String) String; "
    "substringAfterLast(String) String; split(String...) List<String>; lines() List<String>; lineSequence() Sequence<String>; "
    "trimIndent() String; trimMargin() String; trimStart() String; trimEnd() String; uppercase() String; lowercase() String; "
    "padStart(int,char) String; padEnd(int,char) String; padStart(int) String; padEnd(int) String; "
    "toInt() int; toIntOrNull() Integer; toLong() long; toLongOrNull() Long; toDouble() double; toBoolean() boolean; "
    "isNullOrEmpty() boolean; isNullOrBlank() boolean; isNotEmpty() boolean; isNotBlank() boolean; orEmpty() String; "
    "toRegex() Regex; matches(Regex) boolean; format(Object...) String; toByteArray() byte[]; encodeToByteArray() byte[]; "
    "filter(Function1<char,boolean>) String; map(Function1<char,R>) List<R>; forEach(Function1<char,X>); "
    "any(Function1<char,boolean>) boolean; all(Function1<char,boolean>) boolean; none(Function1<char,boolean>) boolean; "
    "first() char; last() char; take(int) String; drop(int) String; takeLast(int) String; dropLast(int) String; "
    "prependIndent(String) String; replaceFirst(String,String) String; replaceFirstChar(Function1<char,X>) String; reversed() String; "
    "takeWhile(Function1<char,boolean>) String; dropWhile(Function1<char,boolean>) String; ifEmpty(Function0<String>) String; "
    "ifBlank(Function0<String>) String; plus(Object) String; count(Function1<char,boolean>) int; replaceAfter(String,String) String"
)  # fmt: skip

LIBRARY: Final = f"""
@kotlin.Function0<R>: invoke() R
@kotlin.Function1<A,R>: invoke(A) R
@kotlin.Function2<A,B,R>: invoke(A,B) R
@kotlin.Function3<A,B,C,R>: invoke(A,B,C) R
@kotlin.Function4<A,B,C,D,R>: invoke(A,B,C,D) R
@kotlin.Function5<A,B,C,D,E,R>: invoke(A,B,C,D,E) R
@kotlin.Function6<A,B,C,D,E,F,R>: invoke(A,B,C,D,E,F) R
@kotlin.Receiver1<A,R>: invoke(A) R
@kotlin.Receiver2<A,B,R>: invoke(A,B) R
@kotlin.Receiver3<A,B,C,R>: invoke(A,B,C) R
@kotlin.Receiver4<A,B,C,D,R>: invoke(A,B,C,D) R
kotlin.Pair<A,B>: toList() List<Object>
kotlin.Triple<A,B,C>
kotlin.collections.IndexedValue<T>
kotlin.Lazy<T>
kotlin.Result<T>: getOrNull() T; getOrThrow() T; getOrElse(Function1<Throwable,T>) T; getOrDefault(T) T; exceptionOrNull() Throwable; onSuccess(Function1<T,X>) Result<T>; onFailure(Function1<Throwable,X>) Result<T>; map(Function1<T,R>) Result<R>; fold(Function1<T,R>,Function1<Throwable,R>) R
kotlin.text.Regex: matches(CharSequence) boolean; find(CharSequence) MatchResult; find(CharSequence,int) MatchResult; findAll(CharSequence) Sequence<MatchResult>; matchEntire(CharSequence) MatchResult; replace(CharSequence,String) String; replace(CharSequence,Function1<MatchResult,X>) String; split(CharSequence) List<String>; containsMatchIn(CharSequence) boolean
kotlin.text.MatchResult: next() MatchResult
kotlin.ranges.IntRange < Iterable<Integer>
kotlin.sequences.Sequence<T>: {_ELEMENTS.format("Sequence")}; constrainOnce() Sequence<T>
kotlin.sequences.SequenceScope<T>: yield(T); yieldAll(Object)
java.lang.Iterable<T>: {_ELEMENTS.format("List")}
java.util.Collection<E>: orEmpty() Collection<E>; isNullOrEmpty() boolean; ifEmpty(Function0<X>) Collection<E>; plusAssign(Object); minusAssign(Object)
java.util.List<E>: getOrNull(int) E; getOrElse(int,Function1<int,E>) E; orEmpty() List<E>; lastIndex() int; asReversed() List<E>; removeAll(Function1<E,boolean>) boolean; removeLastOrNull() E; removeFirstOrNull() E; sortBy(Function1<E,X>); binarySearch(E) int; dropLastWhile(Function1<E,boolean>) List<E>; takeLastWhile(Function1<E,boolean>) List<E>; foldRight(R,Function2<E,R,R>) R; component1() E; component2() E; component3() E; ifEmpty(Function0<List<E>>) List<E>; removeAt(int) E
java.util.Set<E>: orEmpty() Set<E>; union(Object) Set<E>; intersect(Object) Set<E>; subtract(Object) Set<E>
java.util.Map<K,V>: {_MAP}
java.util.Map.Entry<K,V>: component1() K; component2() V; toPair() Pair<K,V>
java.lang.String: {_TEXT}
java.lang.CharSequence: isNullOrEmpty() boolean; isNullOrBlank() boolean; isNotEmpty() boolean; isNotBlank() boolean
java.lang.StringBuilder: appendLine() StringBuilder; appendLine(Object) StringBuilder; append(Object...) StringBuilder
java.io.Closeable: use(Function1<Object,R>) R
kotlin.Any<T>: let(Function1<T,R>) R; also(Function1<T,X>) T; run(Receiver1<T,R>) R; apply(Receiver1<T,X>) T; takeIf(Function1<T,boolean>) T; takeUnless(Function1<T,boolean>) T; use(Function1<T,R>) R; to(X) Pair<T,X>; runCatching(Receiver1<T,R>) Result<R>; useLines(Function1<Sequence<String>,R>) R; withLock(Function0<R>) R
kotlin.Top: with(T,Receiver1<T,R>) R; run(Function0<R>) R; lazy(Function0<T>) Lazy<T>; lazy(Object,Function0<T>) Lazy<T>; repeat(int,Function1<int,X>); synchronized(Object,Function0<R>) R; require(boolean); require(boolean,Function0<X>); requireNotNull(T) T; requireNotNull(T,Function0<X>) T; check(boolean); check(boolean,Function0<X>); checkNotNull(T) T; checkNotNull(T,Function0<X>) T; error(Object) Nothing; TODO() Nothing; TODO(String) Nothing; runCatching(Function0<R>) Result<R>; println(); println(Object); print(Object); assert(boolean); assert(boolean,Function0<X>); listOf(T...) List<T>; listOfNotNull(T...) List<T>; mutableListOf(T...) List<T>; arrayListOf(T...) java.util.ArrayList<T>; emptyList() List<T>; setOf(T...) Set<T>; setOfNotNull(T...) Set<T>; mutableSetOf(T...) Set<T>; hashSetOf(T...) Set<T>; linkedSetOf(T...) Set<T>; sortedSetOf(T...) Set<T>; emptySet() Set<T>; mapOf(Pair<K,V>...) Map<K,V>; mutableMapOf(Pair<K,V>...) Map<K,V>; hashMapOf(Pair<K,V>...) Map<K,V>; linkedMapOf(Pair<K,V>...) Map<K,V>; sortedMapOf(Pair<K,V>...) Map<K,V>; emptyMap() Map<K,V>; arrayOf(T...) T[]; emptyArray() T[]; arrayOfNulls(int) T[]; sequenceOf(T...) Sequence<T>; emptySequence() Sequence<T>; sequence(Receiver1<SequenceScope<T>,X>) Sequence<T>; iterator(Receiver1<SequenceScope<T>,X>) Iterator<T>; generateSequence(Function0<T>) Sequence<T>; generateSequence(T,Function1<T,T>) Sequence<T>; buildString(Receiver1<StringBuilder,X>) String; buildString(int,Receiver1<StringBuilder,X>) String; buildList(Receiver1<List<T>,X>) List<T>; buildList(int,Receiver1<List<T>,X>) List<T>; buildSet(Receiver1<Set<T>,X>) Set<T>; buildMap(Receiver1<Map<K,V>,X>) Map<K,V>; maxOf(T,T) T; minOf(T,T) T; compareBy(Function1<T,X>) Comparator<T>; compareByDescending(Function1<T,X>) Comparator<T>; thread(Function0<X>) java.lang.Thread; measureTimeMillis(Function0<X>) long; measureTime(Function0<X>) Object; List(int,Function1<int,T>) List<T>; MutableList(int,Function1<int,T>) List<T>; Array(int,Function1<int,T>) T[]; IntArray(int) int[]; IntArray(int,Function1<int,int>) int[]; ByteArray(int) byte[]; CharArray(int) char[]; LongArray(int) long[]; BooleanArray(int) boolean[]; intArrayOf(int...) int[]; byteArrayOf(byte...) byte[]; longArrayOf(long...) long[]; charArrayOf(char...) char[]; Pair(A,B) Pair<A,B>; Regex(String) Regex; StringBuilder() StringBuilder; StringBuilder(Object) StringBuilder; assertFailsWith(Function0<X>) Object; assertFailsWith(Object,Function0<X>) Object; assertFails(Function0<X>) Throwable; assertThrows(Function0<X>) Object; assertThrows(Object,Function0<X>) Object; assertDoesNotThrow(Function0<R>) R; assertThatThrownBy(Function0<X>) Object; assertThatCode(Function0<X>) Object
"""
