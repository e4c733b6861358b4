import functools


def key(n):
    return n


def main():
    functools.reduce(max, map(key, [1, 2]))
    sorted([2, 1], key=functools.cmp_to_key(compare))


def compare(a, b):
    return a - b
