class Pause:
    def __await__(self):
        yield 1


async def inner():
    await Pause()
    return 2


async def outer():
    return await inner()


def main():
    c = outer()
    c.send(None)
    try:
        c.send(None)
    except StopIteration:
        pass
