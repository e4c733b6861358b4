"""Run folders: what is in them, where their sources are now, and how profiled lines map onto edited text."""
