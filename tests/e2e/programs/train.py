import sys
import time

import torch
from model import Net
from torch import nn


def batches(count):
    for _ in range(count):
        time.sleep(0.2)
        time.sleep(0.02)
        yield torch.randn(64, 256), torch.randint(0, 10, (64,))


def train(count):
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    for step, (inputs, labels) in enumerate(batches(count)):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(net(inputs), labels)
        loss.backward()
        optimizer.step()
        print(f"step {step} loss {loss.item():.3f}", flush=True)


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)
    train(int(sys.argv[1]) if len(sys.argv) > 1 else 12)
    print("training is done")
