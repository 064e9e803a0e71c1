"""One file per way of writing an answer from a context: endpoints that the user gives, stand-ins."""
