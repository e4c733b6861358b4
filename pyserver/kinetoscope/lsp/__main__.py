"""`python -I -m kinetoscope.lsp`: the language server on stdin and stdout."""

import sys

from kinetoscope.lsp.server import serve

if __name__ == "__main__":
    sys.exit(serve())
