"""Text: bytes into working text, tokens, terms, counts, digests; secrets out. Pure, no I/O."""
