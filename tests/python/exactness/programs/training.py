import torch
from torch.utils.checkpoint import checkpoint


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2  #: calls=2 ops=aten::mul*2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2  #: calls=2 ops=aten::mul*2


def block(x):
    return x.sin()  #: calls=4 ops=aten::sin*4 backward=SinBackward0*2


w = torch.ones(8, 8, requires_grad=True)


def step(x):
    h = x @ w  #: calls=2 ops=aten::matmul*2 backward=MmBackward0*2
    h = h.relu()  #: calls=2 ops=aten::relu*2 backward=ReluBackward0*2
    h = checkpoint(block, h, use_reentrant=False)  #: calls=2
    h = Double.apply(h)  #: calls=2
    h[:, 0] = 1  #: calls=2 backward=torch::autograd::CopySlices*2
    loss = h.sum()  #: calls=2 ops=aten::sum*2 backward=SumBackward0*2
    loss.backward()  #: calls=2


for i in range(2):
    step(torch.ones(4, 8))
