import threading

import torch

x = torch.ones(8)  #: calls=1 ops=aten::ones


def work(n):
    for _ in range(n):
        y = x.sin()  #: calls=5
    return y  #: calls=2


threads = [threading.Thread(target=work, args=(n,)) for n in (2, 3)]
for thread in threads:
    thread.start()  #: calls=2
for thread in threads:
    thread.join()  #: calls=2
x.cos()  #: calls=1 ops=aten::cos
