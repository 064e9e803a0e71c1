"""Language servers, one file each: `SERVER` says how to start it and what it may see."""
