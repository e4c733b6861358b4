def add(a, b):
    return a + b


def main():
    x = add(
        1,
        add(2,
            3),
    )
    return x
