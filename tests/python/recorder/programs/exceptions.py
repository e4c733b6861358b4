def bad():
    raise ValueError


def through():
    bad()


def main():
    try:
        through()
    except ValueError:
        pass
    finally:
        x = 1
    with Manager():
        raise KeyError


class Manager:
    def __enter__(self):
        return self

    def __exit__(self, *exc):
        return True
