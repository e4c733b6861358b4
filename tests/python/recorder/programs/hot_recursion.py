import threading


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def calm():
    return 1


def main():
    fib(31)
    threading.Event().wait(0.15)
    calm()
