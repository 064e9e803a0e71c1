"""One file per way of ranking texts; a comparison gives all its strategies the same one."""
