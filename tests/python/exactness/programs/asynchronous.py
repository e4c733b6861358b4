import asyncio
import contextlib

import torch

x = torch.ones(8)  #: calls=1 ops=aten::ones


async def one():
    y = x.sin()  #: calls=2 ops=aten::sin*2
    await asyncio.sleep(0)  #: calls=2
    return y.cos()  #: calls=2 ops=aten::cos*2


async def main():
    await asyncio.gather(one(), one())  #: calls=1
    async for v in some():
        v.tan()  #: calls=2 ops=aten::tan*2


async def some():
    for i in range(2):
        yield x + i  #: calls=2 ops=aten::add*2


def fails():
    x.exp()  #: calls=1 ops=aten::exp
    raise ValueError


@contextlib.contextmanager
def around():
    x.abs()  #: calls=1 ops=aten::abs
    try:
        yield  #: calls=1
    finally:
        x.neg()  #: calls=1 ops=aten::neg


asyncio.run(main())
try:
    fails()  #: calls=1
except ValueError:
    x.sqrt()  #: calls=1 ops=aten::sqrt
with around():
    x.log()  #: calls=1 ops=aten::log
