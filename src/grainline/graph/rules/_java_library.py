"""What is known of the library of Java: the types that most code goes through.

A line is a class; `typed/library.py` says how it is read.
"""

from typing import Final

LIBRARY: Final = """
java.lang.Object: toString() String; equals(Object) boolean; hashCode() int; getClass() Class; notify(); notifyAll(); wait(); wait(long)
java.lang.Comparable<T>: compareTo(T) int
java.lang.CharSequence: length() int; charAt(int) char; subSequence(int,int) CharSequence; isEmpty() boolean
java.lang.String < Comparable<String>, CharSequence, java.io.Serializable: substring(int) String; substring(int,int) String; trim() String; strip() String; split(String) String[]; split(String,int) String[]; toLowerCase() String; toUpperCase() String; toLowerCase(Locale) String; toUpperCase(Locale) String; replace(CharSequence,CharSequence) String; replaceAll(String,String) String; concat(String) String; getBytes() byte[]; getBytes(Charset) byte[]; toCharArray() char[]; indexOf(String) int; lastIndexOf(String) int; startsWith(String) boolean; endsWith(String) boolean; contains(CharSequence) boolean; equalsIgnoreCase(String) boolean; isBlank() boolean; repeat(int) String; static format(String,Object...) String; static valueOf(Object) String; static join(CharSequence,Object...) String; intern() String
java.lang.StringBuilder < CharSequence: append(Object) StringBuilder; insert(int,Object) StringBuilder; reverse() StringBuilder; deleteCharAt(int) StringBuilder; setLength(int); indexOf(String) int
java.lang.Number < java.io.Serializable: intValue() int; longValue() long; doubleValue() double; floatValue() float; shortValue() short; byteValue() byte
java.lang.Integer < Number, Comparable<Integer>: static parseInt(String) int; static valueOf(Object) Integer; static compare(int,int) int; static max(int,int) int; static min(int,int) int; static toString(int) String
java.lang.Long < Number, Comparable<Long>: static parseLong(String) long; static valueOf(Object) Long; static compare(long,long) int; static toString(long) String
java.lang.Short < Number, Comparable<Short>: static parseShort(String) short; static valueOf(Object) Short
java.lang.Byte < Number, Comparable<Byte>: static valueOf(Object) Byte
java.lang.Double < Number, Comparable<Double>: static parseDouble(String) double; static valueOf(Object) Double
java.lang.Float < Number, Comparable<Float>: static parseFloat(String) float; static valueOf(Object) Float
java.lang.Boolean < Comparable<Boolean>, java.io.Serializable: static parseBoolean(String) boolean; static valueOf(Object) Boolean; booleanValue() boolean
java.lang.Character < Comparable<Character>, java.io.Serializable: charValue() char
java.lang.Void
java.lang.Enum<E> < Comparable<E>: name() String; ordinal() int
java.lang.Record
java.lang.Class<T> < java.lang.reflect.Type, java.io.Serializable: getName() String; getSimpleName() String; cast(Object) T; newInstance() T; isInstance(Object) boolean; getSuperclass() Class; getClassLoader() ClassLoader; getEnumConstants() T[]
java.lang.Math: static max(int,int) int; static min(int,int) int
java.lang.Iterable<T>: iterator() Iterator<T>; forEach(Consumer<T>); spliterator() Spliterator<T>
@java.lang.AutoCloseable: close()
java.lang.Cloneable
@java.lang.Runnable: run()
java.lang.Thread < Runnable: start(); join(); interrupt(); getName() String; static currentThread() Thread; setDaemon(boolean); setName(String); isAlive() boolean
java.lang.Throwable < java.io.Serializable: getMessage() String; getCause() Throwable; printStackTrace(); getStackTrace() StackTraceElement[]; addSuppressed(Throwable); initCause(Throwable) Throwable; fillInStackTrace() Throwable; getLocalizedMessage() String; getSuppressed() Throwable[]; setStackTrace(StackTraceElement[])
java.lang.Exception < Throwable
java.lang.Error < Throwable
java.lang.AssertionError < Error
java.lang.RuntimeException < Exception
java.lang.IllegalArgumentException < RuntimeException
java.lang.IllegalStateException < RuntimeException
java.lang.UnsupportedOperationException < RuntimeException
java.lang.NullPointerException < RuntimeException
java.lang.IndexOutOfBoundsException < RuntimeException
java.lang.ClassCastException < RuntimeException
java.lang.NumberFormatException < IllegalArgumentException
java.lang.InterruptedException < Exception
java.lang.ClassNotFoundException < Exception
java.util.ConcurrentModificationException < RuntimeException
java.util.NoSuchElementException < RuntimeException
java.io.IOException < Exception
java.io.UncheckedIOException < RuntimeException
java.io.EOFException < java.io.IOException
java.io.FileNotFoundException < java.io.IOException
java.lang.ThreadLocal<T>: get() T; set(T); remove(); static withInitial(Supplier<X>) ThreadLocal<X>
java.io.Serializable
@java.io.Closeable < AutoCloseable: close()
@java.io.Flushable: flush()
java.io.InputStream < java.io.Closeable: read() int; read(byte[]) int; read(byte[],int,int) int; available() int; skip(long) long; mark(int); reset()
java.io.OutputStream < java.io.Closeable, java.io.Flushable: write(int); write(byte[]); write(byte[],int,int); flush()
java.io.Reader < java.io.Closeable: read() int
java.io.Writer < java.io.Closeable, java.io.Flushable: write(String); append(CharSequence) Writer; flush()
java.io.File: getName() String; getPath() String; getParentFile() File; listFiles() File[]; toPath() Path; exists() boolean; getAbsolutePath() String; isDirectory() boolean; delete() boolean; mkdirs() boolean
java.nio.ByteBuffer: slice() ByteBuffer; duplicate() ByteBuffer; flip() ByteBuffer; rewind() ByteBuffer; position() int; limit() int; remaining() int; position(int) ByteBuffer; limit(int) ByteBuffer; static allocate(int) ByteBuffer; static wrap(byte[]) ByteBuffer; array() byte[]; putInt(int) ByteBuffer; putLong(long) ByteBuffer; putShort(short) ByteBuffer; put(byte) ByteBuffer; getInt() int; getLong() long; getShort() short; get() byte; hasRemaining() boolean; clear() ByteBuffer; mark() ByteBuffer; reset() ByteBuffer; capacity() int
java.util.Spliterator<T>
java.util.Iterator<E>: hasNext() boolean; next() E; remove(); forEachRemaining(Consumer<E>)
java.util.ListIterator<E> < Iterator<E>: previous() E; hasPrevious() boolean; add(E); set(E)
java.util.Enumeration<E>: hasMoreElements() boolean; nextElement() E
java.util.Collection<E> < Iterable<E>: size() int; isEmpty() boolean; add(E) boolean; addAll(Collection<E>) boolean; contains(Object) boolean; containsAll(Collection) boolean; remove(Object) boolean; removeAll(Collection) boolean; removeIf(Predicate<E>) boolean; retainAll(Collection) boolean; clear(); stream() Stream<E>; parallelStream() Stream<E>; toArray() Object[]; toArray(X[]) X[]
java.util.SequencedCollection<E> < Collection<E>: getFirst() E; getLast() E; removeFirst() E; removeLast() E; reversed() SequencedCollection<E>
java.util.List<E> < SequencedCollection<E>: get(int) E; set(int,E) E; add(int,E); remove(int) E; indexOf(Object) int; lastIndexOf(Object) int; subList(int,int) List<E>; listIterator() ListIterator<E>; sort(Comparator<E>); replaceAll(UnaryOperator<E>); static of(X...) List<X>; static copyOf(Collection<X>) List<X>
java.util.AbstractCollection<E> < Collection<E>
java.util.AbstractList<E> < AbstractCollection<E>, List<E>
java.util.ArrayList<E> < AbstractList<E>: ensureCapacity(int); trimToSize()
java.util.LinkedList<E> < AbstractList<E>, Deque<E>
java.util.Vector<E> < AbstractList<E>
java.util.Stack<E> < Vector<E>: push(E) E; pop() E; peek() E; empty() boolean
java.util.concurrent.CopyOnWriteArrayList<E> < List<E>
java.util.Set<E> < Collection<E>: static of(X...) Set<X>; static copyOf(Collection<X>) Set<X>
java.util.SortedSet<E> < Set<E>: first() E; last() E; headSet(E) SortedSet<E>; tailSet(E) SortedSet<E>
java.util.NavigableSet<E> < SortedSet<E>: floor(E) E; ceiling(E) E; higher(E) E; lower(E) E; pollFirst() E; pollLast() E; descendingSet() NavigableSet<E>; descendingIterator() Iterator<E>
java.util.AbstractSet<E> < AbstractCollection<E>, Set<E>
java.util.HashSet<E> < AbstractSet<E>
java.util.LinkedHashSet<E> < HashSet<E>
java.util.TreeSet<E> < AbstractSet<E>, NavigableSet<E>
java.util.EnumSet<E> < AbstractSet<E>: static of(X...) EnumSet<X>; static noneOf(Class<X>) EnumSet<X>; static allOf(Class<X>) EnumSet<X>
java.util.concurrent.ConcurrentSkipListSet<E> < NavigableSet<E>
java.util.concurrent.CopyOnWriteArraySet<E> < AbstractSet<E>
java.util.Queue<E> < Collection<E>: poll() E; peek() E; offer(E) boolean; remove() E; element() E
java.util.Deque<E> < Queue<E>: addFirst(E); addLast(E); offerFirst(E) boolean; offerLast(E) boolean; pollFirst() E; pollLast() E; peekFirst() E; peekLast() E; push(E); pop() E; getFirst() E; getLast() E; removeFirst() E; removeLast() E; descendingIterator() Iterator<E>
java.util.ArrayDeque<E> < AbstractCollection<E>, Deque<E>
java.util.PriorityQueue<E> < AbstractCollection<E>, Queue<E>
java.util.concurrent.BlockingQueue<E> < Queue<E>: take() E; put(E); poll(long,TimeUnit) E; offer(E,long,TimeUnit) boolean; drainTo(Collection<E>) int
java.util.concurrent.LinkedBlockingQueue<E> < BlockingQueue<E>
java.util.concurrent.ArrayBlockingQueue<E> < BlockingQueue<E>
java.util.concurrent.PriorityBlockingQueue<E> < BlockingQueue<E>
java.util.concurrent.ConcurrentLinkedQueue<E> < Queue<E>
java.util.concurrent.ConcurrentLinkedDeque<E> < Deque<E>
java.util.concurrent.LinkedBlockingDeque<E> < BlockingQueue<E>, Deque<E>
java.util.Map<K,V>: get(Object) V; put(K,V) V; putAll(Map<K,V>); putIfAbsent(K,V) V; remove(Object) V; containsKey(Object) boolean; containsValue(Object) boolean; size() int; isEmpty() boolean; clear(); getOrDefault(Object,V) V; keySet() Set<K>; values() Collection<V>; entrySet() Set<Map.Entry<K,V>>; forEach(BiConsumer<K,V>); computeIfAbsent(K,Function<K,V>) V; computeIfPresent(K,BiFunction<K,V,V>) V; compute(K,BiFunction<K,V,V>) V; merge(K,V,BiFunction<V,V,V>) V; replaceAll(BiFunction<K,V,V>); replace(K,V) V; static of() Map<X,Y>; static of(X,Y) Map<X,Y>; static of(X,Y,X,Y) Map<X,Y>; static of(X,Y,X,Y,X,Y) Map<X,Y>; static entry(X,Y) Map.Entry<X,Y>; static copyOf(Map<X,Y>) Map<X,Y>; static ofEntries(Map.Entry<X,Y>...) Map<X,Y>
java.util.Map.Entry<K,V>: getKey() K; getValue() V; setValue(V) V
java.util.AbstractMap<K,V> < Map<K,V>
java.util.AbstractMap.SimpleEntry<K,V> < Map.Entry<K,V>
java.util.AbstractMap.SimpleImmutableEntry<K,V> < Map.Entry<K,V>
java.util.HashMap<K,V> < AbstractMap<K,V>
java.util.LinkedHashMap<K,V> < HashMap<K,V>
java.util.Hashtable<K,V> < Map<K,V>
java.util.Properties < Hashtable<Object,Object>: getProperty(String) String; setProperty(String,String) Object
java.util.IdentityHashMap<K,V> < AbstractMap<K,V>
java.util.WeakHashMap<K,V> < AbstractMap<K,V>
java.util.EnumMap<K,V> < AbstractMap<K,V>
java.util.SortedMap<K,V> < Map<K,V>: firstKey() K; lastKey() K; headMap(K) SortedMap<K,V>; tailMap(K) SortedMap<K,V>
java.util.NavigableMap<K,V> < SortedMap<K,V>: firstEntry() Map.Entry<K,V>; lastEntry() Map.Entry<K,V>; floorEntry(K) Map.Entry<K,V>; ceilingEntry(K) Map.Entry<K,V>; higherEntry(K) Map.Entry<K,V>; lowerEntry(K) Map.Entry<K,V>; pollFirstEntry() Map.Entry<K,V>; floorKey(K) K; ceilingKey(K) K; descendingMap() NavigableMap<K,V>; headMap(K,boolean) NavigableMap<K,V>; tailMap(K,boolean) NavigableMap<K,V>; navigableKeySet() NavigableSet<K>
java.util.TreeMap<K,V> < AbstractMap<K,V>, NavigableMap<K,V>
java.util.concurrent.ConcurrentMap<K,V> < Map<K,V>
java.util.concurrent.ConcurrentHashMap<K,V> < ConcurrentMap<K,V>: static newKeySet() Set<X>
java.util.concurrent.ConcurrentSkipListMap<K,V> < ConcurrentMap<K,V>, NavigableMap<K,V>
java.util.Collections: static emptyList() List<X>; static emptySet() Set<X>; static emptyMap() Map<X,Y>; static emptyIterator() Iterator<X>; static singletonList(X) List<X>; static singleton(X) Set<X>; static singletonMap(X,Y) Map<X,Y>; static unmodifiableList(List<X>) List<X>; static unmodifiableSet(Set<X>) Set<X>; static unmodifiableMap(Map<X,Y>) Map<X,Y>; static unmodifiableCollection(Collection<X>) Collection<X>; static synchronizedList(List<X>) List<X>; static synchronizedMap(Map<X,Y>) Map<X,Y>; static synchronizedSet(Set<X>) Set<X>; static sort(List<X>); static sort(List<X>,Comparator<X>); static max(Collection<X>) X; static min(Collection<X>) X; static max(Collection<X>,Comparator<X>) X; static min(Collection<X>,Comparator<X>) X; static nCopies(int,X) List<X>; static reverse(List); static shuffle(List); static addAll(Collection<X>,X...) boolean; static newSetFromMap(Map<X,Y>) Set<X>
java.util.Arrays: static asList(X...) List<X>; static stream(X[]) Stream<X>; static copyOf(X[],int) X[]; static copyOfRange(X[],int,int) X[]; static sort(X[]); static sort(X[],Comparator<X>); static fill(Object,Object); static equals(Object,Object) boolean; static hashCode(Object) int; static toString(Object) String
java.util.Objects: static requireNonNull(X) X; static requireNonNull(X,String) X; static requireNonNull(X,Supplier<String>) X; static requireNonNullElse(X,X) X; static equals(Object,Object) boolean; static hash(Object...) int; static hashCode(Object) int; static toString(Object) String; static isNull(Object) boolean; static nonNull(Object) boolean
java.util.Optional<T>: get() T; isPresent() boolean; isEmpty() boolean; orElse(T) T; orElseGet(Supplier<T>) T; orElseThrow() T; orElseThrow(Supplier<X>) T; ifPresent(Consumer<T>); ifPresentOrElse(Consumer<T>,Runnable); map(Function<T,R>) Optional<R>; flatMap(Function<T,Optional<R>>) Optional<R>; filter(Predicate<T>) Optional<T>; or(Supplier<Optional<T>>) Optional<T>; stream() Stream<T>; static of(X) Optional<X>; static ofNullable(X) Optional<X>; static empty() Optional<X>
java.util.OptionalInt: getAsInt() int; isPresent() boolean; orElse(int) int
java.util.OptionalLong: getAsLong() long; isPresent() boolean; orElse(long) long
java.util.Random: nextInt() int; nextInt(int) int; nextLong() long; nextBoolean() boolean; nextDouble() double; nextBytes(byte[])
java.util.UUID < Comparable<UUID>: static randomUUID() UUID; static fromString(String) UUID; getMostSignificantBits() long; getLeastSignificantBits() long
java.util.Date: getTime() long
java.util.Locale
java.util.regex.Pattern: matcher(CharSequence) Matcher; static compile(String) Pattern; pattern() String
java.util.regex.Matcher: group() String; group(int) String; find() boolean; matches() boolean
java.util.StringJoiner: add(CharSequence) StringJoiner
java.util.Scanner
@java.util.Comparator<T>: compare(T,T) int; reversed() Comparator<T>; thenComparing(Function<T,R>) Comparator<T>; thenComparing(Comparator<T>) Comparator<T>; thenComparingInt(ToIntFunction<T>) Comparator<T>; thenComparingLong(ToLongFunction<T>) Comparator<T>; static comparing(Function<X,Y>) Comparator<X>; static comparingInt(ToIntFunction<X>) Comparator<X>; static comparingLong(ToLongFunction<X>) Comparator<X>; static naturalOrder() Comparator<X>; static reverseOrder() Comparator<X>
@java.util.function.Function<T,R>: apply(T) R; andThen(Function<R,V>) Function<T,V>; compose(Function<V,T>) Function<V,R>; static identity() Function<X,X>
@java.util.function.BiFunction<T,U,R>: apply(T,U) R
@java.util.function.UnaryOperator<T> < Function<T,T>: apply(T) T; static identity() UnaryOperator<X>
@java.util.function.BinaryOperator<T> < BiFunction<T,T,T>: apply(T,T) T
@java.util.function.Supplier<T>: get() T
@java.util.function.BooleanSupplier: getAsBoolean() boolean
@java.util.function.IntSupplier: getAsInt() int
@java.util.function.LongSupplier: getAsLong() long
@java.util.function.DoubleSupplier: getAsDouble() double
@java.util.function.Consumer<T>: accept(T); andThen(Consumer<T>) Consumer<T>
@java.util.function.BiConsumer<T,U>: accept(T,U); andThen(BiConsumer<T,U>) BiConsumer<T,U>
@java.util.function.IntConsumer: accept(int)
@java.util.function.LongConsumer: accept(long)
@java.util.function.Predicate<T>: test(T) boolean; negate() Predicate<T>; and(Predicate<T>) Predicate<T>; or(Predicate<T>) Predicate<T>; static not(Predicate<X>) Predicate<X>
@java.util.function.BiPredicate<T,U>: test(T,U) boolean
@java.util.function.IntPredicate: test(int) boolean
@java.util.function.IntFunction<R>: apply(int) R
@java.util.function.LongFunction<R>: apply(long) R
@java.util.function.IntUnaryOperator: applyAsInt(int) int
@java.util.function.IntBinaryOperator: applyAsInt(int,int) int
@java.util.function.LongUnaryOperator: applyAsLong(long) long
@java.util.function.ToIntFunction<T>: applyAsInt(T) int
@java.util.function.ToLongFunction<T>: applyAsLong(T) long
@java.util.function.ToDoubleFunction<T>: applyAsDouble(T) double
@java.util.function.ToIntBiFunction<T,U>: applyAsInt(T,U) int
@java.util.function.DoubleUnaryOperator: applyAsDouble(double) double
@java.util.concurrent.Callable<V>: call() V
java.util.stream.BaseStream<T> < AutoCloseable: iterator() Iterator<T>; onClose(Runnable) BaseStream<T>
java.util.stream.Stream<T> < BaseStream<T>: map(Function<T,R>) Stream<R>; mapToInt(ToIntFunction<T>) IntStream; mapToLong(ToLongFunction<T>) LongStream; mapToDouble(ToDoubleFunction<T>) DoubleStream; flatMap(Function<T,Stream<R>>) Stream<R>; filter(Predicate<T>) Stream<T>; distinct() Stream<T>; sorted() Stream<T>; sorted(Comparator<T>) Stream<T>; peek(Consumer<T>) Stream<T>; limit(long) Stream<T>; skip(long) Stream<T>; takeWhile(Predicate<T>) Stream<T>; dropWhile(Predicate<T>) Stream<T>; forEach(Consumer<T>); forEachOrdered(Consumer<T>); collect(Collector<T,A,R>) R; toList() List<T>; toArray() Object[]; toArray(IntFunction<X>) X; reduce(BinaryOperator<T>) Optional<T>; reduce(T,BinaryOperator<T>) T; min(Comparator<T>) Optional<T>; max(Comparator<T>) Optional<T>; count() long; anyMatch(Predicate<T>) boolean; allMatch(Predicate<T>) boolean; noneMatch(Predicate<T>) boolean; findFirst() Optional<T>; findAny() Optional<T>; parallel() Stream<T>; sequential() Stream<T>; static of(X...) Stream<X>; static empty() Stream<X>; static concat(Stream<X>,Stream<X>) Stream<X>; static iterate(X,UnaryOperator<X>) Stream<X>; static generate(Supplier<X>) Stream<X>
java.util.stream.IntStream < BaseStream<Integer>: mapToObj(IntFunction<R>) Stream<R>; map(IntUnaryOperator) IntStream; boxed() Stream<Integer>; filter(IntPredicate) IntStream; forEach(IntConsumer); sum() int; max() OptionalInt; min() OptionalInt; toArray() int[]; anyMatch(IntPredicate) boolean; allMatch(IntPredicate) boolean; count() long; static range(int,int) IntStream; static rangeClosed(int,int) IntStream; static of(int...) IntStream
java.util.stream.LongStream < BaseStream<Long>: mapToObj(LongFunction<R>) Stream<R>; boxed() Stream<Long>; sum() long; max() OptionalLong; forEach(LongConsumer); static range(long,long) LongStream
java.util.stream.DoubleStream < BaseStream<Double>: sum() double; boxed() Stream<Double>
java.util.stream.Collector<T,A,R>
java.util.stream.Collectors: static toList() Collector<X,A,List<X>>; static toSet() Collector<X,A,Set<X>>; static toUnmodifiableList() Collector<X,A,List<X>>; static toUnmodifiableSet() Collector<X,A,Set<X>>; static joining() Collector<X,A,String>; static joining(CharSequence) Collector<X,A,String>; static joining(CharSequence,CharSequence,CharSequence) Collector<X,A,String>
@java.util.concurrent.Executor: execute(Runnable)
java.util.concurrent.ExecutorService < Executor: submit(Callable<X>) Future<X>; submit(Runnable) Future<Object>; shutdown(); shutdownNow() List<Runnable>; awaitTermination(long,TimeUnit) boolean; isShutdown() boolean; invokeAll(Collection<Callable<X>>) List<Future<X>>
java.util.concurrent.ScheduledExecutorService < ExecutorService: schedule(Runnable,long,TimeUnit) Future<Object>
java.util.concurrent.Future<V>: get() V; get(long,TimeUnit) V; cancel(boolean) boolean; isDone() boolean; isCancelled() boolean
java.util.concurrent.CompletionStage<T>: toCompletableFuture() CompletableFuture<T>
java.util.concurrent.CompletableFuture<T> < Future<T>, CompletionStage<T>: join() T; complete(T) boolean; completeExceptionally(Throwable) boolean; thenApply(Function<T,R>) CompletableFuture<R>; thenAccept(Consumer<T>) CompletableFuture<Void>; thenRun(Runnable) CompletableFuture<Void>; thenCompose(Function<T,CompletionStage<R>>) CompletableFuture<R>; whenComplete(BiConsumer<T,Throwable>) CompletableFuture<T>; handle(BiFunction<T,Throwable,R>) CompletableFuture<R>; exceptionally(Function<Throwable,T>) CompletableFuture<T>; isCompletedExceptionally() boolean; getNow(T) T; static completedFuture(X) CompletableFuture<X>; static supplyAsync(Supplier<X>) CompletableFuture<X>; static runAsync(Runnable) CompletableFuture<Void>; static allOf(CompletableFuture...) CompletableFuture<Void>
java.util.concurrent.CountDownLatch: countDown(); await(); await(long,TimeUnit) boolean; getCount() long
java.util.concurrent.TimeUnit
java.util.concurrent.locks.Lock: lock(); unlock(); newCondition() Condition; tryLock() boolean
java.util.concurrent.locks.ReentrantLock < Lock: isHeldByCurrentThread() boolean
java.util.concurrent.locks.Condition: await(); signal(); signalAll(); await(long,TimeUnit) boolean
java.util.concurrent.locks.ReadWriteLock: readLock() Lock; writeLock() Lock
java.util.concurrent.locks.ReentrantReadWriteLock < ReadWriteLock
java.util.concurrent.atomic.AtomicInteger < Number: get() int; set(int); incrementAndGet() int; getAndIncrement() int; decrementAndGet() int; addAndGet(int) int; compareAndSet(int,int) boolean; getAndSet(int) int
java.util.concurrent.atomic.AtomicLong < Number: get() long; set(long); incrementAndGet() long; getAndIncrement() long; addAndGet(long) long; compareAndSet(long,long) boolean
java.util.concurrent.atomic.AtomicBoolean: get() boolean; set(boolean); compareAndSet(boolean,boolean) boolean; getAndSet(boolean) boolean
java.util.concurrent.atomic.AtomicReference<V>: get() V; set(V); getAndSet(V) V; compareAndSet(V,V) boolean; updateAndGet(UnaryOperator<V>) V; getAndUpdate(UnaryOperator<V>) V
java.lang.ref.Reference<T>: get() T
java.lang.ref.WeakReference<T> < java.lang.ref.Reference<T>
java.lang.ref.SoftReference<T> < java.lang.ref.Reference<T>
java.time.Duration < Comparable<Duration>: toMillis() long; static ofMillis(long) Duration; static ofSeconds(long) Duration; getSeconds() long; plus(Duration) Duration; toNanos() long
java.time.Instant < Comparable<Instant>: toEpochMilli() long; static now() Instant; plus(Duration) Instant
java.nio.file.Path < Comparable<Path>, Iterable<Path>: resolve(String) Path; getParent() Path; getFileName() Path; toFile() File; toAbsolutePath() Path; normalize() Path; relativize(Path) Path
java.nio.charset.Charset
java.lang.reflect.Type: getTypeName() String
java.lang.reflect.ParameterizedType < java.lang.reflect.Type: getRawType() Type; getOwnerType() Type; getActualTypeArguments() Type[]
java.lang.reflect.GenericArrayType < java.lang.reflect.Type: getGenericComponentType() Type
java.lang.reflect.WildcardType < java.lang.reflect.Type: getUpperBounds() Type[]; getLowerBounds() Type[]
"""
