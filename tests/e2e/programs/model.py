import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(256, 512)
        self.second = nn.Linear(512, 10)

    def forward(self, inputs):
        mixed = mix(inputs)
        hidden = torch.relu(self.first(mixed))
        return self.second(hidden)


def mix(inputs):
    weights = torch.ones(1024, 1024)
    product = weights @ weights
    return inputs * product.mean() / len(product)
