"""Tie a trace's events together: kernel ↔ launch ↔ op ↔ line, backward ↔ forward. One relation a module, each with its rule."""
