"""One file per way of finding code; all are asked the same questions about the same checkouts."""
