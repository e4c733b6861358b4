"""Kinetoscope: what each line of a PyTorch program costs."""

__version__ = "0.1.0"
