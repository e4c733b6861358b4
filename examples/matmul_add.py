"""The smallest program worth profiling: x @ w + b and its gradients.

On a GPU, size 64 is bound by overhead: the host can't launch kernels as fast as they run. Size 4096 is bound by compute.
"""

import argparse

import torch


def train(size: int, steps: int) -> None:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    w = torch.randn(size, size, device=device, requires_grad=True)
    b = torch.randn(size, device=device, requires_grad=True)
    x = torch.randn(size, size, device=device)
    optimizer = torch.optim.SGD([w, b], lr=0.01)
    for _ in range(steps):
        product = x @ w
        y = product + b
        loss = y.square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"loss {loss.item():.3f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=1024, help="rows and columns of the matrices; try 64 and 4096")
    parser.add_argument("--steps", type=int, default=12)
    arguments = parser.parse_args()
    train(arguments.size, arguments.steps)
