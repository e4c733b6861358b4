def g():
    try:
        yield 1
    except ValueError:
        yield 2


def main():
    i = g()
    next(i)
    i.throw(ValueError())
    try:
        i.throw(KeyError())
    except KeyError:
        pass
