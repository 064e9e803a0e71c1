"""Expansion rules, one file each: `RULE` names what stands near an anchor, and why."""
