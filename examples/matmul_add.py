"""The smallest program worth profiling: a matrix product, an addition, and their gradients."""

import torch

device = "cuda" if torch.cuda.is_available() else "cpu"
weight = torch.randn(1024, 1024, device=device, requires_grad=True)
bias = torch.randn(1024, device=device, requires_grad=True)
optimizer = torch.optim.SGD([weight, bias], lr=0.01)

for _ in range(12):
    x = torch.randn(256, 1024, device=device)
    product = x @ weight
    total = product + bias
    loss = total.square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

print(f"loss {loss.item():.3f}")
