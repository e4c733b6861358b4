"""The language server: translates between the Language Server Protocol and the service, and holds no analysis."""
