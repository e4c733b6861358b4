"""Pure functions from a linked trace to tables, one module a view."""
