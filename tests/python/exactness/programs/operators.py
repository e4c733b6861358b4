import torch

a = torch.ones(4, 8)  #: calls=1 ops=aten::ones alloc=128
b = torch.ones(8, 2)  #: calls=1 ops=aten::ones alloc=64
c = a @ b  #: calls=1 ops=aten::matmul alloc=32
d = c + 1  #: calls=1 ops=aten::add
e = d[0]  #: calls=1 ops=aten::select
f = d[:, 1]  #: calls=1 ops=aten::select
g = a.T  #: calls=1 ops=aten::numpy_T
h = -c  #: calls=1 ops=aten::neg alloc=32
d += h  #: calls=1 ops=aten::add_
t = d.sum() > 0  #: calls=1 ops=aten::sum,aten::gt
if t:  #: calls=1 ops=aten::is_nonzero
    x = float(c.sum())  #: calls=1 ops=aten::sum,aten::item
y = 3  #: calls=1
