"""The loopback host of the pages: they ask the service over HTTP on 127.0.0.1, with a secret token. It reads, and changes no file."""
