import torch

x = torch.ones(16)  #: calls=1 ops=aten::ones


def twice(v):
    return v * 2  #: calls=14 ops=aten::mul*14


def outer():
    total = x  #: calls=2
    for _ in range(3):  #: calls=8
        total = total + x  #: calls=6 ops=aten::add*6
    n = 0
    while n < 2:  #: calls=6
        n += 1
        if n == 2:  #: calls=4
            total = twice(total)  #: calls=2
    return total


outer()  #: calls=1
outer()  #: calls=1
[twice(x) for _ in range(4)]  #: calls=1
many = {k: twice(x) for k in range(3)}  #: calls=1
lazy = sum(twice(x) for _ in range(5))  #: calls=1 ops=aten::add*5
a = x + 1; b = x - 1; c = a * b  #: calls=1 ops=aten::add,aten::sub,aten::mul
both = x.cos() if a is b else x.sin()  #: calls=1 ops=aten::sin
