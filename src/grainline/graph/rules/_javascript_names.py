"""Names that JavaScript and its hosts bind."""

from __future__ import annotations

from typing import Final

_TEXT = """
Array ArrayBuffer AsyncFunction Atomics BigInt BigInt64Array BigUint64Array Boolean DataView Date
Error AggregateError EvalError Float32Array Float64Array Function Generator GeneratorFunction
Infinity Int8Array Int16Array Int32Array Intl JSON Map Math NaN Number Object Promise Proxy
RangeError ReferenceError Reflect RegExp Set SharedArrayBuffer String Symbol SyntaxError TypeError
URIError Uint8Array Uint8ClampedArray Uint16Array Uint32Array WeakMap WeakRef WeakSet
FinalizationRegistry decodeURI decodeURIComponent encodeURI encodeURIComponent escape eval
globalThis isFinite isNaN parseFloat parseInt unescape arguments
console setTimeout setInterval setImmediate clearTimeout clearInterval clearImmediate
queueMicrotask structuredClone fetch Request Response Headers FormData URL URLSearchParams Blob
File FileReader AbortController AbortSignal Event EventTarget CustomEvent MessageChannel
MessagePort MessageEvent Worker WebSocket ReadableStream WritableStream TransformStream
TextEncoder TextDecoder CompressionStream DecompressionStream crypto performance Buffer process
global require module exports __dirname __filename atob btoa alert confirm prompt window document
navigator location history localStorage sessionStorage self screen XMLHttpRequest
requestAnimationFrame cancelAnimationFrame addEventListener removeEventListener postMessage
getComputedStyle matchMedia MutationObserver IntersectionObserver ResizeObserver Node Element
HTMLElement SVGElement Image Audio Option WebAssembly Deno Bun caches Cache
describe it test expect beforeEach afterEach beforeAll afterAll before after jest vi suite context
"""
GLOBALS: Final = frozenset(_TEXT.split())
"""Of the language, of browsers, of servers, and of test runners."""
