"""Any failure as an error for a person: the one place that knows what the system says."""

from __future__ import annotations

from grainline.errors import GrainlineError, ResourceExhausted


def told(failure: Exception, defect: str, *, words: bool) -> GrainlineError:
    """`failure` for a person.

    Args:
        failure: what went wrong.
        defect: what to do when it is none of the known failures.
        words: whether a defect is told in its own words, which may be of what was read.
    """
    if isinstance(failure, GrainlineError):
        return failure
    if isinstance(failure, MemoryError):
        return ResourceExhausted(
            "out_of_memory",
            "there is not enough memory",
            hint="free some, or ask about less: --repo, --path",
        )
    if isinstance(failure, OSError):
        said = failure.strerror or str(failure) or type(failure).__name__
        return ResourceExhausted("resource", f"the system said no: {said}")
    name = type(failure).__name__
    return GrainlineError("internal", f"{name}: {failure}" if words else name, hint=defect)
