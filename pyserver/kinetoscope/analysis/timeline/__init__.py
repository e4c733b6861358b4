"""The timeline: a linked trace as tracks of events, asked for by range and width of the screen."""
