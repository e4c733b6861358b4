def count(n):
    for i in range(n):
        yield i
    return


def chain():
    yield from count(1)
    yield 9


def main():
    for i in count(2):
        pass
    list(chain())
    g = count(5)
    next(g)
    g.close()
