"""Resolver tiers: units of one visible set in, edges and unresolved references out."""
