"""Read a trace file into columns, and nothing else: no meaning is given to an event here.

What traces hold, by version of torch and by vendor, is written down in docs/trace-format.md.
"""
