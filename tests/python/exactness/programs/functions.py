import functools

import torch

x = torch.ones(8)  #: calls=1 ops=aten::ones


def doubled(function):
    @functools.wraps(function)
    def wrapper(*args):
        y = function(*args)  #: calls=2
        return y + y  #: calls=2 ops=aten::add*2

    return wrapper


@doubled
def sine(v):
    return v.sin()  #: calls=2 ops=aten::sin*2


cosine = lambda v: v.cos()  #: calls=4 ops=aten::cos*3


def down(n, v):
    if n == 0:  #: calls=4
        return v.exp()  #: calls=1 ops=aten::exp
    return down(n - 1, v * 2)  #: calls=3 ops=aten::mul*3


def numbers():
    for i in range(3):
        yield x + i  #: calls=3 ops=aten::add*3


class Box:
    @property
    def value(self):
        return x.tan()  #: calls=2 ops=aten::tan*2

    def __add__(self, other):
        return x - other  #: calls=1 ops=aten::sub


sine(x)  #: calls=1
sine(x)  #: calls=1
for _ in range(3):
    cosine(x)  #: calls=3
down(3, x)  #: calls=1
for y in numbers():
    z = y.abs()  #: calls=3 ops=aten::abs*3
box = Box()
box.value
box.value
box + 1
sorted([2, 1], key=lambda i: float(x[i]))  #: calls=3 ops=aten::select*2,aten::item*2
