def main():
    f = lambda n: n + 1
    return sorted([2, 1], key=lambda n: -n), f(1)
