"""Read a trace file into columns, and nothing else: no meaning is given to an event here."""
