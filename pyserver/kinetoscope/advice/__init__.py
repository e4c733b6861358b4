"""Advice: one module a finding. Each looks at a linked trace and says what it found, with numbers, the lines, and what to do."""
