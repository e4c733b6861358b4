def numbers():
    n = 1
    yield n
    n += 1
    yield n


opened = numbers()


def before():
    next(opened)


def main():
    next(opened)
