"""Our messages in pygls, typed: parameters and results are the wire's msgspec structs, never anonymous namedtuples.

Parameters that don't fit are not refused while the message is decoded (pygls would then never answer): they arrive at the handler as a
`ValidationError`, which `checked` turns into an InvalidParams response.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

import msgspec
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams
from pygls.protocol import LanguageServerProtocol, default_converter

from kinetoscope.service import wire
from kinetoscope.service.errors import RunError
from kinetoscope.service.session import decode

P = TypeVar("P")
R = TypeVar("R")


class RequestFailed(JsonRpcException):
    """A request that can't be answered, with words for the user. LSP's code for it."""

    CODE = -32803
    MESSAGE = "Request failed"


@dataclass
class Request:
    """One of our requests; `params` are a struct of the wire or a `ValidationError`."""

    id: int | str
    method: str
    params: Any
    jsonrpc: str


@dataclass
class Response:
    """Our answer; `result` is a struct of the wire."""

    id: int | str
    result: Any
    jsonrpc: str


@dataclass
class Notification:
    """One of our notifications, in either direction."""

    method: str
    params: Any
    jsonrpc: str


def parameters(method: str, raw: object) -> object:
    """The parameters of one of our messages as its struct, or what is wrong with them."""
    try:
        return decode(method, raw)
    except msgspec.ValidationError as error:
        return error


def converter() -> Any:
    """pygls' converter (of cattrs) that also knows our messages."""
    known = default_converter()
    known.register_structure_hook(
        Request, lambda raw, _: Request(raw["id"], raw["method"], parameters(raw["method"], raw.get("params")), raw["jsonrpc"])
    )
    known.register_structure_hook(
        Notification, lambda raw, _: Notification(raw["method"], parameters(raw["method"], raw.get("params")), raw["jsonrpc"])
    )
    return known


class Protocol(LanguageServerProtocol):
    """The protocol with our methods."""

    @lru_cache  # noqa: B019 - one protocol lives as long as the process
    def get_message_type(self, method: str) -> type[Any] | None:
        """The type of a message by its method."""
        if method in wire.REQUESTS:
            return Request
        if method in wire.NOTIFICATIONS or method in wire.CLIENT_NOTIFICATIONS:
            return Notification
        return super().get_message_type(method)

    @lru_cache  # noqa: B019 - as above
    def get_result_type(self, method: str) -> type[Any] | None:
        """The type of a response by its request's method."""
        return Response if method in wire.REQUESTS else super().get_result_type(method)

    def _serialize_message(self, data: Any) -> dict[str, Any]:
        return msgspec.to_builtins(data) if isinstance(data, msgspec.Struct) else super()._serialize_message(data)


def checked(handler: Callable[[P], Awaitable[R]]) -> Callable[[P | msgspec.ValidationError], Awaitable[R]]:
    """A handler of one of our methods whose problems become LSP errors with words for the user."""

    async def handle(params: P | msgspec.ValidationError) -> R:
        if isinstance(params, msgspec.ValidationError):
            raise JsonRpcInvalidParams(str(params))
        try:
            return await handler(params)
        except RunError as error:
            raise RequestFailed(str(error)) from error

    return handle
