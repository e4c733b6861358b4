"""Trains a transformer encoder and an LSTM together: many constructs of torch's own modules, for bench/inferred.py."""

import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self, width=32, tags=7):
        super().__init__()
        self.embed = nn.Embedding(50, width)
        layer = nn.TransformerEncoderLayer(width, 4, 64, dropout=0.1, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2)
        self.lstm = nn.LSTM(width, width, batch_first=True, bidirectional=True)
        self.norm = nn.LayerNorm(2 * width)
        self.head = nn.Linear(2 * width, tags)

    def forward(self, tokens):
        x = self.embed(tokens) * 2.0
        mask = nn.Transformer.generate_square_subsequent_mask(tokens.shape[1])
        x = self.encoder(x, mask=mask)
        y, (h, c) = self.lstm(x)
        y = self.norm(y + h.mean() + c[0, 0, 0])
        return self.head(y)


def main():
    torch.manual_seed(0)
    model = Tagger()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, foreach=False)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 20)
    loss_of = nn.CrossEntropyLoss(label_smoothing=0.1)
    for _ in range(8):
        tokens = torch.randint(0, 50, (4, 12))
        tags = torch.randint(0, 7, (4, 12))
        logits = model(tokens)
        loss = loss_of(logits.transpose(1, 2), tags)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0, foreach=False)
        optimizer.step()
        schedule.step()
    print(f"{loss.item():.3f}")


if __name__ == "__main__":
    main()
