def down(n):
    if n:
        down(n - 1)
    return n


def main():
    down(2)
