def g(): return 1


def main():
    a = g(); b = g(); c = a + b
    if c: return c
