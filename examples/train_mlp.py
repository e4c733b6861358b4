"""Trains a small classifier on synthetic data, the way training scripts are usually written."""

import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class MLP(nn.Module):
    def __init__(self, features: int, hidden: int, classes: int) -> None:
        super().__init__()
        self.input = nn.Linear(features, hidden)
        self.hidden = nn.Linear(hidden, hidden)
        self.norm = nn.LayerNorm(hidden)
        self.output = nn.Linear(hidden, classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.relu(self.input(x))
        x = x + torch.relu(self.hidden(self.norm(x)))
        return self.output(x)


def make_data(samples: int, features: int, classes: int) -> TensorDataset:
    x = torch.randn(samples, features)
    y = (x @ torch.randn(features, classes)).argmax(dim=1)
    return TensorDataset(x, y)


def accuracy(logits: torch.Tensor, target: torch.Tensor) -> float:
    return (logits.argmax(dim=1) == target).float().mean().item()


def train(steps: int, batch: int, hidden: int) -> None:
    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = MLP(128, hidden, 10).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    loss_of = nn.CrossEntropyLoss()
    loader = DataLoader(make_data(steps * batch, 128, 10), batch_size=batch, shuffle=True)
    for step, (x, y) in enumerate(loader):
        x, y = x.to(device), y.to(device)
        logits = model(x)
        loss = loss_of(logits, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 10 == 0:
            print(f"step {step:3d}  loss {loss.item():.3f}  accuracy {accuracy(logits, y):.2f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--hidden", type=int, default=512)
    arguments = parser.parse_args()
    train(arguments.steps, arguments.batch, arguments.hidden)
