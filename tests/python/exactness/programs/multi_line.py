import torch

x = torch.ones(8, 8)  #: calls=1 ops=aten::ones


def combine(a, b, c):
    return (
        a  #: ops=aten::add*4
        + b.relu()  #: ops=aten::relu*2
        + c
    )


for _ in range(2):
    y = combine(
        x.sin(),  #: calls=2 ops=aten::sin*2
        x.cos(),  #: calls=2 ops=aten::cos*2
        x @ x,  #: calls=2 ops=aten::matmul*2
    )
text = """
many
lines
"""
z = x.tan()  #: calls=1 ops=aten::tan
